import { dateAfter, startOf } from '../../lab/model/calendar.ts';
import { charge, priceOf, settle } from './charging.ts';
import { type Deed, given, isFor, isServed, pick, pickMaybe, today } from './deed.ts';
import { attach, customerFaults, methodFaults } from './methods.ts';
import { shownIntent } from './shown.ts';
import type { Of } from './steps.ts';
import {
  type Customer,
  holdStill,
  type Intent,
  isGone,
  type Method,
  nowOf,
  refuseFaults,
  refuseMissing,
  refuseState,
  tell,
  type World,
} from './world.ts';

const minimumAmount = 200;
const maximumAmount = 100_000;
const scheduleAheadDays = 366;

export function createIntent(world: World, { terms }: Of<'intent'>): Deed {
  const customer = pickMaybe(world.customers, terms.customer, isServed);
  const method = pickMaybe(world.methods, terms.method, isFor(customer));
  const name = `intent-${world.intents.filter(({ plan }) => plan === null).length}`;
  const { amount } = terms;
  const metadata: Record<string, string> = terms.outcomes === undefined ? {} : { _sandbox_outcome: terms.outcomes };
  const scheduled = terms.scheduled === undefined ? null : dateAfter(today(world, customer ?? null), terms.scheduled);
  return {
    method: 'POST',
    path: '/payment_intents',
    makes: name,
    body: given({
      amount,
      currency: 'AUD',
      customer_id: customer?.name,
      payment_method: method?.name,
      surcharge_applied: terms.surcharge,
      scheduled_payment_date: scheduled ?? undefined,
      metadata: terms.outcomes === undefined ? undefined : metadata,
    }),
    does() {
      refuseFaults(400, bodyFaults(amount, scheduled !== null && method === null));
      // A deleted customer counts as none. That of a method is not taken over, and must be named to be charged.
      const owner = customer !== null && isServed(customer) ? customer : null;
      holdStill(owner);
      const isForeign = customer === null && scheduled !== null && ownerOf(method) !== null;
      refuseFaults(400, [
        ...(customer === null ? [] : customerFaults(customer, '/customer_id')),
        ...(method === null || (isFor(owner)(method) && !isForeign) ? [] : ['/payment_method']),
        ...scheduleErrors(world, owner, scheduled),
      ]);
      if (method !== null && owner !== null) attach(method, owner);
      const now = nowOf(world, owner);
      const isToday = scheduled === today(world, owner);
      const intent: Intent = {
        ...{ name, customer: owner, method, plan: null, amount, metadata },
        ...priceOf(amount, terms.surcharge === true || owner?.paysFees === true),
        ...{ status: 'requires_payment_method', attempts: [], refunded: 0, collectedAt: null, error: null },
        scheduledDate: isToday ? null : scheduled,
        scheduledAt: scheduled === null ? null : isToday ? now : startOf(scheduled, world.zone),
        ...{ createdAt: now, updatedAt: now },
      };
      world.intents.push(intent);
      return { status: 201, body: shownIntent(intent) };
    },
  };
}

function bodyFaults(amount: number, lacksMethod: boolean): string[] {
  const isOutOfRange = amount < minimumAmount || amount > maximumAmount;
  return [...(isOutOfRange ? ['/amount'] : []), ...(lacksMethod ? ['/payment_method'] : [])];
}

function ownerOf(method: Method | null): Customer | null {
  return method === null || isGone(method) ? null : method.customer;
}

function scheduleErrors(world: World, payer: Customer | null, date: string | null): string[] {
  if (date === null) return [];
  const first = today(world, payer);
  return date < first || date > dateAfter(first, scheduleAheadDays) ? ['/scheduled_payment_date'] : [];
}

const isOneOf =
  (...statuses: Intent['status'][]) =>
  (intent: Intent): boolean =>
    !isGone(intent) && statuses.includes(intent.status);

export function confirmIntent(world: World, step: Of<'confirm'>): Deed | null {
  const intent = pick(world.intents, step.intent, isOneOf('requires_payment_method', 'failed'));
  if (intent === undefined) return null;
  const named = pickMaybe(world.methods, step.method, isFor(intent.customer));
  // Who charges a method of a customer names that customer, unless the payment does.
  const owner = ownerOf(named ?? intent.method);
  const isNamed = intent.customer === null && owner !== null && isServed(owner);
  return {
    method: 'POST',
    path: `/payment_intents/${intent.name}/confirm`,
    body: given({ payment_method: named?.name, customer_id: isNamed ? owner.name : undefined }),
    does() {
      if (isGone(intent)) refuseMissing();
      const carried = intent.method !== null && isGone(intent.method) ? null : intent.method;
      const method = named ?? carried;
      const payer = intent.customer ?? (isNamed ? owner : null);
      holdStill(payer);
      if (payer !== null && payer.deletedAt !== null) refuseState();
      if (intent.status !== 'requires_payment_method' && intent.status !== 'failed') refuseState();
      const path = '/payment_method';
      const isForeign = method !== null && payer === null && ownerOf(method) !== null;
      refuseFaults(400, method === null || isForeign ? [path] : methodFaults(method, payer, path));
      if (intent.plan?.state === 'suspended' && intent.plan.reason === 'requested') refuseState();
      if (method !== null && intent.customer !== null) attach(method, intent.customer);
      charge(world, intent, method, { at: nowOf(world, payer), by: 'hand' });
      return { status: 200, body: shownIntent(intent) };
    },
  };
}

