import { dateIn, type PlainDate } from '../calendar.ts';
import type { Currency } from '../currencies.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';

/** The events that change what a customer owes or has paid. */
export const accountEventTypes = [
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.failed',
  'payment_intent.canceled',
  'payment_intent.returned',
  'refund.succeeded',
  'payment_plan.closed',
  'payment_plan.deactivated',
] as const;

/** An event of a payment or a refund, of a plan that has ended, or any event of a subscription. */
export interface AccountEvent {
  at: CustomerInstant;
  type: (typeof accountEventTypes)[number] | `subscription.${string}`;
  customer_id: string;
  currency: Currency;
  /** The payment; of a refund, the payment that it gives back. Null for the others. */
  payment_intent_id: string | null;
  payment_plan_id: string | null;
  subscription_id: string | null;
  payment_link_id: string | null;
  /** What the event is about. */
  source: string;
  /** What was to be paid without surcharge, minor units. Of a subscription: 0. */
  base: MinorUnits;
  /** With it, or the amount of a refund, minor units. */
  total: MinorUnits;
  /** How much of that is tax. Of a subscription: 0. */
  tax: MinorUnits;
  /** What collecting would take for the past of a subscription, minor units. 0 for the others. */
  owed: MinorUnits;
  /** What was let go of that by name, minor units. */
  waived: MinorUnits;
  /** The credit of a subscription, minor units. 0 for the others. */
  credit: MinorUnits;
}

/** What a customer owes for: a plan, a subscription, or a payment by itself. */
export interface Debt extends Pick<AccountEvent, 'customer_id' | 'payment_plan_id' | 'subscription_id' | 'currency'> {
  /** Of a payment by itself. */
  payment_intent_id: string | null;
}

/**
 * What an event has moved. Minor units; `charged` is negative if a charge was corrected, `credited` if credit was used,
 * paid out or withheld.
 */
export interface Movement {
  debt: Debt;
  at: CustomerInstant;
  payment_intent_id: string | null;
  source: string;
  charged: MinorUnits;
  waived: MinorUnits;
  collected: MinorUnits;
  refunded: MinorUnits;
  returned: MinorUnits;
  /** The tax in what was collected; below 0 that in what was refunded or returned. */
  tax: MinorUnits;
  credited: MinorUnits;
}

/** What is owed of a debt, and since when: an attempt failed then, or the money came back. */
export interface Owed {
  amount: MinorUnits;
  since: PlainDate;
}

/** An open payment: one that is in no account is neither owed nor under way. */
interface OpenPayment extends Owed {
  debt: Debt;
  /** A first attempt that the bank has. It counts as charged, and is not late. */
  inFlight: MinorUnits;
  /** The payment of a subscription: the subscription says what is owed. */
  isOfSubscription: boolean;
  payment_link_id: string | null;
}

/** The accounts of customers, as the events so far have left them. */
export interface Accounts {
  payments: Map<string, OpenPayment>;
  subscriptions: Map<string, Owed & { debt: Debt }>;
  endedPlans: Set<string>;
  /** What subscriptions owe back, minor units. */
  credits: Map<string, MinorUnits>;
}

export function emptyAccounts(): Accounts {
  return { payments: new Map(), subscriptions: new Map(), endedPlans: new Set(), credits: new Map() };
}

/**
 * Posts an event to the accounts and returns what it has moved, or null if nothing. Events come in their order.
 *
 * What a debt owes is what the plan, the subscription or the payment says. What was charged follows: owed at the end =
 * owed before + charged − waived − collected + returned. A payment that belongs to no plan and no subscription is
 * charged when it is collected. A surcharge is charged with each collection, and given up when that comes back.
 */
export function postToAccounts(accounts: Accounts, event: AccountEvent, timeZone: string): Movement | null {
  const before = openOf(accounts, event);
  const waived = move(accounts, event, timeZone);
  const { type, total, at, source, payment_intent_id } = event;
  const tax = type === 'payment_intent.succeeded' ? event.tax : 0 - event.tax;
  const collected = type === 'payment_intent.succeeded' ? total : 0;
  const returned = type === 'payment_intent.returned' ? total : 0;
  const refunded = type === 'refund.succeeded' ? total : 0;
  const charged = openOf(accounts, event) - before + waived + collected - returned;
  const credited = moveCredit(accounts, event);
  const moved = { charged, waived, collected, refunded, returned, credited };
  if (Object.values(moved).every((amount) => amount === 0)) return null;
  const taxMoved = collected + refunded + returned === 0 ? 0 : tax;
  return { debt: debtOf(event), at, payment_intent_id, source, ...moved, tax: taxMoved };
}

/** Returns by how much the credit of the event's subscription has changed. */
function moveCredit({ credits }: Accounts, event: AccountEvent): MinorUnits {
  if (!isOfSubscription(event)) return 0;
  const before = credits.get(event.source) ?? 0;
  if (event.credit === 0) credits.delete(event.source);
  else credits.set(event.source, event.credit);
  return event.credit - before;
}

