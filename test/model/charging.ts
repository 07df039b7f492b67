import { daysLater } from '../../lab/model/calendar.ts';
import { shownIntent, shownPlan } from './shown.ts';
import {
  type Attempt,
  type Instrument,
  type Intent,
  type Method,
  type Payment,
  type Plan,
  tell,
  type World,
} from './world.ts';

const retryDays = [1, 3, 5];

/** Nothing that is tried again can help with these. */
const finalCodes = ['card_declined', 'expired_card', 'authentication_required', 'payment_method_unavailable'];

const outcomeOfWord: Readonly<Record<string, string>> = {
  succeed: 'succeeded',
  decline: 'insufficient_funds',
  requires_action: 'requires_action',
  timeout: 'gateway_timeout',
};

const outcomeOfFixture: Readonly<Partial<Record<Instrument, string>>> = {
  tok_sandbox_visa_succeed: 'succeeded',
  tok_sandbox_visa_decline_insufficient_funds: 'insufficient_funds',
  tok_sandbox_visa_decline_card_lost: 'card_declined',
  tok_sandbox_visa_decline_expired_card: 'expired_card',
  tok_sandbox_visa_3ds_required: 'requires_action',
  tok_sandbox_visa_timeout: 'gateway_timeout',
  tok_sandbox_mastercard_succeed: 'succeeded',
  tok_sandbox_amex_succeed: 'succeeded',
};

const outcomeOfLastDigits: Readonly<Record<number, string>> = {
  1: 'insufficient_funds',
  2: 'requires_action',
  99: 'gateway_timeout',
};

/** How long a payer of a plan has for a challenge: 15 minutes. */
const challengeMs = 15 * 60_000;

/** The fee for an amount, 1.75 % rounded half up and 30, and what of it the payer bears. */
export function priceOf(amount: number, isPassedOn: boolean): { fee: number; surcharge: number } {
  const fee = Math.floor((amount * 175 + 5_000) / 10_000) + 30;
  return { fee, surcharge: isPassedOn ? fee : 0 };
}

/** Tries to charge an intent, at once; without a method it fails. */
export function charge(
  world: World,
  intent: Intent,
  method: Method | null,
  { at, by }: Pick<Attempt, 'at' | 'by'>,
): void {
  const attempt: Attempt = { at, by, outcome: '' };
  intent.attempts.push(attempt);
  intent.scheduledAt = null;
  if (method !== null) intent.method = method;
  intent.customer ??= method?.customer ?? null;
  const payment = paymentOf(intent);
  if (payment !== null) Object.assign(payment, { status: 'processing', nextAttemptAt: null });
  if (intent.plan?.state === 'active') intent.plan.updatedAt = at;
  const outcome = method === null ? 'payment_method_unavailable' : outcomeOf(intent, method);
  // No payer is there to answer a challenge, unless the charge was requested.
  const isUnanswered = outcome === 'requires_action' && by !== 'hand';
  settle(world, intent, attempt, { outcome: isUnanswered ? 'authentication_required' : outcome, at });
}

/** Precedence: what the metadata says of this attempt, the method's fixture, the last two digits of the base amount. */
function outcomeOf({ metadata, attempts, amount }: Intent, { instrument }: Method): string {
  const words = metadata._sandbox_outcome?.split(',');
  const word = words?.[attempts.length - 1] ?? words?.at(-1);
  if (word !== undefined) return outcomeOfWord[word] ?? '';
  return outcomeOfFixture[instrument] ?? outcomeOfLastDigits[amount % 100] ?? 'succeeded';
}

