import type { CheckoutSessionRow } from '../db/checkout-sessions.ts';
import type { DisputeRow } from '../db/disputes.ts';
import * as store from '../db/events.ts';
import type { MandateRow } from '../db/mandates.ts';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import type { PaymentLinkRow } from '../db/payment-links.ts';
import type { PaymentPlanRow } from '../db/payment-plans.ts';
import type { PayoutRow } from '../db/payouts.ts';
import type { RefundRow } from '../db/refunds.ts';
import type { ShownSubscriptionRow } from '../db/subscriptions.ts';
import { tenantOf } from '../db/tenant.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import type { WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { type Id, newId } from '../domain/ids.ts';
import type { CustomerInstant, Instant } from '../domain/instants.ts';
import type { Period } from '../domain/subscriptions/subscription.ts';
import { batchIdOf } from '../messages/workflow-types.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db, Pool, Tx } from '../platform/postgres/connection.ts';
import { noteEnqueued, notifyDeliveries } from '../platform/postgres/outbox.ts';
import { shareCommit } from '../platform/postgres/shared-commit.ts';
import { afterCommit, atomically, beforeCommit, pipelined } from '../platform/postgres/transaction.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { presentCheckoutSession } from '../resources/checkout-session.ts';
import { presentDispute } from '../resources/dispute.ts';
import type { EventQuery } from '../resources/event.ts';
import type { EventType } from '../resources/event-catalogue.ts';
import { presentMandate } from '../resources/mandate.ts';
import { presentPaymentIntent } from '../resources/payment-intent.ts';
import { presentPaymentLink } from '../resources/payment-link.ts';
import { presentPaymentPlan } from '../resources/payment-plan.ts';
import { presentPayout } from '../resources/payout.ts';
import { presentRefund } from '../resources/refund.ts';
import { presentSubscription, presentSubscriptionPeriod } from '../resources/subscription.ts';
import { presentClockState } from '../resources/test-clock.ts';
import { presentWebhookEndpoint } from '../resources/webhook-endpoint.ts';
import { orNotFound } from './errors.ts';
import { pageOf, type Rows } from './paging.ts';
import type { Tenant } from './request-context.ts';
import { emit } from './telemetry.ts';

export interface NewEvent extends Tenant {
  type: EventType;
  /** The object that the event is about. */
  subjectId: string;
  customerId: Id<'customer'> | null;
  testClockId: Id<'test_clock'> | null;
  at: Instant;
  /** The object as the API shows it at this moment. */
  data: object;
  /** Deliver the event to this endpoint only, whatever the endpoints subscribe to. */
  onlyEndpointId?: Id<'webhook_endpoint'>;
}

type TypeOf<Group extends string> = Extract<EventType, `${Group}.${string}`>;

// An event carries its object as the API shows it. These functions are the one place where a service presents a row.

/** Returns an event with the intent's current state. `extra` are further members of its data. */
export function intentEvent(
  type: TypeOf<'payment_intent'>,
  intent: PaymentIntentRow,
  { testClockId, at }: { testClockId: Id<'test_clock'> | null; at: CustomerInstant },
  extra: object = {},
): NewEvent {
  const data = { ...presentPaymentIntent(intent), ...extra };
  return { ...tenantOf(intent), type, subjectId: intent.id, customerId: intent.customer_id, testClockId, at, data };
}

/** Returns an event with the mandate's current state. */
export function mandateEvent(type: TypeOf<'mandate'>, mandate: MandateRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = mandate;
  return { ...tenantOf(mandate), type, subjectId, customerId, testClockId, at, data: presentMandate(mandate, at) };
}

/** Returns an event with the refund's current state, at its own time. */
export function refundEvent(
  type: TypeOf<'refund'>,
  refund: RefundRow,
  { customer_id, test_clock_id }: { customer_id: Id<'customer'> | null; test_clock_id: Id<'test_clock'> | null },
): NewEvent {
  const data = presentRefund(refund);
  const about = { subjectId: refund.id, customerId: customer_id, testClockId: test_clock_id };
  return { ...tenantOf(refund), type, ...about, at: refund.updated_at, data };
}

/** Returns an event with the dispute's current state. */
export function disputeEvent(type: TypeOf<'dispute'>, dispute: DisputeRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = dispute;
  return { ...tenantOf(dispute), type, subjectId, customerId, testClockId, at, data: presentDispute(dispute) };
}

/** Returns an event with the payout's current state. */
export function payoutEvent(type: TypeOf<'payout'>, payout: PayoutRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, test_clock_id: testClockId } = payout;
  return { ...tenantOf(payout), type, subjectId, customerId: null, testClockId, at, data: presentPayout(payout) };
}