/** Returns what is owed of each debt, and since when. What is under way for the first time is not among it. */
export function owedOf({ payments, subscriptions }: Accounts): (Owed & { debt: Debt })[] {
  const ofPayments = [...payments.values()].filter(({ isOfSubscription }) => !isOfSubscription);
  return [...ofPayments, ...subscriptions.values()].filter(({ amount }) => amount > 0);
}

/** Returns what is owed or under way, minor units: what a statement has as owed. */
export function balanceOf({ payments, subscriptions }: Accounts, isOf: (debt: Debt) => boolean): MinorUnits {
  const ofPayments = [...payments.values()].filter(({ debt }) => isOf(debt));
  const ofSubscriptions = [...subscriptions.values()].filter(({ debt }) => isOf(debt));
  return (
    ofPayments.reduce((sum, { amount, inFlight }) => sum + amount + inFlight, 0) +
    ofSubscriptions.reduce((sum, { amount }) => sum + amount, 0)
  );
}

/** What the event can change of what is owed. */
function openOf({ payments, subscriptions }: Accounts, event: AccountEvent): MinorUnits {
  if (isOfSubscription(event)) return subscriptions.get(event.source)?.amount ?? 0;
  const own = payments.get(event.payment_intent_id ?? '');
  const others = replacedBy(payments, event);
  return [...(own ? [own] : []), ...others.map(([, other]) => other)].reduce(
    (sum, { amount, inFlight }) => sum + amount + inFlight,
    0,
  );
}

/** Changes the accounts. Returns what was waived. */
function move(accounts: Accounts, event: AccountEvent, timeZone: string): MinorUnits {
  const { payments, endedPlans } = accounts;
  const { type, base, total, payment_intent_id: id, payment_plan_id: plan, subscription_id: subscription } = event;
  if (isOfSubscription(event)) return moveSubscription(accounts, event, timeZone);
  if (type === 'payment_plan.closed' || type === 'payment_plan.deactivated') {
    endedPlans.add(event.source);
    return 0;
  }
  if (id === null) return 0;
  const before = payments.get(id);
  const since = dateIn(event.at, timeZone);
  const put = (change: Partial<OpenPayment>) =>
    payments.set(id, {
      debt: debtOf(event),
      amount: 0,
      since,
      inFlight: 0,
      isOfSubscription: subscription !== null,
      payment_link_id: event.payment_link_id,
      ...change,
    });
  switch (type) {
    case 'payment_intent.processing':
      // A payment by itself is charged when it is collected. A retry is owed already.
      if (before === undefined && (plan !== null || subscription !== null)) put({ inFlight: total });
      return 0;
    case 'payment_intent.succeeded':
      for (const [other] of replacedBy(payments, event)) payments.delete(other);
      payments.delete(id);
      return 0;
    case 'payment_intent.failed': {
      if (plan === null && subscription === null) return 0;
      if (subscription !== null) put({});
      else if (endedPlans.has(plan ?? '') && (before?.amount ?? 0) === 0) {
        payments.delete(id);
        return before?.inFlight ?? 0;
      } else put({ amount: base, since: before && before.amount > 0 ? before.since : since });
      return 0;
    }
    case 'payment_intent.canceled':
      payments.delete(id);
      return plan === null || before === undefined ? 0 : before.amount + before.inFlight;
    case 'payment_intent.returned':
      put(subscription === null ? { amount: base } : {});
      return 0;
    default:
      return 0;
  }
}

function moveSubscription({ subscriptions }: Accounts, event: AccountEvent, timeZone: string): MinorUnits {
  const { source, owed: amount, waived } = event;
  const before = subscriptions.get(source);
  if (amount === 0) subscriptions.delete(source);
  else subscriptions.set(source, { debt: debtOf(event), amount, since: before?.since ?? dateIn(event.at, timeZone) });
  return waived;
}

/** The payments of the same link that came back: a new payment of the customer pays them. */
function replacedBy(payments: Accounts['payments'], event: AccountEvent): [string, OpenPayment][] {
  const { type, payment_link_id: link, payment_intent_id: id, customer_id: customer } = event;
  if (type !== 'payment_intent.succeeded' || link === null) return [];
  return [...payments]
    .filter(([other, { payment_link_id }]) => payment_link_id === link && other !== id)
    .filter(([, { debt }]) => debt.customer_id === customer)
    .slice(0, 1);
}

function isOfSubscription({ type }: AccountEvent): boolean {
  return type.startsWith('subscription.');
}

function debtOf({ customer_id, payment_plan_id, subscription_id, payment_intent_id, currency }: AccountEvent): Debt {
  const isAlone = payment_plan_id === null && subscription_id === null;
  return {
    customer_id,
    payment_plan_id,
    subscription_id,
    payment_intent_id: isAlone ? payment_intent_id : null,
    currency,
  };
}
