import { endChallenge, stop, tellOfPlan } from './charging.ts';
import { type Deed, pick } from './deed.ts';
import { skipPassed } from './plan-calendar.ts';
import { shownIntent, shownPlan } from './shown.ts';
import { type Of, type Transition, transitions } from './steps.ts';
import { holdStill, isGone, nowOf, type Plan, refuseMissing, refuseState, tell, type World } from './world.ts';

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
  if (transition === 'suspend') suspend(world, plan, now);
  if (transition === 'deactivate') endPlan(world, plan, 'deactivated', 'requested', now);
  if (transition === 'close') endPlan(world, plan, 'closed', 'requested', now);
  const told = { activate: 'activated', suspend: 'suspended', deactivate: 'deactivated', close: 'closed' } as const;
  if (transition !== 'resume') tellOfPlan(world, plan, told[transition], now);
}

/** A challenge that a payer has open fails. */
function suspend(world: World, plan: Plan, now: number): void {
  stop(plan, 'suspended', 'requested', now);
  for (const payment of plan.payments) endChallenge(world, payment, now);
}

/** What has failed is never paid, nor what waits for a payer. */
export function endPlan(world: World, plan: Plan, state: 'deactivated' | 'closed', reason: string, now: number): void {
  stop(plan, state, reason, now);
  for (const payment of plan.payments) {
    const { intent } = payment;
    if (intent?.status !== 'failed' && intent?.status !== 'requires_action') continue;
    const challenge = intent.status === 'requires_action' ? intent.attempts.at(-1) : undefined;
    if (challenge !== undefined) challenge.outcome = 'canceled';
    Object.assign(intent, { status: 'canceled', updatedAt: now });
    Object.assign(payment, { status: 'failed', challengeEndsAt: null });
    const { name } = intent;
    const { clock } = plan.customer;
    const data = shownIntent(intent);
    tell(world, { type: 'payment_intent.canceled', at: now, clock, about: plan.name, subject: name, data });
  }
}

/** What is unpaid is tried again at once, with a fresh series; what passed meanwhile is skipped. */
function resume(world: World, plan: Plan, now: number): void {
  for (const payment of plan.payments.filter(({ status }) => status === 'failed')) {
    Object.assign(payment, { status: 'retrying', nextAttemptAt: now, failures: 0, firstFailedAt: null });
  }
  Object.assign(plan, { state: 'active', reason: null, updatedAt: now });
  skipPassed(world, plan, now);
}
