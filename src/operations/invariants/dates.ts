import type { OpenSlotRow } from '../../db/payment-plan-slots.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type DatedPlan, withoutBroughtForward, wrongDates } from '../../services/plans/plan-dates.ts';
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
];

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
