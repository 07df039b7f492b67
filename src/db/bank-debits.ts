import type { PlainDate } from '../domain/calendar.ts';
import type { Scheme } from '../domain/schemes/schemes.ts';
import { all } from '../platform/all-settled.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { DueRow } from './due-on-clock.ts';

/** The course of an attempt that is a debit under a mandate. Its outcome is that of the attempt. */
export interface BankDebitRow {
  attempt_id: string;
  biller_id: string;
  livemode: boolean;
  payment_intent_id: string;
  payment_plan_id: string | null;
  test_clock_id: string | null;
  mandate_id: string;
  scheme: Scheme;
  lodgement_reference: string;
  charge_date: PlainDate;
  hand_over_at: Date;
  submitted_at: Date | null;
  lodged_at: Date | null;
  expected_result_at: Date;
  result_at: Date | null;
  returnable_until: PlainDate | null;
  returned_at: Date | null;
  bank_code: string | null;
  next_at: Date | null;
}

/** The columns that change in the course of a debit. */
export type DebitChange = Partial<
  Omit<
    BankDebitRow,
    | 'attempt_id'
    | 'biller_id'
    | 'livemode'
    | 'payment_intent_id'
    | 'payment_plan_id'
    | 'test_clock_id'
    | 'mandate_id'
    | 'scheme'
    | 'lodgement_reference'
  >
>;

/**
 * Stores an accepted debit. All its statements are sent at once. If it is for a plan, the plan is locked, and wakes for
 * the debit's next step.
 */
export async function insertDebit(tx: Tx, row: BankDebitRow): Promise<void> {
  const insert = async () => void (await tx`insert into bank_debits ${tx({ ...row })}`);
  await all([insert(), noteNextStep(tx, row, row.next_at)]);
}

/**
 * Changes a debit whose intent is locked, in the same way. If it is for a plan, the plan is locked too, and wakes for
 * its next step.
 */
export async function updateDebit(
  tx: Tx,
  debit: Pick<BankDebitRow, 'attempt_id' | 'payment_plan_id'>,
  change: DebitChange,
): Promise<void> {
  const update = async () =>
    void (await tx`update bank_debits set ${tx(change)} where attempt_id = ${debit.attempt_id}`);
  await all([update(), change.next_at === undefined ? null : noteNextStep(tx, debit, change.next_at)]);
}

/**
 * The one place that writes `payment_plans.next_debit_at`. It reads the plan's other debits only, so that it can be
 * sent together with the change of this one.
 */
async function noteNextStep(
  tx: Tx,
  { attempt_id: id, payment_plan_id: planId }: Pick<BankDebitRow, 'attempt_id' | 'payment_plan_id'>,
  nextAt: Date | null,
): Promise<void> {
  if (planId === null) return;
  await tx`
    update payment_plans set next_debit_at = least(${nextAt}::timestamptz, (
      select min(next_at) from bank_debits
      where payment_plan_id = ${planId} and next_at is not null and attempt_id <> ${id}
    ))
    where id = ${planId}`;
}

/** The debit of this attempt, or null. Its intent is locked if the debit is to be changed. */
export async function selectDebit(db: Db, attemptId: string): Promise<BankDebitRow | null> {
  const [row] = await db<BankDebitRow[]>`select * from bank_debits where attempt_id = ${attemptId}`;
  return row ?? null;
}

/** The debit of an intent's last attempt, or null if that attempt is none. */
export async function selectLastDebit(db: Db, paymentIntentId: string): Promise<BankDebitRow | null> {
  const [row] = await db<BankDebitRow[]>`
    select d.* from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    join payment_intents i on i.id = a.payment_intent_id and i.attempt_count = a.number
    where i.id = ${paymentIntentId}`;
  return row ?? null;
}

/** The debit of a locked plan whose next step is due first, or null. At the same instant, the older comes first. */
export async function selectFirstDebitOfPlan(db: Db, planId: string): Promise<BankDebitRow | null> {
  const [row] = await db<BankDebitRow[]>`
    select * from bank_debits where payment_plan_id = ${planId} and next_at is not null
    order by next_at, attempt_id
    limit 1`;
  return row ?? null;
}

/** What to find accepted debits by: their plan, their mandate, or the method or the customer of their mandate. */
export type DebitFilter = { planId: string } | { mandateId: string } | { methodId: string } | { customerId: string };

/**
 * The debits that were accepted and not handed to the bank yet, oldest first. They may change until they are locked.
 */
export async function listAcceptedDebits(db: Db, filter: DebitFilter): Promise<BankDebitRow[]> {
  const ofMandates = (column: string, id: string) =>
    db`d.mandate_id in (select id from mandates where ${db(column)} = ${id})`;
  const condition =
    'planId' in filter
      ? db`d.payment_plan_id = ${filter.planId}`
      : 'mandateId' in filter
        ? db`d.mandate_id = ${filter.mandateId}`
        : 'methodId' in filter
          ? ofMandates('payment_method_id', filter.methodId)
          : ofMandates('customer_id', filter.customerId);
  return db<BankDebitRow[]>`
    select d.* from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where ${condition} and d.next_at is not null and a.outcome = 'accepted'
    order by d.attempt_id`;
}

/** How many attempts of an intent were withdrawn before the hand-over, up to this number. They count for nothing. */
export async function countWithdrawn(db: Db, paymentIntentId: string, upTo: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from payment_attempts
    where payment_intent_id = ${paymentIntentId} and number <= ${upTo} and code = 'debit_withdrawn'`;
  return row?.count ?? 0;
}

/** The debits of single payments on a test clock with a step due up to `target` (the clock's time). */
export async function listDebitsDueOnClock(db: Db, testClockId: string, target: Date): Promise<DueRow[]> {
  return db<DueRow[]>`
    select d.attempt_id as id, d.next_at as at, m.customer_id, true as has_mandate from bank_debits d
    join mandates m on m.id = d.mandate_id
    where d.test_clock_id = ${testClockId} and d.payment_plan_id is null and d.next_at <= ${target}
    order by d.next_at, d.attempt_id`;
}

/** Locks the payments of all single debits on a test clock that have a next step, before they are deleted. */
export async function lockDebitsOnClock(tx: Tx, testClockId: string): Promise<{ id: string; livemode: boolean }[]> {
  return tx<{ id: string; livemode: boolean }[]>`
    select d.attempt_id as id, d.livemode from bank_debits d
    join payment_intents i on i.id = d.payment_intent_id
    where d.test_clock_id = ${testClockId} and d.payment_plan_id is null and d.next_at is not null
    order by d.attempt_id
    for update of i`;
}