/** Returns an event with the plan's current state. */
export function planEvent(type: TypeOf<'payment_plan'>, plan: PaymentPlanRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = plan;
  return { ...tenantOf(plan), type, subjectId, customerId, testClockId, at, data: presentPaymentPlan(plan) };
}

/** Returns an event with the link's current state. */
export function paymentLinkEvent(type: TypeOf<'payment_link'>, link: PaymentLinkRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = link;
  return { ...tenantOf(link), type, subjectId, customerId, testClockId, at, data: presentPaymentLink(link) };
}

/** Returns an event with the session's current state. */
export function checkoutSessionEvent(
  type: TypeOf<'checkout_session'>,
  session: CheckoutSessionRow,
  at: CustomerInstant,
): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = session;
  return { ...tenantOf(session), type, subjectId, customerId, testClockId, at, data: presentCheckoutSession(session) };
}

/** Returns an event with the subscription's current state. */
export function subscriptionEvent(
  type: TypeOf<'subscription'>,
  row: ShownSubscriptionRow,
  at: CustomerInstant,
  extra: object = {},
): NewEvent {
  const { id: subjectId, customer_id: customerId, test_clock_id: testClockId } = row;
  const data = { ...presentSubscription(row), ...extra };
  return { ...tenantOf(row), type, subjectId, customerId, testClockId, at, data };
}

/** Returns what `subscription.period_paid` tells besides the subscription. */
export function paidPeriodOf(period: Period): object {
  return { paid_period: presentSubscriptionPeriod(period) };
}

/** Returns an event with the clock's current state, at the clock's own time. */
export function clockEvent(type: TypeOf<'test_clock'>, clock: TestClockRow, extra: object = {}): NewEvent {
  const data = { ...presentClockState(clock), ...extra };
  const { id, frozen_time: at } = clock;
  return { ...tenantOf(clock), type, subjectId: id, customerId: null, testClockId: id, at, data };
}

/** Returns an event with the endpoint's current state. */
export function endpointEvent(
  type: TypeOf<'webhook_endpoint'>,
  endpoint: WebhookEndpointRow,
  at: RealInstant,
): NewEvent {
  const data = presentWebhookEndpoint(endpoint);
  return { ...tenantOf(endpoint), type, subjectId: endpoint.id, customerId: null, testClockId: null, at, data };
}

/** The request that causes events; null if the service acts on its own. */
interface EventOrigin {
  requestId: string | null;
  now: RealInstant;
}

/** The events of a transaction, in order. A list within the list holds those of one `EventPosition`. */
type EventList = (RecordedEvent | EventList)[];

export type RecordedEvent = NewEvent & { id: Id<'event'> };

interface Recording {
  origin: EventOrigin | null;
  events: EventList;
  /** Where the next event is added. */
  current: EventList;
}

const recordings = new WeakMap<Tx, Recording>();

/**
 * Runs `work` as `atomically` does, and names the cause of the events that it records. Within a transaction that has
 * named one, that one stays.
 */
export async function transact<T>(db: Db, origin: EventOrigin, work: (tx: Tx) => Promise<T>): Promise<T> {
  return atomically(db, (tx) => {
    recordingOf(tx).origin ??= origin;
    return work(tx);
  });
}

/**
 * Records events in the transaction of the change that they report, in this order, and returns their ids. They are
 * written before the commit, in one statement that numbers them and writes a delivery and its outbox entry for each
 * subscribed endpoint. So the biller's event sequence is locked for the commit only. A dry run writes none.
 */
export function record(tx: Tx, ...events: NewEvent[]): Id<'event'>[] {
  const recorded = events.map(withId);
  recordingOf(tx).current.push(...recorded);
  return recorded.map(({ id }) => id);
}

/** A position among the events of a transaction: before all that are recorded after it was taken. */
export interface EventPosition {
  /** Records events here. */
  record(...events: NewEvent[]): void;
  /** Records here what `work` records. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the ids of the events recorded here and after it, in order. */
  idsSince(): string[];
}

/** Returns the present position, for events that are known only later. All others are recorded when they happen. */
export function positionHere(tx: Tx): EventPosition {
  const recording = recordingOf(tx);
  const { current } = recording;
  const here: EventList = [];
  current.push(here);
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    const outer = recording.current;
    recording.current = here;
    try {
      return await work();
    } finally {
      recording.current = outer;
    }
  };
  return {
    record: (...events) => void here.push(...events.map(withId)),
    during,
    idsSince: () => inOrder(current.slice(current.indexOf(here))).map(({ id }) => id),
  };
}

