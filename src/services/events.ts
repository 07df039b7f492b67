import * as store from '../db/events.ts';
import type { EventType } from '../domain/event-types.ts';
import { newId } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { noteEnqueued } from '../platform/postgres/outbox.ts';
import { afterCommit, pipelined } from '../platform/postgres/transaction.ts';
import { emit } from '../platform/telemetry.ts';
import { page } from '../resources/common.ts';
import { type Event, type EventQuery, presentEvent } from '../resources/event.ts';
import { NotFound } from './errors.ts';
import { pageOf } from './paging.ts';
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

/** The events that each dry run would record, by its transaction. */
const dryRuns = new WeakMap<Db, NewEvent[]>();

/**
 * Marks the transaction as a dry run, to be rolled back. `recordEvents` then records nothing: it appends the events to
 * the returned array, in order.
 */
export function gatherEvents(tx: Tx): NewEvent[] {
  const events: NewEvent[] = [];
  dryRuns.set(tx, events);
  return events;
}

/**
 * Records events in the transaction of the change that they report. Numbers them in the given order, and writes a
 * delivery and its outbox entry for each subscribed endpoint. Call it last in the transaction: the biller's event
 * sequence stays locked until the transaction ends. `origin.now` is real time. Returns the ids of the events, in the
 * same order.
 */
export async function recordEvents(
  tx: Tx,
  origin: { billerId: string; livemode: boolean; requestId: string | null; now: Date },
  events: NewEvent[],
): Promise<string[]> {
  if (events.length === 0) return [];
  const gathered = dryRuns.get(tx);
  if (gathered !== undefined) {
    gathered.push(...events);
    return events.map(() => newId('event'));
  }
  const rows = events.map((event) => ({
    id: newId('event'),
    event_type: event.type,
    subject_id: event.subjectId,
    customer_id: event.customerId,
    test_clock_id: event.testClockId,
    data: JSON.stringify(event.data),
    created_at: event.at,
    only_endpoint_id: event.onlyEndpointId ?? null,
  }));
  const inserting = store.insertEvents(tx, origin, rows, origin).then((deliveries) => {
    if (deliveries > 0) noteEnqueued(tx);
  });
  // Not awaited, so the sequence is locked for the commit only and not for a further round trip.
  void pipelined(tx, [inserting]);
  afterCommit(tx, () =>
    emit({ kind: 'events recorded', livemode: origin.livemode, types: events.map(({ type }) => type) }),
  );
  return rows.map((row) => row.id);
}

/**
 * Returns the event.
 * @throws NotFound when there is no such event of this biller and mode.
 */
export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<Event> {
  const row = await store.selectEvent(db, tenant, id);
  if (row === null) throw new NotFound('event', id);
  return presentEvent(row);
}

/**
 * Returns a page of events, newest first. The events of a test clock stay readable after it is deleted.
 * @throws BadRequest when the cursor is unknown.
 */
export async function listEvents(
  db: Db,
  tenant: Tenant,
  query: EventQuery,
): Promise<{ data: Event[]; has_more: boolean }> {
  const wanted = await pageOf(db, 'events', tenant, query);
  const filter = { eventType: query.event_type, testClock: query.test_clock };
  return page(await store.listEvents(db, tenant, filter, wanted), wanted.limit, presentEvent);
}
