import type { DeliveryAbout } from '../messages/search-attributes.ts';
import { signals } from '../messages/signals.ts';
import { workflowIdOf } from '../messages/workflow-types.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { type ClaimedEntry, noteEnqueued } from '../platform/postgres/outbox.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { type DeliveryToMake, type DeliveryToMakeRow, deliveryToMake, toMake } from './webhook-deliveries.ts';

// A delivery's entry in the outbox (`workflow_intents`) is of one of two types. `webhookBatch`: the batch of its biller
// and mode sends it, and the entry stays until its attempt is recorded. `webhookDelivery`: its own workflow is started
// or signalled, and the entry is deleted. Temporal runs one workflow under an id, so one batch has these entries.

/** How many deliveries to one endpoint are read, sent and recorded together. A biller's change is seen by the next. */
export const maxInPart = 50;
/** How many entries of one endpoint a claim takes. */
const maxOfEndpoint = 20;
/** How many entries are read or claimed at most, and how many endpoints a claim looks at. */
const maxAtOnce = 200;
const maxEndpoints = 100;

/** Returns the key under which the outbox has a delivery's endpoint: the end that both ids share (`deliveryId`). */
export function endpointKeyOf(deliveryId: string): string {
  return deliveryId.slice(-10);
}

/** A batch that has something to send: its workflow id and mode, and one of its entries. */
export interface WaitingBatch {
  workflow_id: string;
  livemode: boolean;
  entry_id: number;
  created_at: RealInstant;
  /** How often its workflow could not be started. */
  attempts: number;
}

/**
 * Returns the batches that have something to send, but for those `underWay`. `livemode` is the mode, or null for both.
 */
export async function listWaitingBatches(
  db: Db,
  { livemode, underWay }: { livemode: boolean | null; underWay: readonly string[] },
): Promise<WaitingBatch[]> {
  const ofBatches = db`i.workflow_type = 'webhookBatch'`;
  return db<WaitingBatch[]>`
    with recursive batches as (
      (select i.workflow_id from workflow_intents i where ${ofBatches} order by 1 limit 1)
      union all
      select (
        select i.workflow_id from workflow_intents i where ${ofBatches} and i.workflow_id > b.workflow_id
        order by 1 limit 1
      ) from batches b where b.workflow_id is not null
    )
    select b.workflow_id, e.livemode, e.id as entry_id, e.created_at, e.attempts
    from batches b
    cross join lateral (
      select i.* from workflow_intents i
      where ${ofBatches} and i.workflow_id = b.workflow_id and i.available_at <= now()
        ${livemode === null ? db`` : db`and i.livemode = ${livemode}`}
      limit 1
    ) e
    where b.workflow_id <> all(${underWay as string[]}::text[])
    limit ${maxAtOnce}`;
}

/** Records why the workflow of a batch could not be started, or null that it was. Its entries keep their order. */
export async function noteStart(db: Db, { entry_id }: WaitingBatch, error: string | null): Promise<void> {
  await db`
    update workflow_intents
    set attempts = case when ${error}::text is null then 0 else attempts + 1 end, last_error = left(${error}, 1000)
    where id = ${entry_id}`;
}

/**
 * SQL condition: the entry `i` waits for its dispatch. That of a delivery in a batch is there until it is sent, so it
 * waits only if the batch could not be started.
 */
export function isUndispatched(db: Db) {
  return db`(i.workflow_type <> 'webhookBatch' or i.attempts > 0)`;
}

/** An entry of a batch. */
interface BatchEntry {
  id: number;
  deliveryId: string;
  createdAt: RealInstant;
  /** The trace to continue. Null when tracing is off. */
  traceparent: string | null;
}

/** What is due to one endpoint. */
export interface DuePart {
  /** In the outbox. */
  endpointKey: string;
  entries: BatchEntry[];
  /** In the order of the events. Without one whose row is gone. */
  deliveries: DeliveryToMake[];
}

type DueRow = { entry_id: number; delivery_id: string; entry_created_at: RealInstant; traceparent: string | null } & (
  | DeliveryToMakeRow
  | { id: null }
);

/**
 * Returns what is due of a batch: up to `maxInPart` entries of each endpoint, the oldest first, and 200 in all. It
 * passes over the endpoints whose keys are `busy`.
 */
export async function listDue(db: Db, workflowId: string, busy: readonly string[]): Promise<DuePart[]> {
  const key = db`right(i.subject_id, 10) collate "C"`;
  const ofBatch = db`i.workflow_type = 'webhookBatch' and i.workflow_id = ${workflowId}`;
  const rows = await db<DueRow[]>`
    with recursive keys as (
      (select ${key} as key from workflow_intents i where ${ofBatch} order by 1 limit 1)
      union all
      select (select ${key} from workflow_intents i where ${ofBatch} and ${key} > keys.key order by 1 limit 1)
      from keys where keys.key is not null
    ), due as materialized (
      select e.*
      from keys
      cross join lateral (
        select i.id as entry_id, i.subject_id as delivery_id, i.created_at as entry_created_at, i.traceparent
        from workflow_intents i
        where ${ofBatch} and ${key} = keys.key and i.available_at <= now()
        order by i.available_at, i.id
        limit ${maxInPart}
      ) e
      where keys.key <> all(${busy as string[]}::text[])
      limit ${maxAtOnce}
    )
    select due.*, made.* from due left join (${toMake(db)}) made on made.id = due.delivery_id
    order by made.sequence, made.id`;
  const parts = new Map<string, DuePart>();
  for (const { entry_id, delivery_id, entry_created_at, traceparent, ...row } of rows) {
    const endpointKey = endpointKeyOf(delivery_id);
    const part = parts.get(endpointKey) ?? { endpointKey, entries: [], deliveries: [] };
    parts.set(endpointKey, part);
    part.entries.push({ id: entry_id, deliveryId: delivery_id, createdAt: entry_created_at, traceparent });
    // A delivery has two entries if it is replayed before its attempt.
    if (row.id !== null && part.deliveries.at(-1)?.id !== row.id) part.deliveries.push(deliveryToMake(row));
  }
  return [...parts.values()];
}

