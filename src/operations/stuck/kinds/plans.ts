import type { OpenSlotRow } from '../../../db/payment-plan-slots.ts';
import { editedPlans } from '../../../db/payment-plans.ts';
import { retryDays } from '../../../domain/dunning.ts';
import { type CustomerInstant, customerInstant } from '../../../domain/instants.ts';
import type { MinorUnits } from '../../../domain/units.ts';
import { slotInWords } from '../../../messages/slot-in-words.ts';
import { workflowIdOf } from '../../../messages/workflow-types.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { RealInstant } from '../../../platform/real-time.ts';
import { clockToleranceMs } from '../../../services/customer-time.ts';
import { type DatedPlan, otherAmount, wrongDates, wrongTerms } from '../../../services/plans/plan-consistency.ts';
import type { StuckKind } from '../reading/find-stuck.ts';
import { opsCommand } from '../reading/ops-command.ts';

type SlotInstant = 'first_failed_at' | 'next_attempt_at' | 'last_result_at';

/** A plan whose rows do not agree. */
interface InconsistentPlan extends DatedPlan {
  at: CustomerInstant;
  /** Its open slots, as JSON, each with the amount of its payment. */
  open: (Omit<OpenSlotRow, SlotInstant> & Record<SlotInstant, string | null> & { intent_amount: MinorUnits })[];
  /** The slots that have a payment and no row. */
  without_row: number[] | null;
}

/**
 * Plans with a date that is missing or wrong, plans whose amounts or state are not as the service has written them, and
 * plans with a payment under way for a slot without a row, or unpaid for a slot of another amount. The rules are those
 * of `wrongDates` and `wrongTerms`. They are wrong from the moment they are found, and since when is not known. Each
 * part has an index of its own, so that healthy plans cost nothing.
 */
export const planInconsistent: StuckKind<InconsistentPlan> = {
  kind: 'plan_inconsistent',
  meaning:
    'A plan’s amounts, state or dates are not those that the service has given it, or a slot is lost. Nothing is charged.',
  after: 0,
  rows: (db, { now }) => db`
    select id as subject_id, biller_id, livemode, null::timestamptz as since
    from payment_plans
    where id in (
      ${withoutNextDate(db)} union ${offCalendar(db)} union ${withoutItsRetry(db)} union ${withWrongRetry(db, now)}
      union ${chargedWithoutSlot(db)} union ${editedPlans(db)} union ${ofAnotherAmount(db)}
    )`,
  facts: (db, { now }) => db`
    select p.*, b.time_zone, ${customerTime(db, now)} as at,
      (select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object('intent_amount', i.amount) order by s.slot), '[]')
        from payment_plan_slots s join payment_intents i on i.id = s.payment_intent_id
        where s.payment_plan_id = p.id and s.status in ('processing', 'retrying', 'failed', 'returned')) as open,
      (select array_agg(i.payment_plan_slot order by i.payment_plan_slot) from payment_intents i
        where i.payment_plan_id = p.id
          and not exists (select 1 from payment_plan_slots s where s.payment_intent_id = i.id)) as without_row
    from payment_plans p
    join billers b on b.id = p.biller_id
    left join test_clocks k on k.id = p.test_clock_id
    where p.id = f.subject_id`,
  say: ({ subject_id: id, ...plan }) => ({
    why: whyInconsistent(plan),
    remedy: `${opsCommand('recalculate', id)} (with --dry-run it only shows the correction).`,
    workflowId: workflowIdOf('paymentPlan', id ?? ''),
  }),
};

function whyInconsistent({ open, without_row: lost, at, ...plan }: InconsistentPlan): string {
  const dateOf = (text: string | null) => (text === null ? null : customerInstant(text));
  const slots = open.map((slot) => ({
    ...slot,
    first_failed_at: dateOf(slot.first_failed_at),
    last_result_at: dateOf(slot.last_result_at),
    next_attempt_at: dateOf(slot.next_attempt_at),
  }));
  const { currency } = plan;
  const reasons = [
    ...wrongTerms(plan),
    ...slots
      .filter((slot) => slot.amount !== slot.intent_amount)
      .map((slot) => otherAmount(slot, { amount: slot.intent_amount, currency })),
    ...wrongDates(plan, slots, at).map(({ why }) => why),
    ...(lost ?? []).map((slot) => `${slotInWords(slot)} has a payment, but its row is lost`),
  ];
  return reasons.join('; ') || 'it was corrected meanwhile';
}

