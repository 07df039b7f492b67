import type { OpenSlotRow } from '../../db/payment-plan-slots.ts';
import type { SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import type { SubscriptionRow } from '../../db/subscriptions.ts';
import { owedOf } from '../../domain/subscriptions/course.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type DatedPlan, withoutBroughtForward, wrongDates } from '../../services/plans/plan-dates.ts';
import { wrongSubscriptionDates } from '../../services/subscriptions/subscription-dates.ts';
import { opsCommand } from '../stuck/ops-command.ts';
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
];

/** Compares the dates of all subscriptions that have started with the calendar that bills them. */
async function findWrongSubscriptions(db: Db): Promise<Offender[]> {
  const found: Offender[] = [];
  for (let after = ''; found.length < mostOffenders; ) {
    const rows = await db<(SubscriptionRow & { time_zone: string; at: Date })[]>`
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
      const current = own.find(({ number }) => number === row.current_number) ?? null;
      const situation = { course: row, current, ...owedOf(own), timeZone: row.time_zone };
      const wrong = wrongSubscriptionDates(row, situation, own, row.at);
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
    const plans = await db<(DatedPlan & { at: Date })[]>`
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