/** Books what an attempt has come to on the intent, and on its plan, and tells of both. */
export function settle(
  world: World,
  intent: Intent,
  attempt: Attempt,
  { outcome, at }: Pick<Attempt, 'outcome' | 'at'>,
): void {
  attempt.outcome = outcome;
  const isFailure = outcome !== 'succeeded' && outcome !== 'requires_action';
  intent.status = isFailure ? 'failed' : (outcome as 'succeeded' | 'requires_action');
  intent.error = isFailure ? outcome : null;
  intent.updatedAt = at;
  if (outcome === 'succeeded') intent.collectedAt = at;
  const payment = paymentOf(intent);
  if (payment !== null) payment.challengeEndsAt = outcome === 'requires_action' ? at + challengeMs : null;
  const ended = intent.plan && payment ? recordPayment(world, intent.plan, payment, attempt, at) : null;
  const number = intent.attempts.indexOf(attempt) + 1;
  const next = payment?.nextAttemptAt ?? null;
  const ofFailure = {
    attempt: number,
    will_retry: next !== null,
    next_attempt_at: next === null ? null : new Date(next).toISOString(),
  };
  tell(world, {
    type: `payment_intent.${intent.status}`,
    at,
    clock: intent.customer?.clock ?? null,
    about: intent.plan?.name ?? intent.name,
    subject: intent.name,
    attempt: { intent, number },
    data: { ...shownIntent(intent), ...(isFailure ? ofFailure : {}) },
  });
  if (intent.plan && ended) tellOfPlan(world, intent.plan, ended, at);
}

/** The payer has not passed the challenge in time, or no longer may. */
export function endChallenge(world: World, { intent, challengeEndsAt }: Payment, at: number): void {
  const attempt = intent?.attempts.at(-1);
  if (intent === null || attempt === undefined || challengeEndsAt === null) return;
  settle(world, intent, attempt, { outcome: 'authentication_required', at });
}

function recordPayment(
  { zone }: World,
  plan: Plan,
  payment: Payment,
  attempt: Attempt,
  at: number,
): 'closed' | 'suspended' | null {
  if (attempt.outcome === 'requires_action') return null;
  if (attempt.outcome === 'succeeded') {
    payment.status = 'paid';
    plan.collected += payment.intent?.amount ?? 0;
    plan.updatedAt = at;
    if (plan.collected !== plan.total || plan.state === 'deactivated' || plan.state === 'closed') return null;
    stop(plan, 'closed', 'total_collected', at);
    return 'closed';
  }
  // An attempt by hand is no step of the series: the series continues where it was.
  if (attempt.by === 'plan') {
    payment.failures += 1;
    payment.firstFailedAt ??= at;
  }
  payment.status = 'failed';
  if (plan.state !== 'active') return null;
  plan.updatedAt = at;
  const wait = retryDays[payment.failures - 1];
  const { firstFailedAt: first } = payment;
  const scheduled = wait === undefined || first === null ? null : daysLater(first, wait, zone);
  const isOver = plan.behaviour === 'stop' || finalCodes.includes(attempt.outcome) || scheduled === null;
  if (attempt.by === 'plan' && isOver) {
    stop(plan, 'suspended', 'payment_failed', at);
    return 'suspended';
  }
  payment.status = 'retrying';
  payment.nextAttemptAt = scheduled ?? at;
  return null;
}

/** A plan that collects no more; what is unpaid is not tried again. */
export function stop(plan: Plan, state: 'suspended' | 'deactivated' | 'closed', reason: string, at: number): void {
  Object.assign(plan, { state, reason, updatedAt: at });
  for (const payment of plan.payments.filter(({ status }) => status === 'retrying')) {
    Object.assign(payment, { status: 'failed', nextAttemptAt: null });
  }
}

export function tellOfPlan(
  world: World,
  plan: Plan,
  what: 'activated' | 'suspended' | 'deactivated' | 'closed',
  at: number,
): void {
  const { name } = plan;
  const { clock } = plan.customer;
  tell(world, { type: `payment_plan.${what}`, at, clock, about: name, subject: name, data: shownPlan(plan) });
}

function paymentOf(intent: Intent): Payment | null {
  return intent.plan?.payments.find((payment) => payment.intent === intent) ?? null;
}
