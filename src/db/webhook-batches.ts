import type { Id } from '../domain/ids.ts';
import type { DeliveryAbout } from '../messages/search-attributes.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { ClaimedEntry } from '../platform/postgres/outbox.ts';

/** How many deliveries one batch carries at most. */
export const maxInBatch = 200;
/** Claims of one endpoint that does not respond promptly: each delivery gets a workflow of its own. */
const maxAlone = 20;
/** How many endpoints one claim looks at. The next claim looks at those that follow. */
const maxEndpoints = 100;

/** An outbox entry of a delivery, and what the dispatcher must know of the delivery. */
export interface ClaimedDelivery extends ClaimedEntry {
  /** Null if there is no such delivery. */
  about: DeliveryAbout | null;
  sequence: number;
  /** The delivery has had no attempt in its present series, and its endpoint responds promptly and does not fail. */
  may_travel: boolean;
}

/** What a claim of deliveries found. */
export interface DeliveryClaim {
  entries: ClaimedDelivery[];
  /** The key of the last endpoint looked at, if there may be more to claim: the next claim goes on after it. */
  lastKey: string | null;
}

/** Returns the key under which the outbox has a delivery's endpoint: the end that both ids share (`deliveryId`). */
export function endpointKeyOf(deliveryId: string): string {
  return deliveryId.slice(-10);
}

type FoundRow = ClaimedEntry & { [K in keyof DeliveryAbout]: DeliveryAbout[K] | null } & {
  found_keys: number;
  last_key: string | null;
  sequence: number | null;
  may_travel: boolean;
};

/**
 * Claims outbox entries of deliveries, as `claimBatch` does, but by endpoint: up to `maxInBatch` of one that responds
 * promptly. It passes over the endpoints whose keys are `busy`, and those up to the key `after`. Its index finds them
 * whatever the backlog. `livemode` is the mode, or null for both.
 */
export async function claimDeliveries(
  db: Db,
  claimMs: number,
  { livemode, busy, after }: { livemode: boolean | null; busy: readonly string[]; after: string },
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
    ), free as materialized (
      select key from keys where key is not null and key <> all(${busy as string[]}::text[]) limit ${maxEndpoints}
    ), claimable as (
      select c.id
      from free k
      cross join lateral (
        select coalesce(${isPrompt(db)}, false) as is_prompt
        from (
          select i.subject_id from workflow_intents i where ${ofDeliveries} and ${key} = k.key
          order by i.available_at, i.id limit 1
        ) f
        left join webhook_deliveries d on d.id = f.subject_id
        left join webhook_endpoints w on w.id = d.endpoint_id
      ) e
      cross join lateral (
        select i.id from workflow_intents i
        where ${ofDeliveries} and ${key} = k.key and i.available_at <= now()
          ${livemode === null ? db`` : db`and i.livemode = ${livemode}`}
        order by i.available_at, i.id
        limit case when e.is_prompt then ${maxInBatch}::integer else ${maxAlone}::integer end
        for update skip locked
      ) c
      limit ${maxInBatch}
    ), claimed as (
      update workflow_intents
      set available_at = now() + ${claimMs}::integer * interval '1 millisecond', attempts = attempts + 1
      where id in (select id from claimable)
      returning id, workflow_id, workflow_type, subject_id, start, signal, attempts, created_at, traceparent
    )
    select k.found_keys, k.last_key, c.*, d.biller_id as "billerId", d.livemode, e.event_type as "eventType",
      d.endpoint_id as "endpointId", e.test_clock_id as "testClockId", e.sequence,
      coalesce(${isPrompt(db)} and d.status = 'pending' and d.attempt_count = d.series_start, false) as may_travel
    from (select count(*)::integer as found_keys, max(key) as last_key from free) k
    left join claimed c on true
    left join webhook_deliveries d on d.id = c.subject_id
    left join events e on e.id = d.event_id
    left join webhook_endpoints w on w.id = d.endpoint_id
    order by e.sequence, c.id`;
  const [first] = rows;
  const entries = rows.flatMap(claimedDelivery);
  return { entries, lastKey: lastKeyOf(entries, first) };
}

/** Null if this claim has looked at all endpoints after `after`, and taken all that it may of each. */
function lastKeyOf(entries: readonly ClaimedDelivery[], found: FoundRow | undefined): string | null {
  // A full claim ends with the endpoint that filled it.
  if (entries.length >= maxInBatch) return entries.map((entry) => endpointKeyOf(entry.subject_id)).reduce(later);
  const isMore = found?.found_keys === maxEndpoints || entries.length >= maxAlone;
  return isMore ? (found?.last_key ?? null) : null;
}

/** The later of two keys in the order of the index, which is that of bytes. */
function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** SQL condition: the endpoint `w` responds promptly and does not fail. */
function isPrompt(db: Db) {
  return db`(w.responds_promptly and w.failing_since is null)`;
}

function claimedDelivery(row: FoundRow): ClaimedDelivery[] {
  const { billerId, livemode, eventType, endpointId, testClockId, sequence, found_keys, last_key, ...entry } = row;
  if (entry.id === null) return [];
  const isFound = billerId !== null && livemode !== null && eventType !== null && endpointId !== null;
  const about = isFound ? { billerId, livemode, eventType, endpointId, testClockId } : null;
  return [{ ...entry, about, sequence: sequence ?? 0 }];
}

/** Returns those of these deliveries whose present series has had no attempt, in the order of `ids`. */
export async function listUnattempted(
  db: Db,
  ids: readonly string[],
): Promise<{ id: Id<'webhook_delivery'>; livemode: boolean; endpoint_id: Id<'webhook_endpoint'> }[]> {
  return db<{ id: Id<'webhook_delivery'>; livemode: boolean; endpoint_id: Id<'webhook_endpoint'> }[]>`
    select d.id, d.livemode, d.endpoint_id from unnest(${ids as string[]}::text[]) with ordinality as listed (id, nth)
    join webhook_deliveries d on d.id = listed.id
    where d.status = 'pending' and d.attempt_count = d.series_start
    order by listed.nth`;
}
