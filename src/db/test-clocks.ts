import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { TenantKey } from './tenant.ts';

export interface TestClockRow {
  id: Id<'test_clock'>;
  biller_id: Id<'biller'>;
  livemode: false;
  name: string | null;
  status: 'created' | 'advancing' | 'ready' | 'failed';
  frozen_time: CustomerInstant;
  target_time: CustomerInstant | null;
  expires_at: RealInstant;
  last_advanced_at: RealInstant | null;
  failure_reason: string | null;
  created_at: RealInstant;
}

/** The column `manifest`: counts of what an advance did. */
export interface EffectsManifest {
  payment_intents_enqueued: number;
  links_expired: number;
  subscriptions_rolled: number;
  plans_recalculated: number;
}

export interface ClockAdvanceRow {
  id: Id<'clock_advance'>;
  test_clock_id: Id<'test_clock'>;
  from_time: CustomerInstant;
  target_time: CustomerInstant;
  status: 'advancing' | 'ready' | 'failed';
  manifest: EffectsManifest | null;
  failure_reason: string | null;
  request_id: string;
  requested_at: RealInstant;
  finished_at: RealInstant | null;
}

/** Stores a new clock. */
export async function insertClock(tx: Tx, row: TestClockRow): Promise<void> {
  await tx`insert into test_clocks ${tx(row)}`;
}

/** The clock of this biller and mode, or null. */
export async function selectClock(db: Db, tenant: TenantKey, id: string): Promise<TestClockRow | null> {
  const [row] = await db<TestClockRow[]>`
    select * from test_clocks
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The id of the clock that a plan or a subscription is on. Null in real time; undefined if it was deleted. */
export async function selectClockIdOf(
  db: Db,
  table: 'payment_plans' | 'subscriptions',
  id: string,
): Promise<string | null | undefined> {
  const [row] = await db<{ test_clock_id: string | null }[]>`select test_clock_id from ${db(table)} where id = ${id}`;
  return row?.test_clock_id;
}

/** Identifies a test clock. All test clocks are in the sandbox. */
export interface ClockKey {
  id: string;
  biller_id: Id<'biller'>;
}

/** Returns those of the given clocks that are advancing. */
export async function listAdvancing(db: Db, clocks: readonly ClockKey[]): Promise<ClockKey[]> {
  return db<ClockKey[]>`
    select id, biller_id
    from test_clocks
    join unnest(${clocks.map(({ id }) => id)}::text[], ${clocks.map((clock) => clock.biller_id)}::text[])
      as asked (id, biller_id) using (id, biller_id)
    where status = 'advancing'`;
}

/**
 * Takes a share lock on the clock until the transaction ends. No advance starts or ends meanwhile. Other transactions
 * may share the lock.
 */
export async function shareLockClock(tx: Tx, id: string): Promise<TestClockRow | null> {
  const [row] = await tx<TestClockRow[]>`select * from test_clocks where id = ${id} for share`;
  return row ?? null;
}

/** As `shareLockClock`, for a clock of this biller and mode. */
export async function shareLockClockOf(tx: Tx, tenant: TenantKey, id: string): Promise<TestClockRow | null> {
  const [row] = await tx<TestClockRow[]>`
    select * from test_clocks
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
    for share`;
  return row ?? null;
}

/** Locks the clock for update. */
export async function lockClock(tx: Tx, id: string): Promise<TestClockRow | null> {
  const [row] = await tx<TestClockRow[]>`select * from test_clocks where id = ${id} for update`;
  return row ?? null;
}

/** Counts the biller's clocks that are neither deleted nor failed. */
export async function countActiveClocks(tx: Tx, tenant: TenantKey): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from test_clocks
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and status <> 'failed'`;
  return row?.count ?? 0;
}

/**
 * Changes a locked clock and returns the new row.
 * @throws if the clock does not exist.
 */
