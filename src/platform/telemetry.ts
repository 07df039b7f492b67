// Telemetry events. Metrics, logs and traces subscribe to them; the code that emits them knows nothing of these.
// Without a subscriber, an event costs one function call.

export type Mode = 'live' | 'sandbox';

/** The owner of what an event is about. Ids are for logs and traces, never for metric labels. */
export interface Owner {
  billerId: string;
  livemode: boolean;
  testClockId: string | null;
}

/** An attempt to charge was opened and committed. The processor is asked next. */
export interface ChargeOpened extends Owner {
  kind: 'charge opened';
  source: 'confirm' | 'plan' | 'schedule' | 'subscription';
  paymentIntentId: string;
  paymentPlanId: string | null;
  subscriptionId: string | null;
  /**
   * Seconds from the due instant to the opening. Null when nothing waits in real time: for a request or a test clock.
   */
  lagSeconds: number | null;
}

/** The outcome of an attempt was committed. Emitted once, also when a challenge delayed the outcome. */
export interface ChargeCompleted extends Owner {
  kind: 'charge completed';
  source: 'confirm' | 'plan' | 'schedule' | 'subscription';
  attemptId: string;
  attempt: number;
  /** Whether a payer has confirmed the payment: with a publishable key or on a page. */
  byPayer: boolean;
  paymentIntentId: string;
  paymentPlanId: string | null;
  subscriptionId: string | null;
  requestId: string | null;
  /** `returned`: a debit that had succeeded came back. It is emitted beside `succeeded`. */
  outcome: 'succeeded' | 'failed' | 'requires_action' | 'returned';
  code: string | null;
  /** The events that the outcome recorded, the payment's first. */
  eventIds: readonly string[];
  /** When the attempt was opened, real time. Null after a challenge: its duration depends on the payer. */
  openedAt: Date | null;
}

/** The outcome of a refund was committed. Emitted once. */
export interface RefundCompleted extends Owner {
  kind: 'refund completed';
  refundId: string;
  paymentIntentId: string;
  requestId: string | null;
  outcome: 'succeeded' | 'failed';
  eventIds: readonly string[];
}

export interface EventsRecorded {
  kind: 'events recorded';
  livemode: boolean;
  types: readonly string[];
}

/** A webhook was posted to a receiver, and the outcome was recorded. */
export interface DeliveryAttempted extends Owner {
  kind: 'delivery attempted';
  deliveryId: string;
  /** The workflow that made the attempt: the delivery's own, or a batch. */
  workflowId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** The resource that the event is about, and its payment plan or subscription if it has one. */
  subjectId: string;
  paymentPlanId: string | null;
  subscriptionId: string | null;
  /** The request that caused the event. */
  requestId: string | null;
  attempt: number;
  outcome: 'delivered' | 'retrying' | 'failed';
  statusCode: number | null;
  error: string | null;
  seconds: number;
  /** Seconds from the recording of the event to its delivery. Null while it is not delivered. */
  lagSeconds: number | null;
}

/** A delivery was postponed: too many deliveries to its endpoint are under way. */
export interface DeliveryRefused {
  kind: 'delivery refused';
}

export interface AdvanceEnded {
  kind: 'advance ended';
  testClockId: string;
  billerId: string;
  requestId: string | null;
  outcome: 'ready' | 'failed';
  /** Real time since the advance was accepted. */
  seconds: number;
}

/** An outbox entry was dispatched to Temporal, or the dispatch failed. */
export interface EntryDispatched {
  kind: 'outbox entry dispatched';
  workflowType: string;
  isDispatched: boolean;
  /** When the outbox entry was written. */
  madeAt: Date;
}

/** A transaction waits for a connection of the pool. */
export interface TransactionAwaited {
  kind: 'transaction awaited';
}

/** A transaction has its connection. `waitSeconds` covers the wait and the round trip of `begin`. */
export interface TransactionBegun {
  kind: 'transaction begun';
  waitSeconds: number;
}

/** A transaction has released its connection, or never got one (`hadBegun` is false). */
export interface TransactionEnded {
  kind: 'transaction ended';
  hadBegun: boolean;
}

/** Lines of this process's log could not be written. Emitted at once, while the log itself cannot report it. */
export interface LogLinesLost {
  kind: 'log lines lost';
  lines: number;
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
  | TransactionEnded
  | LogLinesLost;

const listeners = new Set<(event: TelemetryEvent) => void>();

/** Calls every subscriber. What a transaction does is emitted after its commit, never before. */
export function emit(event: TelemetryEvent): void {
  for (const listener of listeners) listener(event);
}

/**
 * Calls `listener` for each telemetry event of this process. It must not throw. Returns a function that unsubscribes.
 */
export function subscribe(listener: (event: TelemetryEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function modeOf({ livemode }: { livemode: boolean }): Mode {
  return livemode ? 'live' : 'sandbox';
}

/**
 * Returns the seconds from one instant to another, or 0 if they are in reverse order: two machines' clocks may differ.
 */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1000);
}