const customerTime = (db: Db, now: RealInstant) => db`coalesce(k.target_time, k.frozen_time, ${now}::timestamptz)`;

const withoutNextDate = (db: Db) => db`
  select p.id from payment_plans p
  where p.state = 'active' and p.next_due_at is null and (
    p.total_amount_cents is null
    or p.total_amount_cents > p.collected_amount_cents + (
      select coalesce(sum(s.amount), 0) from payment_plan_slots s
      where s.payment_plan_id = p.id and s.status in ('processing', 'retrying', 'failed', 'returned')
    )
  )`;

const offCalendar = (db: Db) => db`
  select id from payment_plans
  where state = 'active'
    and not is_near_slot(frequency_type, frequency_period, start_date, first_date, next_slot, next_due_at)`;

/** Also a plan that is not active, and so should have no retry. */
const withoutItsRetry = (db: Db) => db`
  select id from (select id, next_attempt_at from payment_plans where next_attempt_at is not null) p
  full join (
    select payment_plan_id as id, min(next_attempt_at) as earliest from payment_plan_slots
    where status = 'retrying' group by payment_plan_id
  ) s using (id)
  where p.next_attempt_at is distinct from s.earliest`;

/**
 * A debit is retried by the business days of its scheme, which PostgreSQL does not know: only a date that is far from
 * any rule is found. By a nearer wrong one, nothing is charged either: the plan stalls.
 */
const withWrongRetry = (db: Db, now: RealInstant) => db`
  select p.id from (
    select s.*, ((s.first_failed_at at time zone b.time_zone)
      + make_interval(days => (${[...retryDays]}::integer[])[s.failures])) at time zone b.time_zone as due_at
    from payment_plan_slots s
    join payment_plans p on p.id = s.payment_plan_id
    join billers b on b.id = p.biller_id
    where s.status = 'retrying'
  ) s
  join payment_plans p on p.id = s.payment_plan_id
  left join test_clocks k on k.id = p.test_clock_id
  where (abs(extract(epoch from s.due_at - s.next_attempt_at)) <= 3600) is not true and (
    s.due_at is not null and s.last_result_at is not null and not (
      s.next_attempt_at >= s.last_result_at
      and s.next_attempt_at < greatest(s.first_failed_at + interval '5 days', s.last_result_at) + interval '14 days'
    )
    or s.due_at is null
      and s.next_attempt_at > ${customerTime(db, now)} + make_interval(secs => ${clockToleranceMs / 1000})
    or s.due_at is not null and s.last_result_at is null and not (
      s.next_attempt_at >= s.first_failed_at and s.next_attempt_at < s.due_at and exists (
        select 1 from audit_log a
        where a.biller_id = p.biller_id and a.subject_id = p.id and a.action = 'payment_plan.retried_now'
          and a.changes -> ('slots/' || s.slot || '/next_attempt_at') ->> 'to'
            = to_char(s.next_attempt_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )
    )
  )`;

const ofAnotherAmount = (db: Db) => db`
  select s.payment_plan_id from payment_plan_slots s
  join payment_intents i on i.id = s.payment_intent_id
  where s.status in ('processing', 'retrying', 'failed', 'returned') and s.amount <> i.amount`;

const chargedWithoutSlot = (db: Db) => db`
  select i.payment_plan_id from payment_attempts a
  join payment_intents i on i.id = a.payment_intent_id
  where a.outcome in ('processing', 'accepted', 'submitted') and i.payment_plan_id is not null
    and not exists (select 1 from payment_plan_slots s where s.payment_intent_id = i.id)`;
