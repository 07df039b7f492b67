/**
 * The status of a plan, a scheduled payment or a bank debit: what its workflow waits for, and what an operator reads on
 * its page. Instants are epoch milliseconds.
 */
export interface SubjectStatus {
  /** Nothing will become due: the workflow ends. */
  ended: boolean;
  billerId: string;
  customerId: string | null;
  testClockId: string | null;
  livemode: boolean;
  /** The state of a plan, a scheduled payment or a bank debit. */
  state: string;
  /** The frozen time of the customer's clock; null in real time. */
  clockTime: number | null;
  /**
   * The latest time that the clock can have reached: the target of its latest advance, or its initial time. A workflow
   * that is further ahead remembers what the database has lost in a restore from a back-up. Null in real time.
   */
  clockLimit: number | null;
  /** When there is something to do next. Null when nothing is due. */
  nextAt: number | null;
  /** When the next slot of the calendar is due. */
  nextDueAt: number | null;
  failedAttempts: number;
  /** What comes next: "slot 3, attempt 2". */
  next: string;
  /** The reason for the last failed attempt, as a sentence. */
  lastError: string | null;
  /**
   * More details for an operator. Histories have them under this name, so it stays; other code calls them details. Old
   * histories lack them.
   */
  story?: StatusDetails;
}

/** Details for an operator who knows neither the subject nor the code. Instants are in the customer's time. */
export interface StatusDetails {
  /** What it waits for, as a sentence. */
  waitsFor: string;
  /** When it entered this status. */
  since: number;
  /**
   * The unpaid payment, if there is one: the plan's slot and its payment intent. `nextCharge` is what the next attempt
   * charges, in words: "25.00 AUD, attempt 2 of 4". Old histories lack it.
   */
  unpaid: { slot: number; dueDate: string; intentId: string; isUnderWay: boolean; nextCharge?: string } | null;
  /**
   * The last failure of the unpaid payment: its decline code and its instant. `lastError` has the reason as a sentence.
   */
  lastFailure: { code: string; at: number } | null;
  /** The payment of a debit. Missing for other subjects, and in old histories. */
  paymentIntentId?: string;
}

/** The status of a subject that no longer exists. */
export const deletedSubject: SubjectStatus = {
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

/** The status of a test clock. Instants are epoch milliseconds. */
export interface ClockSubjectStatus {
  id: string;
  billerId: string;
  status: string;
  /** The clock's time. */
  frozenTime: number;
  /** Real time. Null when the clock is deleted. */
  expiresAt: number | null;
  failureReason: string | null;
}
