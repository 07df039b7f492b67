import { type PaymentIntentRow, selectPaymentIntent } from '../../db/payment-intents.ts';
import { listKnownSlots } from '../../db/payment-plan-slots.ts';
import { selectPlan } from '../../db/payment-plans.ts';
import { type ShownSubscriptionRow, selectSubscription } from '../../db/subscriptions.ts';
import { dateIn, laterInstant, type PlainDate, startOfDay } from '../../domain/calendar.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { exceedsLimit } from '../../domain/mandates/mandate.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { applyChange as applyPlanChange } from '../../domain/plans/plan.ts';
import { resume, retryAll } from '../../domain/plans/steps.ts';
import { firstRetry } from '../../domain/recurring/recurring-payment.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import { applyChange } from '../../domain/subscriptions/apply.ts';
import { comingPeriods, wayToCollect } from '../../domain/subscriptions/coming.ts';
import type { PeriodLine } from '../../domain/subscriptions/lines.ts';
import type { Resuming } from '../../domain/subscriptions/steps.ts';
import { openPeriods, type SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { surchargeColumns } from '../payments/surcharges.ts';
import { planSchedule } from '../plans/plan-payments.ts';
import { effectOfNewMethod } from '../plans/plan-transitions.ts';
import type { RequestContext } from '../request-context.ts';
import { readWithPeriods } from '../subscriptions/locked-subscription.ts';
import { changeByNewMethod } from '../subscriptions/method-for-subscription.ts';

/** What a payer is told of the payments that are still to come. Amounts are with surcharge. */
export interface ComingPayments {
  /** The name of the plan or subscription. */
  name: string;
  currency: Currency;
  /** What is taken at once when the link or session is completed. */
  atOnce: MinorUnits;
  /** What that is for, payment by payment. */
  takenNow: TakenNow[];
  /** Nothing is taken automatically: the biller has to start or resume it. Then `atOnce` is what is taken at once. */
  waitsForBiller: boolean;
  /** The payments after that, with their dates, at most three. */
  next: { date: PlainDate; total: MinorUnits }[];
  /** Whether more payments follow. */
  hasMore: boolean;
  every: { unit: 'week' | 'month' | 'year'; count: number };
  /** The base amount at which a plan ends. Null if it has no such end. */
  cap: MinorUnits | null;
}

/** A payment that is taken at once. */
export interface TakenNow {
  /** With surcharge. */
  total: MinorUnits;
  /** The first day of its period; for a plan, when it was due. */
  from: PlainDate;
  /** The first day after its period. Null for a plan. */
  to: PlainDate | null;
  /** What of it is for days that were served before and not paid, without surcharge. */
  owed: readonly PeriodLine[];
}

/** What a link or session names, and its customer's share in it. */
export interface NamedSubject {
  apply_to_payment_plan_id: Id<'payment_plan'> | null;
  apply_to_subscription_id: Id<'subscription'> | null;
  apply_to_waives_unpaid: boolean;
}

/**
 * Whose payments they are: the customer's time, whether the customer pays the fee, and the method that is chosen. While
 * that is unknown (null), the payments are the most that any method may come to.
 */
interface Payer {
  at: CustomerInstant;
  paysFees: boolean;
  method: MethodFacts | null;
}

const shownAtMost = 3;
/** How far ahead payments are looked for that are due already. */
const lookedAt = 24;

/**
 * Returns what the plan or subscription that a link or session names takes once the link or session is completed. Null
 * if it names none, and if that has ended. It follows `applyTo`, and writes nothing.
 */
export async function comingPayments(
  db: Db,
  context: RequestContext,
  named: NamedSubject,
  payer: Payer,
): Promise<ComingPayments | null> {
  const { apply_to_payment_plan_id: planId, apply_to_subscription_id: subscriptionId } = named;
  if (planId !== null) return ofPlan(db, context, planId, payer);
  const unpaid = named.apply_to_waives_unpaid ? 'waive' : 'collect';
  return subscriptionId === null ? null : ofSubscription(db, context, subscriptionId, payer, { unpaid });
}

/** What happens to a plan or a subscription: it gets a method, or a payer pays this payment of it. */
type Trigger = { unpaid: Resuming['unpaid'] } | { paid: Id<'payment_intent'> };

/**
 * Returns what the plan or subscription takes besides a payment of it that a payer pays. Null if it is of neither, or
 * that has ended. Writes nothing.
 */
export async function paymentsBesides(
  db: Db,
  context: RequestContext,
  intent: Pick<PaymentIntentRow, 'id' | 'payment_plan_id' | 'subscription_id'>,
  payer: Payer,
): Promise<ComingPayments | null> {
  const { id: paid, payment_plan_id: planId, subscription_id: subscriptionId } = intent;
  if (planId !== null) return ofPlan(db, context, planId, payer, paid);
  return subscriptionId === null ? null : ofSubscription(db, context, subscriptionId, payer, { paid });
}

async function ofPlan(
  db: Db,
  context: RequestContext,
  id: string,
  payer: Payer,
  paid: Id<'payment_intent'> | null = null,
): Promise<ComingPayments | null> {
  const plan = await selectPlan(db, context, id);
  if (plan === null || hasEnded(plan.state)) return null;
  const { at } = payer;
  const effect = paid === null ? effectOfNewMethod(plan) : null;
  const [slots, schedule] = await Promise.all([listKnownSlots(db, id), planSchedule(db, context, id, lookedAt)]);
  const before = { plan, slots, timeZone: context.timeZone };
  const isResumed = plan.state === 'suspended' && paid === null;
  const change = isResumed ? resume(before, at) : effect === 'retry' ? retryAll(before, at) : {};
  const after = applyPlanChange(before, change).planWithSlots;
  const retried = after.slots.filter(({ payment_intent_id: intentId }) => intentId === null || intentId !== paid);
  const dated = retried.map((slot) => ({ ...slot, from: slot.due_date, to: null }));
  const totals = await totalsOf(db, context, retriesOf(dated), payer);
  const payments = schedule.payments.map(({ dueDate, amount }) => {
    const due = startOfDay(dueDate, context.timeZone);
    return { due, total: totalOf(context, amount, payer, due), from: dueDate, to: null, owed: [] };
  });
  return {
    name: plan.name,
    currency: plan.currency,
    waitsForBiller: paid === null && (plan.state === 'pending' || (plan.state === 'suspended' && effect === null)),
    ...listed([...totals, ...payments], at, context.timeZone, schedule.hasMore),
    every: { unit: plan.frequency_type === 'weekly' ? 'week' : 'month', count: plan.frequency_period },
    cap: plan.total_amount_cents,
  };
}

async function ofSubscription(
  db: Db,
  context: RequestContext,
  id: string,
  payer: Payer,
  trigger: Trigger,
): Promise<ComingPayments | null> {
  const row = await selectSubscription(db, context, id);
  if (row === null || row.state === 'canceled') return null;
  const { at } = payer;
  const { subscription, waitsForBiller } =
    'paid' in trigger
      ? { subscription: await readWithPeriods(db, row, context.timeZone), waitsForBiller: false }
      : await withNewMethod(db, context, row, payer, trigger.unpaid);
  const paid = 'paid' in trigger ? trigger.paid : null;
  const open = openPeriods(subscription);
  const dated = open
    .filter(({ payment_intent_id: intentId }) => paid === null || intentId !== paid)
    .map((period) => ({ ...period, from: period.start_date, to: period.end_date }));
  const totals = await totalsOf(db, context, retriesOf(dated), payer);
  const apart = dated
    .filter(({ payment_intent_id: intentId }) => intentId === null)
    .map(({ amount_cents: amount, from, to, lines: owed }) => {
      return { due: at, total: totalOf(context, amount, payer, at), from, to, owed };
    });
  // What is retried has a payment of its own.
  const isRetried = new Set(open.map(({ number }) => number));
  const coming = comingPeriods(subscription, at, lookedAt + 1 + isRetried.size);
  const periods = coming.filter(({ number }) => !isRetried.has(number)).slice(0, lookedAt + 1);
  const payments = periods.slice(0, lookedAt).flatMap(({ start, end, amount, lines }) => {
    const due = startOfDay(start, context.timeZone);
    const owed = lines.filter(({ kind }) => kind === 'owed');
    const total = totalOf(context, amount, payer, due);
    return amount === 0 ? [] : [{ due, total, from: start, to: end, owed }];
  });
  const { frequency_type: type, frequency_period: count } = row;
  return {
    name: row.name,
    currency: row.currency,
    waitsForBiller,
    ...listed([...totals, ...apart, ...payments], at, context.timeZone, periods.length > lookedAt),
    every: { unit: type === 'weekly' ? 'week' : type === 'monthly' ? 'month' : 'year', count },
    cap: null,
  };
}

/** A subscription as a completed link makes it. */
async function withNewMethod(
  db: Db,
  context: RequestContext,
  row: ShownSubscriptionRow,
  payer: Payer,
  unpaid: Resuming['unpaid'],
): Promise<{ subscription: SubscriptionWithPeriods; waitsForBiller: boolean }> {
  const { at } = payer;
  const before = await readWithPeriods(db, row, context.timeZone);
  const way = wayToCollect(before, at, null, (amount) => isAboveLimit(context, amount, payer));
  const change = changeByNewMethod({ row, subscription: before }, at, { unpaid, isOwedApart: way === 'apart' });
  const { subscription } = applyChange(before, change, { before: row, at });
  const { terms } = subscription;
  const isTried = firstRetry(subscription.periods) !== null;
  const isPaused = terms.state === 'paused' && terms.resumes_at === null && !isTried;
  const isUnstarted = terms.state === 'pending' && terms.started_at === null;
  return { subscription, waitsForBiller: isPaused || isUnstarted };
}

/** A payment that is tried again, when, and for which dates. */
interface Retry extends Pick<TakenNow, 'from' | 'to'> {
  intentId: string;
  due: CustomerInstant;
}

/** A payment to come, when, and for what. */
interface Coming extends TakenNow {
  due: CustomerInstant;
}

/** The payments of slots or periods that are tried again, and when. */
function retriesOf(
  units: readonly (Pick<TakenNow, 'from' | 'to'> & {
    status: string;
    next_attempt_at: CustomerInstant | null;
    payment_intent_id: string | null;
  })[],
): Retry[] {
  return units.flatMap(({ status, next_attempt_at: due, payment_intent_id: intentId, from, to }) =>
    status === 'retrying' && due !== null && intentId !== null ? [{ intentId, due, from, to }] : [],
  );
}

async function totalsOf(
  db: Db,
  context: RequestContext,
  retried: readonly Retry[],
  { at, method }: Payer,
): Promise<Coming[]> {
  const intents = await Promise.all(retried.map(({ intentId }) => selectPaymentIntent(db, context, intentId)));
  return retried.map(({ due, from, to }, index) => {
    const intent = intents[index] ?? null;
    if (intent === null) return { due, from, to, owed: [], total: 0 };
    const asked = { amount: intent.amount, isAsked: intent.surcharge_asked };
    const { total_amount: total } = surchargeColumns(asked, method, context, laterInstant(at, due));
    return { due, from, to, owed: [], total };
  });
}

/** Whether the scheme of the chosen method allows less for one debit. A mandate that a payer gives has no limit. */
function isAboveLimit(context: RequestContext, amount: MinorUnits, payer: Payer): boolean {
  const { au_becs: scheme } = schemes;
  const debit = { amount: totalOf(context, amount, payer, payer.at), livemode: context.livemode };
  return payer.method?.instrument.type === 'au_becs_debit' && exceedsLimit({ max_amount_cents: null }, scheme, debit);
}

/** What is taken at an instant. A payment that was due before is taken now. */
function totalOf(
  context: RequestContext,
  amount: MinorUnits,
  { at, paysFees, method }: Payer,
  due: CustomerInstant,
): number {
  const asked = { amount, isAsked: paysFees };
  return surchargeColumns(asked, method, context, laterInstant(at, due)).total_amount;
}

function listed(
  payments: readonly Coming[],
  at: CustomerInstant,
  timeZone: string,
  hasMore: boolean,
): Pick<ComingPayments, 'atOnce' | 'takenNow' | 'next' | 'hasMore'> {
  const now = payments.filter(({ due }) => due <= at);
  const later = payments.filter(({ due }) => due > at).toSorted((a, b) => Number(a.due) - Number(b.due));
  return {
    atOnce: now.reduce((sum, { total }) => sum + total, 0),
    takenNow: now.map(({ total, from, to, owed }) => ({ total, from, to, owed })),
    next: later.slice(0, shownAtMost).map(({ due, total }) => ({ date: dateIn(due, timeZone), total })),
    hasMore: hasMore || later.length > shownAtMost,
  };
}
