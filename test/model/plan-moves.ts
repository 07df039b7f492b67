import { stop, tellOfPlan } from './charging.ts';
import { type Deed, pick } from './deed.ts';
import { skipPassed } from './plan-calendar.ts';
import { shownPlan } from './shown.ts';
import { type Of, type Transition, transitions } from './steps.ts';
import { holdStill, isGone, nowOf, type Plan, refuseMissing, refuseState, type World } from './world.ts';

export function movePlan(world: World, step: Of<Transition>): Deed | null {
  const transition = step.do;
  const { from } = transitions[transition];
  const plan = pick(world.plans, step.plan, (one) => !isGone(one) && from.includes(one.state));
  if (plan === undefined) return null;
  return {
    method: 'POST',
    path: `/payment_plans/${plan.name}/${transition}`,
    does() {
      if (isGone(plan)) refuseMissing();
      holdStill(plan.customer);
      if (!from.includes(plan.state)) refuseState();
      move(world, plan, transition);
      return { status: 200, body: shownPlan(plan) };
    },
  };
}

function move(world: World, plan: Plan, transition: Transition): void {
  const now = nowOf(world, plan.customer);
  if (transition === 'activate') Object.assign(plan, { state: 'active', activatedAt: now, updatedAt: now });
  if (transition === 'resume') resume(world, plan, now);
  if (transition === 'suspend') stop(plan, 'suspended', 'requested', now);
  if (transition === 'deactivate') stop(plan, 'deactivated', 'requested', now);
  if (transition === 'close') stop(plan, 'closed', 'requested', now);
  const told = { activate: 'activated', suspend: 'suspended', deactivate: 'deactivated', close: 'closed' } as const;
  if (transition !== 'resume') tellOfPlan(world, plan, told[transition], now);
}

/** What is unpaid is tried again at once, with a fresh series; what passed meanwhile is skipped. */
function resume(world: World, plan: Plan, now: number): void {
  for (const payment of plan.payments.filter(({ status }) => status === 'failed')) {
    Object.assign(payment, { status: 'retrying', nextAttemptAt: now, failures: 0, firstFailedAt: null });
  }
  Object.assign(plan, { state: 'active', reason: null, updatedAt: now });
  skipPassed(world, plan, now);
}
