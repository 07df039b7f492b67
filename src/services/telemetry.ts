import type { AttemptSource } from '../db/payment-attempts.ts';
import type { Id } from '../domain/ids.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { type PlatformEvent, telemetryOf } from '../platform/telemetry.ts';

// What the service emits, in addition to the events of the platform.

/** The owner of what an event is about. Ids are for logs and traces, never for metric labels. */
interface Owner {
  billerId: Id<'biller'>;
  livemode: boolean;
  testClockId: Id<'test_clock'> | null;
}

/** An attempt to charge was opened and committed. The processor is asked next. */
export interface ChargeOpened extends Owner {
  kind: 'charge opened';
  source: AttemptSource;
  paymentIntentId: Id<'payment_intent'>;
  paymentPlanId: Id<'payment_plan'> | null;
  subscriptionId: Id<'subscription'> | null;
  /**
   * Seconds from the due instant to the opening. Null when nothing waits in real time: for a request or a test clock.
   */
  lagSeconds: number | null;
}

/** The outcome of an attempt was committed. Emitted once, also when a challenge delayed the outcome. */
export interface ChargeCompleted extends Owner {
  kind: 'charge completed';
  source: AttemptSource;
  attemptId: Id<'payment_attempt'>;
  attempt: number;
  /** Whether a payer has confirmed the payment: with a publishable key or on a page. */
  byPayer: boolean;
  paymentIntentId: Id<'payment_intent'>;
  paymentPlanId: Id<'payment_plan'> | null;
  subscriptionId: Id<'subscription'> | null;
  requestId: string | null;
  /** `returned`: a debit that had succeeded came back. It is emitted in addition to `succeeded`. */
  outcome: 'succeeded' | 'failed' | 'requires_action' | 'returned';
  code: string | null;
  /** The events that the outcome recorded, the payment's first. */
  eventIds: readonly string[];
  /** When the attempt was opened. Null after a challenge: its duration depends on the payer. */
  openedAt: RealInstant | null;
}

/** The outcome of a refund was committed. Emitted once. */
export interface RefundCompleted extends Owner {
  kind: 'refund completed';
  refundId: Id<'refund'>;
  paymentIntentId: Id<'payment_intent'>;
  requestId: string | null;
  outcome: 'succeeded' | 'failed';
  eventIds: readonly string[];
}

interface EventsRecorded {
  kind: 'events recorded';
  livemode: boolean;
  types: readonly string[];
}

/** A webhook was posted to a receiver, and the outcome was recorded. */
export interface DeliveryAttempted extends Owner {
  kind: 'delivery attempted';
  deliveryId: Id<'webhook_delivery'>;
  /** The workflow that made the attempt: the delivery's own, or a batch. */
  workflowId: string;
  endpointId: Id<'webhook_endpoint'>;
  eventId: Id<'event'>;
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

/** This process has compared its clock with PostgreSQL's. */
interface ClockCompared {
  kind: 'clock compared';
  /** How far its clock is ahead. Negative: behind. */
  skewSeconds: number;
}

/** A delivery was postponed: too many deliveries to its endpoint are under way. */
interface DeliveryRefused {
  kind: 'delivery refused';
}

export interface AdvanceEnded {
  kind: 'advance ended';
  testClockId: Id<'test_clock'>;
  billerId: Id<'biller'>;
  requestId: string | null;
  outcome: 'ready' | 'failed';
  /** Real time since the advance was accepted. */
  seconds: number;
}

/** An outbox entry was dispatched to Temporal, or the dispatch failed. */
interface EntryDispatched {
  kind: 'outbox entry dispatched';
  workflowType: string;
  isDispatched: boolean;
  /** When the outbox entry was written. */
  madeAt: RealInstant;
}

export type TelemetryEvent =
  | ChargeOpened
  | ChargeCompleted
  | RefundCompleted
  | EventsRecorded
  | DeliveryAttempted
  | DeliveryRefused
  | AdvanceEnded
  | ClockCompared
  | EntryDispatched
  | PlatformEvent;

export const { emit, subscribe } = telemetryOf<TelemetryEvent>();
