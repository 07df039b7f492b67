/** A request that has received its response. */
export interface AnsweredRequest {
  /** The path template, or null if no route matched. */
  route: string | null;
  method: string;
  status: number;
  seconds: number;
}

/** Counts requests. Its methods must not throw. */
export interface RequestWatch {
  begun(): void;
  answered(request: AnsweredRequest): void;
}