export function cancelIntent(world: World, step: Of<'cancel'>): Deed | null {
  const intent = pick(world.intents, step.intent, isOneOf('requires_payment_method', 'requires_action', 'failed'));
  if (intent === undefined) return null;
  return {
    method: 'POST',
    path: `/payment_intents/${intent.name}/cancel`,
    does() {
      if (isGone(intent)) refuseMissing();
      holdStill(intent.customer);
      // A plan alone decides over its payments.
      if (intent.plan !== null || intent.status === 'succeeded' || intent.status === 'canceled') refuseState();
      const at = nowOf(world, intent.customer);
      const challenge = intent.status === 'requires_action' ? intent.attempts.at(-1) : undefined;
      if (challenge !== undefined) challenge.outcome = 'canceled';
      Object.assign(intent, { status: 'canceled', scheduledAt: null, updatedAt: at });
      const { name } = intent;
      const clock = intent.customer?.clock ?? null;
      const data = shownIntent(intent);
      tell(world, { type: 'payment_intent.canceled', at, clock, about: name, subject: name, data });
      return { status: 200, body: shownIntent(intent) };
    },
  };
}

/** The customer's answer to a challenge settles the attempt that waits for it, and is no new one. */
export function completeIntent(world: World, step: Of<'complete'>): Deed | null {
  const intent = pick(world.intents, step.intent, isOneOf('requires_action'));
  if (intent === undefined) return null;
  return {
    method: 'POST',
    path: `/test_helpers/payment_intents/${intent.name}/complete_action`,
    body: { result: step.result },
    does() {
      if (isGone(intent)) refuseMissing();
      holdStill(intent.customer);
      const attempt = intent.attempts.at(-1);
      if (intent.status !== 'requires_action' || attempt === undefined) refuseState();
      const outcome = step.result === 'succeed' ? 'succeeded' : 'authentication_required';
      settle(world, intent, attempt, { outcome, at: nowOf(world, intent.customer) });
      return { status: 200, body: shownIntent(intent) };
    },
  };
}

export function refundIntent(world: World, step: Of<'refund'>): Deed | null {
  const intent = pick(world.intents, step.intent, isOneOf('succeeded'));
  if (intent === undefined) return null;
  const name = `refund-${world.refunds}`;
  const metadata: Record<string, string> = step.fails ? { _sandbox_refund_outcome: 'fail' } : {};
  return {
    method: 'POST',
    path: `/payment_intents/${intent.name}/refunds`,
    makes: name,
    body: given({ amount: step.amount ?? undefined, metadata: step.fails ? metadata : undefined }),
    does() {
      if (isGone(intent)) refuseMissing();
      holdStill(intent.customer);
      const remaining = intent.amount + intent.surcharge - intent.refunded;
      if (intent.status !== 'succeeded' || remaining === 0) refuseState();
      const amount = step.amount ?? remaining;
      refuseFaults(400, amount > remaining ? ['/amount'] : []);
      const at = nowOf(world, intent.customer);
      const status = step.fails || amount % 100 === 3 ? 'failed' : 'succeeded';
      const shareOf = (back: number) => Math.floor((back * intent.surcharge) / (intent.amount + intent.surcharge));
      const surcharge_amount = shareOf(intent.refunded + amount) - shareOf(intent.refunded);
      if (status === 'succeeded') Object.assign(intent, { refunded: intent.refunded + amount, updatedAt: at });
      world.refunds += 1;
      const when = new Date(at).toISOString();
      const times = { created_at: when, updated_at: when };
      const data = { id: name, payment_intent_id: intent.name, amount, currency: 'AUD', reason: null, metadata };
      const shown = { ...data, surcharge_amount, tax_amount: 0, status, ...times };
      const clock = intent.customer?.clock ?? null;
      tell(world, { type: `refund.${status}`, at, clock, about: name, subject: name, data: shown });
      return { status: 201, body: shown };
    },
  };
}
