import type { CheckoutSessionRow } from '../db/checkout-sessions.ts';
import * as store from '../db/events.ts';
import type { MandateRow } from '../db/mandates.ts';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import type { PaymentLinkRow } from '../db/payment-links.ts';
import type { PaymentPlanRow } from '../db/payment-plans.ts';
import type { RefundRow } from '../db/refunds.ts';
import type { ShownSubscriptionRow } from '../db/subscriptions.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import type { WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { newId } from '../domain/ids.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db, Pool, Tx } from '../platform/postgres/connection.ts';
import { noteEnqueued, notifyDeliveries } from '../platform/postgres/outbox.ts';
import { shareCommit } from '../platform/postgres/shared-commit.ts';
import { afterCommit, pipelined } from '../platform/postgres/transaction.ts';
import { emit } from '../platform/telemetry.ts';
import { presentCheckoutSession } from '../resources/checkout-session.ts';
import type { EventQuery } from '../resources/event.ts';
import type { EventType } from '../resources/event-catalogue.ts';
import { presentMandate } from '../resources/mandate.ts';
import { presentPaymentIntent } from '../resources/payment-intent.ts';
import { presentPaymentLink } from '../resources/payment-link.ts';
import { presentPaymentPlan } from '../resources/payment-plan.ts';
import { presentRefund } from '../resources/refund.ts';
import { presentSubscription } from '../resources/subscription.ts';
import { presentClockState } from '../resources/test-clock.ts';
import { presentWebhookEndpoint } from '../resources/webhook-endpoint.ts';
import { NotFound } from './errors.ts';
import { pageOf, type Rows } from './paging.ts';
import type { Tenant } from './request-context.ts';

export interface NewEvent {
  type: EventType;
  /** The object that the event is about. */
  subjectId: string;
  customerId: string | null;
  testClockId: string | null;
  /** Customer time. */
  at: Date;
  /** The object as the API shows it at this moment. */
  data: object;
  /** Deliver the event to this endpoint only, whatever the endpoints subscribe to. */
  onlyEndpointId?: string;
}

type TypeOf<Group extends string> = Extract<EventType, `${Group}.${string}`>;

// An event carries its object as the API shows it. These functions are the one place where a service presents a row.

/** Returns an event with the intent's current state. `extra` are further members of its data. `at` is customer time. */
export function intentEvent(
  type: TypeOf<'payment_intent'>,
  intent: PaymentIntentRow,
  { testClockId, at }: { testClockId: string | null; at: Date },
  extra: object = {},
): NewEvent {
  const data = { ...presentPaymentIntent(intent), ...extra };
  return { type, subjectId: intent.id, customerId: intent.customer_id, testClockId, at, data };
}

/** Returns an event with the mandate's current state. `at` is customer time. */
export function mandateEvent(type: TypeOf<'mandate'>, mandate: MandateRow, at: Date): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = mandate;
  return { type, subjectId, customerId, testClockId, at, data: presentMandate(mandate, at) };
}

/** Returns an event with the refund's current state, at its own time. */
export function refundEvent(
  type: TypeOf<'refund'>,
  refund: RefundRow,
  { customer_id, test_clock_id }: { customer_id: string | null; test_clock_id: string | null },
): NewEvent {
  const data = presentRefund(refund);
  const about = { subjectId: refund.id, customerId: customer_id, testClockId: test_clock_id };
  return { type, ...about, at: refund.updated_at, data };
}

/** Returns an event with the plan's current state. `at` is customer time. */
export function planEvent(type: TypeOf<'payment_plan'>, plan: PaymentPlanRow, at: Date): NewEvent {
  const data = presentPaymentPlan(plan);
  return { type, subjectId: plan.id, customerId: plan.customer_id, testClockId: plan.test_clock_id, at, data };
}

/** Returns an event with the link's current state. `at` is customer time. */
export function paymentLinkEvent(type: TypeOf<'payment_link'>, link: PaymentLinkRow, at: Date): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = link;
  return { type, subjectId, customerId, testClockId, at, data: presentPaymentLink(link) };
}

/** Returns an event with the session's current state. `at` is customer time. */
export function checkoutSessionEvent(
  type: TypeOf<'checkout_session'>,
  session: CheckoutSessionRow,
  at: Date,
): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = session;
  return { type, subjectId, customerId, testClockId, at, data: presentCheckoutSession(session) };
}

/** Returns an event with the subscription's current state. `at` is customer time. */
export function subscriptionEvent(type: TypeOf<'subscription'>, row: ShownSubscriptionRow, at: Date): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = row;
  return { type, subjectId, customerId, testClockId, at, data: presentSubscription(row) };
}

/** Returns an event with the clock's current state, at the clock's own time. */
export function clockEvent(type: TypeOf<'test_clock'>, clock: TestClockRow, extra: object = {}): NewEvent {
  const data = { ...presentClockState(clock), ...extra };
  return { type, subjectId: clock.id, customerId: null, testClockId: clock.id, at: clock.frozen_time, data };
}

