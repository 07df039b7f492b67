import type { OpenSlotRow } from '../../db/payment-plan-slots.ts';
import type { SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import type { SubscriptionRow } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { withPeriods } from '../../domain/subscriptions/subscription.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type DatedPlan, withoutBroughtForward, wrongDates } from '../../services/plans/plan-consistency.ts';
import { wrongSubscriptionDates } from '../../services/subscriptions/subscription-dates.ts';
import { opsCommand } from '../stuck/reading/ops-command.ts';
import { type Invariant, type Offender, recalculate } from './invariant.ts';

/** Plans that are read at a time. */
const pageSize = 1_000;
const mostOffenders = 100;

/** Promise 1, as far as it is about time: a payment and a retry are charged when they are due, and not before. */
export const dateInvariants: Invariant[] = [
  {
    name: 'the next payment and the retries of an active plan are due when its calendar and dunning say',
    promise: 1,
    remedy: recalculate,
    offenders: findWrongDates,
  },
  {
    name: 'the periods of a subscription and its next steps are those of its calendar',
    promise: 1,
    remedy: `${opsCommand('recheck', 'ID')} (it corrects the dates of the next steps; a period that is wrong is restored from a back-up).`,
    offenders: findWrongSubscriptions,
  },
  {
    // The rules of a time zone may change after the instant was stored.
    name: 'a scheduled payment is due when its date begins, by the clock of its biller',
    promise: 1,
    remedy:
      'Nothing is charged before the date. To charge ID on another date, its biller cancels it and makes another payment.',
    offenders: (db) => db<Offender[]>`
      select i.id, format('is due at %s, its date is %s', i.scheduled_at, i.scheduled_payment_date) as detail
      from payment_intents i
      join billers b on b.id = i.biller_id
      where i.scheduled_at is not null and i.scheduled_payment_date is not null
        and abs(extract(
          epoch from i.scheduled_at - (i.scheduled_payment_date::timestamp at time zone b.time_zone))) > 7200
      limit 100`,
  },
  {
    name: 'an accepted debit is handed over at its cut-off',
    promise: 1,
    remedy:
      'Nothing is handed over before hand_over_at. Set next_at of the row of ID in bank_debits to its hand_over_at.',
    offenders: (db) => db<Offender[]>`
      select d.attempt_id as id,
        format('its next step is at %s, its cut-off at %s', d.next_at, d.hand_over_at) as detail
      from bank_debits d
      join payment_attempts a on a.id = d.attempt_id
      where a.outcome = 'accepted' and d.next_at <> d.hand_over_at
      limit 100`,
  },
];

/** Compares the dates of all subscriptions that have started with the calendar that bills them. */
async function findWrongSubscriptions(db: Db): Promise<Offender[]> {
  const found: Offender[] = [];
  for (let after = ''; found.length < mostOffenders; ) {
    const rows = await db<(SubscriptionRow & { time_zone: string; at: CustomerInstant })[]>`
      select s.*, b.time_zone, coalesce(k.target_time, k.frozen_time, now()) as at
      from subscriptions s
      join billers b on b.id = s.biller_id
      left join test_clocks k on k.id = s.test_clock_id
      where s.state <> 'canceled' and s.started_at is not null and s.id > ${after}
      order by s.id
      limit ${pageSize}`;
    const periods = await db<SubscriptionPeriodRow[]>`
      select * from subscription_periods where subscription_id = any(${rows.map(({ id }) => id)})
      order by subscription_id, number`;
    const begun = new Map<string, SubscriptionPeriodRow[]>(rows.map(({ id }) => [id, []]));
    for (const period of periods) begun.get(period.subscription_id)?.push(period);
    for (const row of rows) {
      const own = begun.get(row.id) ?? [];
      const subscription = withPeriods(row, own, row.time_zone);
      const wrong = wrongSubscriptionDates(row, subscription, own, row.at);
      if (wrong.length > 0) found.push({ id: row.id, detail: wrong.join('; ') });
    }
    const last = rows.at(-1)?.id;
    if (last === undefined) break;
    after = last;
  }
  return found.slice(0, mostOffenders);
}

/** Compares the dates of all active plans with the calendar that charges them: `src/domain/calendar.ts`. */
async function findWrongDates(db: Db): Promise<Offender[]> {
  const found: Offender[] = [];
  for (let after = ''; found.length < mostOffenders; ) {
    const plans = await db<(DatedPlan & { at: CustomerInstant })[]>`
      select p.*, b.time_zone, coalesce(k.target_time, k.frozen_time, now()) as at
      from payment_plans p
      join billers b on b.id = p.biller_id
      left join test_clocks k on k.id = p.test_clock_id
      where p.state = 'active' and p.id > ${after}
      order by p.id
      limit ${pageSize}`;
    const ids = plans.map(({ id }) => id);
    const open = new Map<string, OpenSlotRow[]>(ids.map((id) => [id, []]));
    for (const slot of await openSlotsOf(db, ids)) open.get(slot.payment_plan_id)?.push(slot);
    for (const plan of plans) {
      const wrong = await withoutBroughtForward(db, plan, wrongDates(plan, open.get(plan.id) ?? [], plan.at));
      if (wrong.length > 0) found.push({ id: plan.id, detail: wrong.map(({ why }) => why).join('; ') });
    }
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
  return found.slice(0, mostOffenders);
}

function openSlotsOf(db: Db, planIds: string[]): PromiseLike<OpenSlotRow[]> {
  return db<OpenSlotRow[]>`
    select * from payment_plan_slots
    where payment_plan_id = any(${planIds}) and status in ('processing', 'retrying', 'failed', 'returned')
    order by payment_plan_id, slot`;
}