export async function updateClock(
  tx: Tx,
  id: string,
  change: Partial<Pick<TestClockRow, 'status' | 'frozen_time' | 'target_time' | 'last_advanced_at' | 'failure_reason'>>,
): Promise<TestClockRow> {
  const [row] = await tx<TestClockRow[]>`update test_clocks set ${tx(change)} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`test clock ${id} is gone`);
  return row;
}

/**
 * Notes how far the open advance of a clock has come (the clock's time), for a subject that is to have been due
 * earlier: it acts at this time.
 */
export async function noteReached(db: Db, clockId: string, at: CustomerInstant): Promise<void> {
  await db`
    update test_clocks set reached_time = ${at}
    where id = ${clockId} and status = 'advancing' and reached_time is distinct from ${at}`;
}

/** Deletes a clock for good, with its customers and everything that belongs to them. Events stay. */
export async function deleteClockRow(tx: Tx, id: string): Promise<void> {
  await tx`delete from test_clocks where id = ${id}`;
}

/** Records an accepted advance. */
export async function insertAdvance(
  tx: Tx,
  advance: Pick<ClockAdvanceRow, 'id' | 'test_clock_id' | 'from_time' | 'target_time' | 'request_id' | 'requested_at'>,
): Promise<void> {
  await tx`insert into clock_advances ${tx({ ...advance, status: 'advancing' })}`;
}

/** The advance of a clock that is not finished yet, or null. */
export async function selectOpenAdvance(db: Db, testClockId: string): Promise<ClockAdvanceRow | null> {
  const [row] = await db<ClockAdvanceRow[]>`
    select * from clock_advances where test_clock_id = ${testClockId} and status = 'advancing'`;
  return row ?? null;
}

/** The clock of any biller, or null if it was deleted. Only for its own workflow. */
export async function selectClockById(db: Db, id: string): Promise<TestClockRow | null> {
  const [row] = await db<TestClockRow[]>`select * from test_clocks where id = ${id}`;
  return row ?? null;
}

/** Ends an advance, once: an advance that has ended does not change. */
export async function finishAdvance(
  tx: Tx,
  id: string,
  outcome: { manifest: EffectsManifest } | { failureReason: string },
  now: RealInstant,
): Promise<void> {
  const manifest = 'manifest' in outcome ? outcome.manifest : null;
  const failureReason = 'manifest' in outcome ? null : outcome.failureReason;
  await tx`
    update clock_advances
    set status = ${manifest === null ? 'failed' : 'ready'}, manifest = ${jsonb(tx, manifest)},
      failure_reason = ${failureReason}, finished_at = ${now}
    where id = ${id} and status = 'advancing'`;
}

/**
 * Counts the payment intents that an advance tried to charge, the plans that it changed, and the subscriptions of which
 * a period began. It counts attempts after
 * `from` and up to `target` (the clock's time). Attempts at `from` itself come from an activation or a resume before
 * the advance. What a bank reports about a debit is no attempt, but it changes the debit's plan.
 */
export async function countEffects(
  tx: Tx,
  testClockId: string,
  from: CustomerInstant,
  target: CustomerInstant,
): Promise<{ intents: number; plans: number; subscriptions: number }> {
  const [row] = await tx<{ intents: number; plans: number; subscriptions: number }[]>`
    with attempted as (
      select distinct i.id, i.payment_plan_id
      from customers c
      join payment_intents i on i.customer_id = c.id
      join payment_attempts a on a.payment_intent_id = i.id
      where c.test_clock_id = ${testClockId} and a.at > ${from} and a.at <= ${target}
    )
    select (select count(*) from attempted)::integer as intents, count(*)::integer as plans, (
      select count(distinct s.id) from subscriptions s
      join subscription_periods p on p.subscription_id = s.id
      where s.test_clock_id = ${testClockId} and p.status <> 'void' and p.began_at > ${from} and p.began_at <= ${target}
    )::integer as subscriptions from (
      select payment_plan_id from attempted where payment_plan_id is not null
      union
      select payment_plan_id from bank_debits
      where test_clock_id = ${testClockId} and payment_plan_id is not null and (
        result_at > ${from} and result_at <= ${target} or returned_at > ${from} and returned_at <= ${target}
      )
    ) plans`;
  return { intents: row?.intents ?? 0, plans: row?.plans ?? 0, subscriptions: row?.subscriptions ?? 0 };
}
