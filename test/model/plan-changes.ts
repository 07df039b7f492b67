import { type Deed, dateIn, isFor, pick, pickMaybe, today } from './deed.ts';
import { attach, methodFaults } from './methods.ts';
import { remainingOf, skipPassed } from './plan-calendar.ts';
import { capFaults, dateFaults, metadataOf } from './plans.ts';
import { shownPlan } from './shown.ts';
import { type Of, type PlanChange, transitions } from './steps.ts';
import { holdStill, isGone, type Method, nowOf, type Plan, refuseFaults, refuseMissing, type World } from './world.ts';

const untilEnded = ['label', 'amount', 'total', 'isOpenEnded', 'method', 'behaviour', 'outcomes'];

const fieldOf: Readonly<Record<keyof PlanChange, string>> = {
  label: 'name',
  amount: 'recurring_amount_cents',
  total: 'total_amount_cents',
  isOpenEnded: 'until_further_notice',
  method: 'payment_instrument_id',
  behaviour: 'failure_behaviour',
  every: 'frequency_type',
  period: 'frequency_period',
  firstAmount: 'first_amount_cents',
  start: 'start_date',
  first: 'first_date',
  outcomes: 'metadata',
  customer: 'customer_id',
};

const isOpen = (plan: Plan): boolean => !isGone(plan) && transitions.close.from.includes(plan.state);

export function changePlan(world: World, { plan: back, change }: Of<'change plan'>): Deed | null {
  const plan = pick(world.plans, back, isOpen);
  if (plan === undefined) return null;
  const method = pickMaybe(world.methods, change.method, isFor(plan.customer));
  const values: Partial<Record<keyof PlanChange, unknown>> = {
    ...change,
    ...(change.method === undefined ? {} : { method: method?.name ?? null }),
    ...(change.start === undefined ? {} : { start: dateIn(world, plan.customer, change.start) }),
    ...(change.first == null ? {} : { first: dateIn(world, plan.customer, change.first) }),
    ...(change.outcomes === undefined ? {} : { outcomes: metadataOf(change.outcomes) }),
    ...(change.customer === undefined ? {} : { customer: pick(world.customers, change.customer)?.name }),
  };
  const body = Object.entries(values).map(([field, value]) => [fieldOf[field as keyof PlanChange], value]);
  return {
    method: 'PUT',
    path: `/payment_plans/${plan.name}`,
    body: Object.fromEntries(body),
    does() {
      if (isGone(plan)) refuseMissing();
      holdStill(plan.customer);
      refuseFaults(422, fixedFaults(plan, change));
      const changed = changedBy(plan, change, method, values);
      refuseFaults(422, changeFaults(world, plan, changed, change));
      if (change.method != null && method !== null) attach(method, plan.customer);
      replace(world, plan, changed);
      return { status: 200, body: shownPlan(plan) };
    },
  };
}

const hasEnded = ({ state }: Plan) => state === 'deactivated' || state === 'closed';

function fixedFaults(plan: Plan, change: PlanChange): string[] {
  const { state } = plan;
  const isFixed = (field: string) =>
    (hasEnded(plan) && field !== 'outcomes') ||
    field === 'customer' ||
    (state !== 'pending' && !untilEnded.includes(field));
  return Object.keys(change)
    .filter(isFixed)
    .map((field) => `/${fieldOf[field as keyof PlanChange]}`);
}

/** Naming one of the total and its absence alone replaces the other. */
function changedBy(
  plan: Plan,
  change: PlanChange,
  method: Method | null,
  values: Partial<Record<keyof PlanChange, unknown>>,
): Plan {
  const isOpened = change.isOpenEnded === true && change.total === undefined;
  const isCapped = typeof change.total === 'number' && change.isOpenEnded === undefined;
  const { start = plan.cadence.start, first = plan.cadence.first } = values as { start?: string; first?: string };
  return {
    ...plan,
    label: change.label ?? plan.label,
    amount: change.amount ?? plan.amount,
    firstAmount: change.firstAmount === undefined ? plan.firstAmount : change.firstAmount,
    total: isOpened ? null : change.total === undefined ? plan.total : change.total,
    isOpenEnded: isCapped ? false : (change.isOpenEnded ?? plan.isOpenEnded),
    method: change.method === undefined ? plan.method : method,
    behaviour: change.behaviour ?? plan.behaviour,
    metadata: change.outcomes === undefined ? plan.metadata : metadataOf(change.outcomes),
    cadence: { every: change.every ?? plan.cadence.every, period: change.period ?? plan.cadence.period, start, first },
  };
}

function changeFaults(world: World, plan: Plan, changed: Plan, change: PlanChange): string[] {
  const fresh = (['start', 'first'] as const).filter((field) => change[field] !== undefined);
  const faults = [...capFaults(changed), ...dateFaults(changed, today(world, plan.customer), fresh)];
  // What is unpaid or under way is still to be collected, and a total that is reached would close the plan on its own.
  const isBelow =
    !hasEnded(plan) && changed.total !== null && (remainingOf(changed) < 0 || changed.total <= plan.collected);
  if (isBelow) faults.push('/total_amount_cents');
  const isNamed = change.method !== undefined && changed.method !== null;
  if (isNamed && changed.method) faults.push(...methodFaults(changed.method, plan.customer, '/payment_instrument_id'));
  const isDropped = change.method !== undefined && changed.method === null;
  if (isDropped && plan.customer.defaultMethod === null) faults.push('/payment_instrument_id');
  return faults;
}

/** A raised total wakes a calendar that had come to its end: it goes on from now, and what has passed is skipped. */
function replace(world: World, plan: Plan, changed: Plan): void {
  const now = nowOf(world, plan.customer);
  const wasOver = plan.state === 'active' && plan.nextSlot > 0 && remainingOf(plan) <= 0;
  Object.assign(plan, changed, { updatedAt: now });
  if (wasOver && remainingOf(plan) > 0) skipPassed(world, plan, now);
}