/**
 * Takes entries out of their batch: the delivery gets a workflow of its own, and one that has ended needs none. Returns
 * how many get one.
 */
export async function leaveBatch(tx: Tx, ids: readonly number[]): Promise<number> {
  const ofBatch = tx`i.id = any(${ids as number[]}::bigint[]) and i.workflow_type = 'webhookBatch'`;
  const isEnded = tx`exists (select from webhook_deliveries d where d.id = i.subject_id and d.status <> 'pending')`;
  noteEnqueued(tx, 'deliveries');
  const left = await tx`
    with ended as (delete from workflow_intents i where ${ofBatch} and ${isEnded})
    update workflow_intents i
    set workflow_type = 'webhookDelivery', workflow_id = ${workflowIdOf('webhookDelivery', '')} || i.subject_id,
      signal = ${signals.poke.name}, available_at = now()
    where ${ofBatch} and not ${isEnded}`;
  return left.count;
}

/** An outbox entry of a delivery with a workflow of its own, and what the dispatcher must know of the delivery. */
export interface ClaimedDelivery extends ClaimedEntry {
  /** Null if there is no such delivery. */
  about: DeliveryAbout | null;
}

/** What a claim of deliveries found. */
export interface DeliveryClaim {
  entries: ClaimedDelivery[];
  /** The key of the last endpoint looked at, if there may be more to claim: the next claim goes on after it. */
  lastKey: string | null;
}

type FoundRow = ClaimedEntry & { [K in keyof DeliveryAbout]: DeliveryAbout[K] | null } & {
  found_keys: number;
  last_key: string | null;
};

/**
 * Claims outbox entries of deliveries with workflows of their own, as `claimBatch` does, but by endpoint: up to
 * `maxOfEndpoint` of each, in the order of the events. It passes over endpoints up to the key `after`. Its index finds
 * them whatever the backlog. `livemode` is the mode, or null for both.
 */
export async function claimDeliveries(
  db: Db,
  claimMs: number,
  { livemode, after }: { livemode: boolean | null; after: string },
): Promise<DeliveryClaim> {
  const key = db`right(i.subject_id, 10) collate "C"`;
  const ofDeliveries = db`i.workflow_type = 'webhookDelivery'`;
  const rows = await db<FoundRow[]>`
    with recursive keys as (
      (select ${key} as key from workflow_intents i where ${ofDeliveries} and ${key} > ${after} order by 1 limit 1)
      union all
      select (
        select ${key} from workflow_intents i where ${ofDeliveries} and ${key} > keys.key order by 1 limit 1
      ) from keys where keys.key is not null
    ), found as materialized (
      select key from keys where key is not null limit ${maxEndpoints}
    ), claimable as (
      select c.id
      from found k
      cross join lateral (
        select i.id from workflow_intents i
        where ${ofDeliveries} and ${key} = k.key and i.available_at <= now()
          ${livemode === null ? db`` : db`and i.livemode = ${livemode}`}
        order by i.available_at, i.id
        limit ${maxOfEndpoint}
        for update skip locked
      ) c
      limit ${maxAtOnce}
    ), claimed as (
      update workflow_intents
      set available_at = now() + ${claimMs}::integer * interval '1 millisecond', attempts = attempts + 1
      where id in (select id from claimable)
      returning id, workflow_id, workflow_type, subject_id, start, signal, attempts, created_at, traceparent
    )
    select k.found_keys, k.last_key, c.*, d.biller_id as "billerId", d.livemode, e.event_type as "eventType",
      d.endpoint_id as "endpointId", e.test_clock_id as "testClockId"
    from (select count(*)::integer as found_keys, max(key) as last_key from found) k
    left join claimed c on true
    left join webhook_deliveries d on d.id = c.subject_id
    left join events e on e.id = d.event_id
    order by e.sequence, c.id`;
  const [first] = rows;
  const entries = rows.flatMap(claimedDelivery);
  return { entries, lastKey: lastKeyOf(entries, first) };
}

/** Null if this claim has looked at all endpoints after `after`, and taken all that it may of each. */
function lastKeyOf(entries: readonly ClaimedDelivery[], found: FoundRow | undefined): string | null {
  // A full claim ends with the endpoint that filled it.
  if (entries.length >= maxAtOnce) return entries.map((entry) => endpointKeyOf(entry.subject_id)).reduce(later);
  const isMore = found?.found_keys === maxEndpoints || entries.length >= maxOfEndpoint;
  return isMore ? (found?.last_key ?? null) : null;
}

/** The later of two keys in the order of the index, which is that of bytes. */
function later(one: string, other: string): string {
  return one > other ? one : other;
}

function claimedDelivery(row: FoundRow): ClaimedDelivery[] {
  const { billerId, livemode, eventType, endpointId, testClockId, found_keys, last_key, ...entry } = row;
  if (entry.id === null) return [];
  const isFound = billerId !== null && livemode !== null && eventType !== null && endpointId !== null;
  return [{ ...entry, about: isFound ? { billerId, livemode, eventType, endpointId, testClockId } : null }];
}
