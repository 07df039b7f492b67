import * as store from '../db/events.ts';
import type { EventType } from '../domain/event-types.ts';
import { newId } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { afterCommit, noteEnqueued, withoutWaiting } from '../platform/postgres/transaction.ts';
import { emit } from '../platform/telemetry.ts';
import { page } from '../resources/common.ts';
import { type Event, type EventQuery, presentEvent } from '../resources/event.ts';
import { NotFound } from './errors.ts';
import { pageOf } from './paging.ts';
import type { Tenant } from './request-context.ts';

export interface NewEvent {
  type: EventType;
  /** The object that it is about. */
  subjectId: string;
  customerId: string | null;
  testClockId: string | null;
  /** The customer's time. */
  at: Date;
  /** The object as the API shows it at this moment. */
  data: object;
  /** Deliver it to this endpoint and no other, whatever they subscribe to. */
  onlyEndpointId?: string;
}

/** What would have been told, by the transaction of the rehearsal. */
const rehearsals = new WeakMap<Db, NewEvent[]>();

/** From here on the transaction, which will be taken back, records no events: they are gathered in the answer, in order. */
export function gatherEvents(tx: Db): NewEvent[] {
  const events: NewEvent[] = [];
  rehearsals.set(tx, events);
  return events;
}

/**
 * Records what has happened, in the transaction of the change itself: numbers the events, in the order given, fans them
 * out to the subscribed endpoints and stages the deliveries. It locks the biller's event sequence until the transaction
 * ends, so it comes last in it. `origin.now` is real time. Answers the ids of the events, in the same order.
 */
export async function recordEvents(
  tx: Db,
  origin: { billerId: string; livemode: boolean; requestId: string | null; now: Date },
  events: NewEvent[],
): Promise<string[]> {
  if (events.length === 0) return [];
  const gathered = rehearsals.get(tx);
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
  // So that the sequence is locked for the time of the commit, and not for a round trip before it too.
  await withoutWaiting(tx, inserting);
  afterCommit(tx, () =>
    emit({ kind: 'events recorded', livemode: origin.livemode, types: events.map(({ type }) => type) }),
  );
  return rows.map((row) => row.id);
}

/** @throws NotFound when there is no such event of this biller and mode. */
export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<Event> {
  const row = await store.findEvent(db, tenant, id);
  if (row === null) throw new NotFound('event', id);
  return presentEvent(row);
}

/**
 * A page of events, newest first. A clock's events stay readable when the clock is gone.
 * @throws BadRequest when the cursor names no event.
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
