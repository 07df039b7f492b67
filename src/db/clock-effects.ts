import type { Id } from '../domain/ids.ts';
import type { CustomerInstant, Instant } from '../domain/instants.ts';
import type { SlotNumber } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import type { Page } from './tenant.ts';

/** The facts about an attempt that the intent's event does not contain. */
export interface AttemptFacts {
  number: number;
  slot: SlotNumber | null;
  /** Biller-local date. */
  due_date: string | null;
}

/** An event that an advance of a test clock caused. `at` (the clock's time) is the column `created_at`. */
export interface EffectEventRow {
  advance_id: Id<'clock_advance'>;
  event_id: Id<'event'>;
  event_type: string;
  subject_id: string;
  at: CustomerInstant;
  data: object;
}

/** Which events: those of one advance, or of all that a clock made. */
interface EffectFilter {
  advanceId: string | undefined;
  types: readonly string[];
}

/**
 * The events `e` of these types that a clock's advances `a` caused, as the end of a select.
 *
 * While a clock advances, nothing else writes about its customers. So the events of an advance are those after the time
 * at which it started, up to the `test_clock.ready` that ended it. Later requests at exactly the target time come after
 * that event.
 */
const eventsOfAdvances = (db: Db, testClockId: string, { advanceId, types }: EffectFilter) => db`
  from clock_advances a
  join events e on e.test_clock_id = a.test_clock_id and e.created_at > a.from_time and e.created_at <= a.target_time
  where a.test_clock_id = ${testClockId}
    ${advanceId === undefined ? db`` : db`and a.id = ${advanceId}`}
    and e.event_type = any(${types})
    and not exists (
      select 1 from events ready
      where ready.test_clock_id = a.test_clock_id and ready.event_type = 'test_clock.ready'
        and ready.created_at = a.target_time and ready.sequence < e.sequence
    )`;

/** A page of these events, in the order of the clock's time, with one extra row if more follow. */
export async function listEffectEvents(
  db: Db,
  testClockId: string,
  filter: EffectFilter,
  { limit, after }: Page,
): Promise<EffectEventRow[]> {
  return db<EffectEventRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'data'),
    db`
      select a.id as advance_id, e.id as event_id, e.event_type, e.subject_id, e.created_at as at, e.data
      ${eventsOfAdvances(db, testClockId, filter)}
        ${
          after === undefined
            ? db``
            : db`and (e.created_at, e.sequence) > (select created_at, sequence from events where id = ${after})`
        }
      order by e.created_at, e.sequence
      limit ${limit + 1}`,
  )}`;
}

/** What a clock's advances have brought about bank debits. */
export interface DebitCounts {
  accepted: number;
  settled: number;
  failed: number;
  returned: number;
}

/** Counts the steps of bank debits that a clock's advances caused, or one of them. */
export async function countDebitEffects(
  db: Db,
  testClockId: string,
  advanceId: string | undefined,
): Promise<DebitCounts> {
  const types = ['processing', 'succeeded', 'failed', 'returned'].map((step) => `payment_intent.${step}`);
  const of = (type: string) => db`(count(*) filter (where event_type = ${`payment_intent.${type}`}))::integer`;
  const [row] = await db<DebitCounts[]>`
    select ${of('processing')} as accepted, ${of('succeeded')} as settled, ${of('failed')} as failed,
      ${of('returned')} as returned
    from (select e.event_type, e.subject_id, e.created_at ${eventsOfAdvances(db, testClockId, { advanceId, types })}) e
    where exists (
      select from bank_debits d
      where d.payment_intent_id = e.subject_id
        and (e.event_type = 'payment_intent.processing' or e.created_at in (d.result_at, d.returned_at))
    )`;
  return row ?? { accepted: 0, settled: 0, failed: 0, returned: 0 };
}

/**
 * Returns, for each intent and instant (the clock's time), the attempt made at that instant, or the last one before it:
 * banks report on debits later. With the plan slot that it paid. Null if the intent does not exist.
 */
export async function listAttemptFacts(
  db: Db,
  attempts: { intentId: string; at: Instant }[],
): Promise<(AttemptFacts | null)[]> {
  if (attempts.length === 0) return [];
  const rows = await db<(AttemptFacts & { position: number })[]>`
    select w.position::integer, i.payment_plan_slot as slot, s.due_date, a.number
    from unnest(
      ${attempts.map(({ intentId }) => intentId)}::text[], ${attempts.map(({ at }) => at.toISOString())}::timestamptz[]
    ) with ordinality as w (intent_id, at, position)
    join payment_intents i on i.id = w.intent_id
    left join payment_plan_slots s on s.payment_intent_id = i.id
    cross join lateral (
      select coalesce(min(number) filter (where at = w.at), max(number)) as number
      from payment_attempts where payment_intent_id = i.id and at <= w.at
    ) a`;
  const byPosition = new Map(rows.map(({ position, ...facts }) => [position, facts]));
  return attempts.map((_, index) => byPosition.get(index + 1) ?? null);
}

/** Returns the ids of those intents and payouts that exist. */
export async function listExistingIds(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db<{ id: string }[]>`
    select id from payment_intents where id = any(${ids}) union all select id from payouts where id = any(${ids})`;
  return new Set(rows.map(({ id }) => id));
}
