import { listOpenSlots, listPlanPayments, type PlanPaymentRow } from '../../db/payment-plan-slots.ts';
import { firstSlotAfter, slotDueAt } from '../../domain/calendar.ts';
import { type UpcomingPayment, upcomingPayments } from '../../domain/plan-schedule.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { cadenceOf, progressOf, termsOf } from '../../domain/plans/plan.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { timeNow } from '../customer-time.ts';
import { type PageQuery, type Rows, rowsByNumber } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { getPaymentPlan } from './payment-plans.ts';
import { isUntouched } from './store.ts';

/**
 * Returns the slots of a plan that have come, newest first, each with its attempts. The cursor is a slot number.
 * @throws NotFound; BadParameters if the cursor is not a slot of this plan.
 */
export async function planPayments(
  db: Db,
  context: RequestContext,
  planId: string,
  query: PageQuery,
): Promise<Rows<PlanPaymentRow>> {
  await getPaymentPlan(db, context, planId);
  return rowsByNumber(
    query,
    ({ slot }) => slot,
    (page) => listPlanPayments(db, planId, page),
  );
}

/**
 * Returns the upcoming payments of a plan, at most `count`, and none if the plan has ended. A pending or suspended plan
 * is shown as if it were activated or resumed now.
 * @throws NotFound
 */
export async function planSchedule(
  db: Db,
  context: RequestContext,
  planId: string,
  count: number,
): Promise<{ payments: UpcomingPayment[]; hasMore: boolean }> {
  const plan = await getPaymentPlan(db, context, planId);
  if (hasEnded(plan.state)) return { payments: [], hasMore: false };
  const at = await timeNow(db, context, plan);
  const terms = termsOf(plan);
  const slots = await listOpenSlots(db, plan.id);
  const progress = progressOf({ plan, slots }, await isUntouched(db, plan, slots));
  const cadence = cadenceOf(plan);
  if (plan.state === 'suspended') {
    return upcomingPayments(
      terms,
      { ...progress, nextSlot: firstSlotAfter(cadence, context.timeZone, at, plan.next_slot) },
      count,
    );
  }
  const isFirstDue = plan.next_slot === 0 && slotDueAt(cadence, 0, context.timeZone) <= at;
  if (!isFirstDue) return upcomingPayments(terms, progress, count);
  // The first payment is made whenever the plan starts. Only later slots that have passed are skipped.
  const [first] = upcomingPayments(terms, progress, 1).payments;
  if (first === undefined) return { payments: [], hasMore: false };
  const rest = upcomingPayments(
    terms,
    {
      nextSlot: firstSlotAfter(cadence, context.timeZone, at, 1),
      paymentsOpened: 1,
      committedAmount: progress.committedAmount + first.amount,
    },
    count - 1,
  );
  return { payments: [first, ...rest.payments], hasMore: rest.hasMore };
}
