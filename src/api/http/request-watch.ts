/** A request that has its response. */
export interface AnsweredRequest {
  /** The template of the path; null where no route has taken it. */
  route: string | null;
  method: string;
  status: number;
  seconds: number;
}

/** Counts requests. Must not throw. */
export interface RequestWatch {
  begun(): void;
  answered(request: AnsweredRequest): void;
}