/** Returns the events that the transaction has recorded so far, in order. */
export function recordedEvents(tx: Tx): RecordedEvent[] {
  return inOrder(recordingOf(tx).events);
}

/** Writes the events that were recorded so far, for a caller that reads what this writes. */
export function writeRecorded(tx: Tx): Promise<unknown> {
  const recording = recordingOf(tx);
  const events = inOrder(recording.events);
  const [first] = events;
  if (first === undefined) return Promise.resolve();
  const { origin } = recording;
  if (origin === null) throw new Error(`${first.type} was recorded in a transaction without an origin: see transact`);
  const { billerId, livemode } = first;
  if (events.some((event) => event.billerId !== billerId || event.livemode !== livemode)) {
    throw new Error('a transaction records the events of one biller and mode only');
  }
  recording.events = [];
  recording.current = recording.events;
  const inserting = store.insertEvents(tx, first, events.map(rowOf), origin).then((enqueued) => {
    if (enqueued?.deliveries) noteEnqueued(tx, 'deliveries', onlyBatch(enqueued, first));
  });
  afterCommit(tx, () => emitRecorded(first, events));
  return pipelined(tx, [inserting]);
}

function recordingOf(tx: Tx): Recording {
  const known = recordings.get(tx);
  if (known !== undefined) return known;
  const events: EventList = [];
  const recording = { origin: null, events, current: events };
  recordings.set(tx, recording);
  // Not awaited, so the sequence is locked for the commit only and not for a further round trip.
  beforeCommit(tx, () => void writeRecorded(tx));
  return recording;
}

function inOrder(events: EventList): RecordedEvent[] {
  return events.flatMap((event) => (Array.isArray(event) ? inOrder(event) : [event]));
}

/**
 * Records events in one statement, if all conditions hold. The conditions write the change that the events report, and
 * must not wait for locks. Events of one biller and mode that are recorded at the same time share a commit, because
 * each locks the biller's sequence. Otherwise as `record`. Returns null, and nothing has changed, if a condition
 * does not hold.
 */
export async function recordEventsWhere(
  pool: Pool,
  origin: EventOrigin & Tenant,
  events: NewEvent[],
  conditions: readonly InsertCondition[],
): Promise<string[] | null> {
  const rows = events.map((event) => rowOf(withId(event)));
  const sequence = `events/${origin.billerId}/${origin.livemode}`;
  const insert = (db: Db) => store.insertEvents(db, origin, rows, origin, conditions);
  const enqueued = await shareCommit(pool, sequence, insert);
  if (enqueued === null) return null;
  if (enqueued.deliveries > 0) notifyDeliveries(onlyBatch(enqueued, origin));
  emitRecorded(origin, events);
  return rows.map((row) => row.id);
}

/** The batch of the biller and mode, if all deliveries are for it. */
function onlyBatch({ alone }: store.EnqueuedDeliveries, tenant: Tenant): string | null {
  return alone === 0 ? batchIdOf(tenant) : null;
}

function withId(event: NewEvent): RecordedEvent {
  return { ...event, id: newId('event') };
}

function rowOf(event: RecordedEvent): store.InsertedEvent {
  return {
    id: event.id,
    event_type: event.type,
    subject_id: event.subjectId,
    customer_id: event.customerId,
    test_clock_id: event.testClockId,
    data: JSON.stringify(event.data),
    created_at: event.at,
    only_endpoint_id: event.onlyEndpointId ?? null,
  };
}

function emitRecorded({ livemode }: Tenant, events: NewEvent[]): void {
  emit({ kind: 'events recorded', livemode, types: events.map(({ type }) => type) });
}

/**
 * Returns the event.
 * @throws NotFound
 */
export async function getEvent(db: Db, tenant: Tenant, id: string): Promise<store.EventRow> {
  return orNotFound(await store.selectEvent(db, tenant, id), 'event', id);
}

/**
 * Returns a page of events, newest first. The events of a test clock stay readable after it is deleted.
 * @throws BadParameters when the cursor is unknown.
 */
export async function listEvents(db: Db, tenant: Tenant, query: EventQuery): Promise<Rows<store.EventRow>> {
  const page = await pageOf(db, 'events', tenant, query);
  const { event_type: eventType, test_clock: testClock, object_id: objectId, customer_id: customerId } = query;
  const [dates] = page.dates ?? [];
  const filter = { eventType, testClock, objectId, customerId, createdFrom: dates?.from, createdTo: dates?.to };
  const { order = 'desc' } = query;
  return { rows: await store.listEvents(db, tenant, filter, { ...page, order }), limit: page.limit };
}