/** Returns an event with the endpoint's current state. `at` is real time. */
export function endpointEvent(type: TypeOf<'webhook_endpoint'>, endpoint: WebhookEndpointRow, at: Date): NewEvent {
  const data = presentWebhookEndpoint(endpoint);
  return { type, subjectId: endpoint.id, customerId: null, testClockId: null, at, data };
}

/** Whose events they are, and the request that caused them. `now` is real time. */
interface EventOrigin {
  billerId: string;
  livemode: boolean;
  requestId: string | null;
  now: Date;
}

/** The events that were gathered instead of recorded, by their transaction. */
const gathered = new WeakMap<Tx, NewEvent[]>();

/**
 * Marks the transaction as a dry run, to be rolled back. `recordEvents` then records nothing: it appends the events to
 * the returned array, in order.
 */
export function gatherEvents(tx: Tx): NewEvent[] {
  const events: NewEvent[] = [];
  gathered.set(tx, events);
  return events;
}

/**
 * Records the events of all that `work` changes at the end, in one statement. So the biller's event sequence is not
 * locked while `work` still waits for other locks. `origin` replaces the origins of the events.
 */
export async function recordTogether(tx: Tx, origin: EventOrigin, work: () => Promise<void>): Promise<void> {
  const events = gatherEvents(tx);
  await work();
  gathered.delete(tx);
  await recordEvents(tx, origin, events);
}

/**
 * Records events in the transaction of the change that they report. Numbers them in the given order, and writes a
 * delivery and its outbox entry for each subscribed endpoint. Call it last in the transaction: the biller's event
 * sequence stays locked until the transaction ends. `origin.now` is real time. Returns the ids of the events, in the
 * same order.
 */
export async function recordEvents(tx: Tx, origin: EventOrigin, events: NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const others = gathered.get(tx);
  if (others !== undefined) {
    others.push(...events);
    return events.map(() => newId('event'));
  }
  const rows = events.map(rowOf);
  const inserting = store.insertEvents(tx, origin, rows, origin).then((deliveries) => {
    if (deliveries) noteEnqueued(tx, 'deliveries');
  });
  // Not awaited, so the sequence is locked for the commit only and not for a further round trip.
  void pipelined(tx, [inserting]);
  afterCommit(tx, () => emitRecorded(origin, events));
  return rows.map((row) => row.id);
}

/**
 * Records events in one statement, if all conditions hold. The conditions write the change that the events report, and
 * must not wait for locks. Events of one biller and mode that are recorded at the same time share a commit, because
 * each locks the biller's sequence. Otherwise as `recordEvents`. Returns null, and nothing has changed, if a condition
 * does not hold.
 */
export async function recordEventsWhere(
  pool: Pool,
  origin: EventOrigin,
  events: NewEvent[],
  conditions: readonly InsertCondition[],
): Promise<string[] | null> {
  const rows = events.map(rowOf);
  const sequence = `events/${origin.billerId}/${origin.livemode}`;
  const insert = (db: Db) => store.insertEvents(db, origin, rows, origin, conditions);
  const deliveries = await shareCommit(pool, sequence, insert);
  if (deliveries === null) return null;
  if (deliveries > 0) notifyDeliveries();
  emitRecorded(origin, events);
  return rows.map((row) => row.id);
}

function rowOf(event: NewEvent): store.InsertedEvent {
  return {
    id: newId('event'),
    event_type: event.type,
    subject_id: event.subjectId,
    customer_id: event.customerId,
    test_clock_id: event.testClockId,
    data: JSON.stringify(event.data),
    created_at: event.at,
    only_endpoint_id: event.onlyEndpointId ?? null,
  };
}

function emitRecorded({ livemode }: EventOrigin, events: NewEvent[]): void {
  emit({ kind: 'events recorded', livemode, types: events.map(({ type }) => type) });
}

/**
 * Returns the event.
 * @throws NotFound
 */
export async function getEvent(db: Db, tenant: Tenant, id: string): Promise<store.EventRow> {
  const row = await store.selectEvent(db, tenant, id);
  if (row === null) throw new NotFound('event', id);
  return row;
}

/**
 * Returns a page of events, newest first. The events of a test clock stay readable after it is deleted.
 * @throws BadParameters when the cursor is unknown.
 */
export async function listEvents(db: Db, tenant: Tenant, query: EventQuery): Promise<Rows<store.EventRow>> {
  const page = await pageOf(db, 'events', tenant, query);
  const { event_type: eventType, test_clock: testClock, object_id: objectId, customer_id: customerId } = query;
  const filter = { eventType, testClock, objectId, customerId };
  return { rows: await store.listEvents(db, tenant, filter, page), limit: page.limit };
}
