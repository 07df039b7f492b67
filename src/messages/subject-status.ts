/** Where a plan or a scheduled payment stands: what its workflow waits for, and what an operator reads on its page. Instants are epoch milliseconds. */
export interface SubjectStatus {
  /** Nothing will ever be due again: the workflow ends. */
  ended: boolean;
  billerId: string;
  customerId: string | null;
  testClockId: string | null;
  livemode: boolean;
  /** The state of a plan, or what a scheduled payment is at. */
  state: string;
  /** The frozen time of the customer's clock; null in real time. */
  clockTime: number | null;
  /**
   * How far the clock may have gone: to the target of its latest advance, or to where it was made. A subject that is further
   * remembers what the database has forgotten: it was restored from a back-up. Null in real time.
   */
  clockLimit: number | null;
  /** When there is something to do next; null while it waits for somebody. */
  nextAt: number | null;
  /** When the next slot of the calendar is due. */
  nextDueAt: number | null;
  failedAttempts: number;
  /** What comes next, in the domain's words: "slot 3, attempt 2". */
  next: string;
  /** Why the last attempt failed, in words. */
  lastError: string | null;
  /** What an operator reads beside it; what an earlier version has recorded in a history lacks it. */
  story?: StatusDetails;
}

/** What a subject is at, for an operator who knows neither it nor the code. Instants are those of the customer's time. */
export interface StatusDetails {
  /** What it waits for, in words. */
  waitsFor: string;
  /** Since when it is as it is. */
  since: number;
  /** The payment that is unpaid, where one is: the slot of a plan, with its intent. */
  unpaid: { slot: number; dueDate: string; intentId: string; isUnderWay: boolean } | null;
  /** Why the unpaid payment failed last, and when: the decline code beside `lastError`. */
  lastFailure: { code: string; at: number } | null;
}

/** The standing of something that is not there any more. */
export const gone: SubjectStatus = {
  ended: true,
  billerId: '',
  customerId: null,
  testClockId: null,
  livemode: false,
  state: 'deleted',
  clockTime: null,
  clockLimit: null,
  nextAt: null,
  nextDueAt: null,
  failedAttempts: 0,
  next: '',
  lastError: null,
};

/** Where a test clock stands. Instants are epoch milliseconds. */
export interface ClockSubjectStatus {
  id: string;
  billerId: string;
  status: string;
  /** The clock's time. */
  frozenTime: number;
  /** Real time; null when the clock is gone. */
  expiresAt: number | null;
  failureReason: string | null;
}
