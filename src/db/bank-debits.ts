import type { PlainDate } from '../domain/calendar.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Scheme } from '../domain/schemes/schemes.ts';
import { all } from '../platform/all-settled.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';

/** The course of an attempt that is a debit under a mandate. Its outcome is that of the attempt. */
export interface BankDebitRow {
  attempt_id: Id<'payment_attempt'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  payment_intent_id: Id<'payment_intent'>;
  payment_plan_id: Id<'payment_plan'> | null;
  /** The subscription that it is for. */
  subscription_id: Id<'subscription'> | null;
  test_clock_id: Id<'test_clock'> | null;
  mandate_id: Id<'mandate'>;
  scheme: Scheme;
  lodgement_reference: string;
  charge_date: PlainDate;
  hand_over_at: CustomerInstant;
  submitted_at: CustomerInstant | null;
  lodged_at: CustomerInstant | null;
  expected_result_at: CustomerInstant;
  result_at: CustomerInstant | null;
  returnable_until: PlainDate | null;
  returned_at: CustomerInstant | null;
  bank_code: string | null;
  next_at: CustomerInstant | null;
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
    | 'subscription_id'
    | 'test_clock_id'
    | 'mandate_id'
    | 'scheme'
    | 'lodgement_reference'
  >
>;

/** What a debit is for, if that takes the debit's steps itself. */
export type DebitOwner = Pick<BankDebitRow, 'payment_plan_id' | 'subscription_id'>;

/** Whether a workflow of its own takes the steps of a debit: that of a single payment. */
export function hasOwnWorkflow({ payment_plan_id: planId, subscription_id: subscriptionId }: DebitOwner): boolean {
  return planId === null && subscriptionId === null;
}

/**
 * Stores an accepted debit. All its statements are sent at once. If it is for a plan or a subscription, that is locked,
 * and wakes for the debit's next step.
 */
export async function insertDebit(tx: Tx, row: BankDebitRow): Promise<void> {
  const insert = async () => void (await tx`insert into bank_debits ${tx({ ...row })}`);
  await all([insert(), noteNextStep(tx, row, row)]);
}

/** Changes a debit whose intent is locked, in the same way. */
export async function updateDebit(
  tx: Tx,
  debit: Pick<BankDebitRow, 'attempt_id'> & DebitOwner,
  change: DebitChange,
): Promise<void> {
  const { next_at } = change;
  const update = async () =>
    void (await tx`update bank_debits set ${tx(change)} where attempt_id = ${debit.attempt_id}`);
  await all([
    update(),
    next_at === undefined ? null : noteNextStep(tx, debit, { attempt_id: debit.attempt_id, next_at }),
  ]);
}

/** A locked plan or subscription has a new challenge that ends, or no longer has one: it wakes for what comes first. */
export async function noteChallenge(
  tx: Tx,
  owner: { planId: Id<'payment_plan'> } | { subscriptionId: Id<'subscription'> },
): Promise<void> {
  const ids =
    'planId' in owner
      ? { payment_plan_id: owner.planId, subscription_id: null }
      : { payment_plan_id: null, subscription_id: owner.subscriptionId };
  await noteNextStep(tx, ids, null);
}

/**
 * The one place that writes `next_debit_at` of plans and subscriptions. Of debits it reads the others only, so that it
 * can be sent together with the change of this one.
 */
async function noteNextStep(
  tx: Tx,
  { payment_plan_id: planId, subscription_id: subscriptionId }: DebitOwner,
  changed: Pick<BankDebitRow, 'attempt_id' | 'next_at'> | null,
): Promise<void> {
  const ownerId = planId ?? subscriptionId;
  if (ownerId === null) return;
  const [table, column, payments] =
    planId === null
      ? ['subscriptions', 'subscription_id', 'subscription_periods']
      : ['payment_plans', 'payment_plan_id', 'payment_plan_slots'];
  await tx`
    update ${tx(table)} set next_debit_at = least(
      ${changed?.next_at ?? null}::timestamptz,
      (select min(next_at) from bank_debits where ${tx(column)} = ${ownerId}
        and next_at is not null and attempt_id is distinct from ${changed?.attempt_id ?? null}),
      (select min(challenge_ends_at) from ${tx(payments)} where ${tx(column)} = ${ownerId} and status = 'processing')
    )
    where id = ${ownerId}`;
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

/**
 * The debit of a locked plan or subscription whose next step is due first, or null. At the same instant, the one that
 * was accepted first comes first, and then that of the older payment.
 */
export async function selectFirstDebitOf(
  db: Db,
  owner: { planId: Id<'payment_plan'> } | { subscriptionId: Id<'subscription'> },
): Promise<BankDebitRow | null> {
  const isOwn =
    'planId' in owner ? db`d.payment_plan_id = ${owner.planId}` : db`d.subscription_id = ${owner.subscriptionId}`;
  const [row] = await db<BankDebitRow[]>`
    select d.* from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where ${isOwn} and d.next_at is not null
    order by d.next_at, a.at, d.payment_intent_id, d.attempt_id
    limit 1`;
  return row ?? null;
}

/** What to find accepted debits by: their plan, subscription or mandate, or the method or customer of their mandate. */
export type DebitFilter =
  | { planId: Id<'payment_plan'> }
  | { subscriptionId: Id<'subscription'> }
  | { mandateId: Id<'mandate'> }
  | { methodId: Id<'payment_method'> }
  | { customerId: Id<'customer'> };

/**
 * The debits that were accepted and not handed to the bank yet, oldest first. They may change until they are locked.
 */
export async function listAcceptedDebits(db: Db, filter: DebitFilter): Promise<BankDebitRow[]> {
  const ofMandates = (column: string, id: string) =>
    db`d.mandate_id in (select id from mandates where ${db(column)} = ${id})`;
  const condition =
    'planId' in filter
      ? db`d.payment_plan_id = ${filter.planId}`
      : 'subscriptionId' in filter
        ? db`d.subscription_id = ${filter.subscriptionId}`
        : 'mandateId' in filter
          ? db`d.mandate_id = ${filter.mandateId}`
          : 'methodId' in filter
            ? ofMandates('payment_method_id', filter.methodId)
            : ofMandates('customer_id', filter.customerId);
  return db<BankDebitRow[]>`
    select d.* from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where ${condition} and d.next_at is not null and a.outcome = 'accepted'
    order by a.at, d.payment_intent_id, d.attempt_id`;
}

/** How many attempts of an intent were withdrawn before the hand-over, up to this number. They count for nothing. */
export async function countWithdrawn(db: Db, paymentIntentId: string, upTo: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from payment_attempts
    where payment_intent_id = ${paymentIntentId} and number <= ${upTo} and code = 'debit_withdrawn'`;
  return row?.count ?? 0;
}

/** `hasOwnWorkflow` of the debit `d`. */
export function withoutOwner(db: Db) {
  return db`d.payment_plan_id is null and d.subscription_id is null`;
}
