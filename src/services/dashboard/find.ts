import type { CustomerRow } from '../../db/customers.ts';
import { selectCustomer } from '../../db/customers.ts';
import { findCustomers, findPaymentsByLodgement, findPaymentsByTotal } from '../../db/dashboard-find.ts';
import { type Payer, payersOf } from '../../db/dashboard-payments.ts';
import { type PaymentIntentRow, selectPaymentIntent } from '../../db/payment-intents.ts';
import { selectPaymentMethod } from '../../db/payment-methods.ts';
import { selectRefund } from '../../db/refunds.ts';
import { currencies } from '../../domain/currencies.ts';
import { isId } from '../../domain/ids.ts';
import { parseAmount } from '../../domain/words/money.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { NotFound } from '../errors.ts';
import { getPaymentLink } from '../links/payment-links.ts';
import { getMandate } from '../mandates/mandates.ts';
import { listPaymentIntents } from '../payments/payment-intents.ts';
import { getPaymentPlan } from '../plans/payment-plans.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { getSubscription } from '../subscriptions/subscriptions.ts';

/** So many hits of each kind are shown. If there are more, the page says so. */
const mostHits = 20;
const failuresShown = 10;

/** A payment, and who pays it. */
export interface PaymentHit {
  payment: PaymentIntentRow;
  customer: Payer | null;
}

export interface Found {
  customers: CustomerRow[];
  payments: PaymentHit[];
  /** Whether there may be more. */
  isCut: boolean;
}

/**
 * Finds customers and payments by what a person knows: an id, an e-mail address, a reference, a name or the beginnings
 * of its words, the last four digits of a card or account, an amount such as `49.00`, or the reference on a statement.
 * Each is read by an index. Customers on test clocks and deleted ones are found too.
 */
export async function find(db: Db, tenant: Tenant, typed: string): Promise<Found> {
  const text = typed.replaceAll('\0', '').trim();
  if (text === '') return { customers: [], payments: [], isCut: false };
  const named = await findById(db, tenant, text);
  if (named !== null) return named;
  const [customers, byTotal, byLodgement] = await Promise.all([
    findCustomers(db, tenant, searchOf(text), mostHits + 1),
    findPaymentsByTotal(db, tenant, amountsIn(text), mostHits + 1),
    findPaymentsByLodgement(db, tenant, text.toUpperCase(), mostHits + 1),
  ]);
  const payments = [...byLodgement, ...byTotal];
  return {
    customers: customers.slice(0, mostHits),
    payments: await withCustomers(db, tenant, payments.slice(0, mostHits)),
    isCut: customers.length > mostHits || payments.length > mostHits,
  };
}

/** Returns the newest payments that have failed, without those on test clocks. */
export async function newestFailures(db: Db, context: RequestContext): Promise<PaymentHit[]> {
  const { rows } = await listPaymentIntents(
    db,
    context,
    { status: 'failed', testClock: 'none' },
    { limit: failuresShown },
  );
  return withCustomers(db, context, rows.slice(0, failuresShown));
}

function searchOf(text: string) {
  if (text.includes('@')) return { email: text, reference: text };
  return { reference: text, words: text, ...(/^\d{4}$/.test(text) ? { last4: text } : {}) };
}

/** An amount has decimals or the sign of a currency, or is short: four digits are those of a card. */
function amountsIn(text: string) {
  if (!/[.,]\d{1,2}\D*$|^\d{1,3}$|^[A-Z]{0,3}[$€£¥]\s?\d|^[A-Z]{3}\s?\d/i.test(text)) return [];
  return currencies.flatMap((currency) => {
    const total = parseAmount(text, currency);
    return total === null ? [] : [{ currency, total }];
  });
}

/** What an id names: the customer, or the payment. Null if the text is no id, or is of nothing here. */
async function findById(db: Db, tenant: Tenant, id: string): Promise<Found | null> {
  const intentId = isId('payment_intent', id) ? id : isId('refund', id) ? await intentOfRefund(db, tenant, id) : null;
  if (intentId !== null) {
    const payment = await selectPaymentIntent(db, tenant, intentId);
    return payment && { customers: [], payments: await withCustomers(db, tenant, [payment]), isCut: false };
  }
  const customerId = await customerOf(db, tenant, id);
  const customer = customerId === null ? null : await selectCustomer(db, tenant, customerId);
  return customer && { customers: [customer], payments: [], isCut: false };
}

async function intentOfRefund(db: Db, tenant: Tenant, id: string): Promise<string | null> {
  return (await selectRefund(db, tenant, id))?.payment_intent_id ?? null;
}

/** The customer that has the object of this id. */
async function customerOf(db: Db, tenant: Tenant, id: string): Promise<string | null> {
  if (isId('customer', id)) return id;
  if (isId('payment_method', id)) return (await selectPaymentMethod(db, tenant, id))?.customer_id ?? null;
  const read = isId('payment_plan', id)
    ? getPaymentPlan
    : isId('subscription', id)
      ? getSubscription
      : isId('payment_link', id)
        ? getPaymentLink
        : isId('mandate', id)
          ? getMandate
          : null;
  if (read === null) return null;
  try {
    return (await read(db, tenant, id)).customer_id;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

async function withCustomers(db: Db, tenant: Tenant, payments: readonly PaymentIntentRow[]): Promise<PaymentHit[]> {
  const ids = payments.flatMap(({ customer_id: id }) => (id === null ? [] : [id]));
  const customers = await payersOf(db, tenant, ids);
  return payments.map((payment) => ({ payment, customer: customers.get(payment.customer_id ?? '') ?? null }));
}
