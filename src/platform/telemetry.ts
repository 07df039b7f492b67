// What the service says of its own work while it works, to whoever counts it or writes it down: metrics, log, traces. Those
// who do the work know nothing of these; where nobody listens, an observation costs a call of a function.

export type Mode = 'live' | 'sandbox';

/** Whose an observation is. Ids are for logs and traces, never for labels of metrics. */
export interface Owner {
  billerId: string;
  livemode: boolean;
  testClockId: string | null;
}

/** A try to take money was opened, and is committed: the processor is asked next. */
export interface ChargeOpened extends Owner {
  kind: 'charge opened';
  source: 'confirm' | 'plan' | 'schedule';
  paymentIntentId: string;
  paymentPlanId: string | null;
  /** From the instant at which it was to be made; null where nobody waits in real time: a request, a test clock. */
  lagSeconds: number | null;
}

/** The outcome of a try was committed, once; of one that a challenge has held up too. */
export interface ChargeCompleted extends Owner {
  kind: 'charge settled';
  source: 'confirm' | 'plan' | 'schedule';
  attemptId: string;
  attempt: number;
  paymentIntentId: string;
  paymentPlanId: string | null;
  requestId: string | null;
  outcome: 'succeeded' | 'failed' | 'requires_action';
  code: string | null;
  /** The events that tell of it, the payment's first. */
  eventIds: readonly string[];
  /** When the try was opened, real time; null after a challenge, where the payer is what takes the time. */
  openedAt: Date | null;
}

/** The outcome of a refund was committed, once. */
export interface RefundCompleted extends Owner {
  kind: 'refund settled';
  refundId: string;
  paymentIntentId: string;
  requestId: string | null;
  outcome: 'succeeded' | 'failed';
  eventIds: readonly string[];
}

/** Events were committed. */
export interface EventsRecorded {
  kind: 'events recorded';
  livemode: boolean;
  types: readonly string[];
}

/** A POST to a receiver, and what came of it, is on record. */
export interface DeliveryAttempted extends Owner {
  kind: 'delivery attempted';
  deliveryId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** What the event is about, and the payment plan behind that, where there is one. */
  subjectId: string;
  paymentPlanId: string | null;
  /** The request that has caused the event. */
  requestId: string | null;
  attempt: number;
  outcome: 'delivered' | 'retrying' | 'failed';
  statusCode: number | null;
  error: string | null;
  seconds: number;
  /** From the event's record to its delivery; null while it is not delivered. */
  lagSeconds: number | null;
}

/** A delivery has to come back later, since too many to its endpoint are under way. */
export interface DeliveryRefused {
  kind: 'delivery refused';
}

/** An advance of a test clock has ended. */
export interface AdvanceEnded {
  kind: 'advance ended';
  testClockId: string;
  billerId: string;
  requestId: string | null;
  outcome: 'ready' | 'failed';
  /** Real time, since it was accepted. */
  seconds: number;
}

/** Temporal was told what a transaction has committed, or could not be. */
export interface EntryDispatched {
  kind: 'intent told';
  workflowType: string;
  isDispatched: boolean;
  /** When the intent was made. */
  madeAt: Date;
}

/** A transaction asks the pool for a connection. */
export interface TransactionAwaited {
  kind: 'transaction awaited';
}

/** It has one, after so many seconds: the wait for it, and the round trip of its `begin`. */
export interface TransactionBegun {
  kind: 'transaction begun';
  waitSeconds: number;
}

/** It has given the connection back, or has never had one. */
export interface TransactionEnded {
  kind: 'transaction ended';
  hadBegun: boolean;
}

export type TelemetryEvent =
  | ChargeOpened
  | ChargeCompleted
  | RefundCompleted
  | EventsRecorded
  | DeliveryAttempted
  | DeliveryRefused
  | AdvanceEnded
  | EntryDispatched
  | TransactionAwaited
  | TransactionBegun
  | TransactionEnded;

const listeners = new Set<(observation: TelemetryEvent) => void>();

/** Tells all who listen. Of what a transaction does it is told after the commit, never before. */
export function emit(observation: TelemetryEvent): void {
  for (const listener of listeners) listener(observation);
}

/** Calls `listener`, which must not throw, with each observation of this process; answers how to stop it. */
export function subscribe(listener: (observation: TelemetryEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function modeOf({ livemode }: { livemode: boolean }): Mode {
  return livemode ? 'live' : 'sandbox';
}

/** Seconds from one instant to another; 0 where they are in the other order, as those of two machines may be. */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1000);
}
