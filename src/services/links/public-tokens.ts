import { type BillerRow, selectBiller } from '../../db/billers.ts';
import { type CheckoutSessionRow, selectSessionByToken } from '../../db/checkout-sessions.ts';
import { type CustomerRow, selectCustomer } from '../../db/customers.ts';
import { hasLastOfLinkReturned, type PaymentIntentRow, selectPaymentIntent } from '../../db/payment-intents.ts';
import {
  type OfferColumns,
  type PaymentLinkRow,
  selectLinkByToken,
  selectPaymentLink,
} from '../../db/payment-links.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { selectClockById } from '../../db/test-clocks.ts';
import type { Currency } from '../../domain/currencies.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import { includedTax, type TaxBasis, taxBasisOf } from '../../domain/tax/tax.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { surchargeColumns, surchargingOf } from '../payments/surcharges.ts';
import { type LinkState, type SessionState, stateOfLink, stateOfSession } from './availability.ts';
import { hashOfToken } from './tokens.ts';

/** What a payer pays. */
export interface Price {
  amount: MinorUnits;
  surchargeAmount: MinorUnits;
  totalAmount: MinorUnits;
  currency: Currency;
  /** The tax that it includes. Null without one. */
  tax: { label: string; amount: MinorUnits } | null;
}

/** What the pages of links and sessions have in common. */
interface ForPayer {
  biller: BillerRow;
  customer: Pick<CustomerRow, 'id' | 'name' | 'email' | 'fee_preferences' | 'created_at'> | null;
  at: CustomerInstant;
  /** Null in setup mode, and while the payer chooses the amount. */
  price: Price | null;
}

/** A link as its payer may see it. */
export interface LinkForPayer extends ForPayer {
  link: PaymentLinkRow;
  state: LinkState;
  /**
   * Its last payment has come back, so the same is paid again. False if the payers of the link may be strangers to each
   * other: another one's payment is not theirs to know.
   */
  cameBack: boolean;
}

/** A session as its payer may see it. `link` is null for a session of its own, `intent` before the first attempt. */
export interface SessionForPayer extends ForPayer {
  session: CheckoutSessionRow;
  link: PaymentLinkRow | null;
  intent: PaymentIntentRow | null;
  state: SessionState;
}

/** Returns the link whose URL has this token, or null. Writes nothing. */
export async function findLink(db: Db, token: string, now: RealInstant): Promise<LinkForPayer | null> {
  const link = await selectLinkByToken(db, hashOfToken(token));
  if (link === null) return null;
  const isOfOnePayer = link.max_payments === 1 || link.customer_id !== null;
  const [{ at, isAdvancing, ...known }, cameBack] = await Promise.all([
    surroundingsOf(db, link, now),
    link.status === 'open' && isOfOnePayer ? hasLastOfLinkReturned(db, link.id) : false,
  ]);
  const state = isAdvancing && link.status === 'open' ? 'advancing' : stateOfLink(link, at);
  return { link, ...known, at, state, cameBack, price: priceOfOffer(link, { ...known, at }, link.amount, null) };
}

/** Returns the session whose URL has this token, or null. Writes nothing. */
export async function findSession(db: Db, token: string, now: RealInstant): Promise<SessionForPayer | null> {
  const session = await selectSessionByToken(db, hashOfToken(token));
  return session === null ? null : describeSession(db, session, now);
}

/** Returns a session with what a payer may see of it. */
export async function describeSession(db: Db, session: CheckoutSessionRow, now: RealInstant): Promise<SessionForPayer> {
  const tenant = tenantOf(session);
  const { payment_link_id: linkId, payment_intent_id: intentId } = session;
  const [{ at, isAdvancing, ...known }, link, intent] = await Promise.all([
    surroundingsOf(db, session, now),
    linkId === null ? null : selectPaymentLink(db, tenant, linkId),
    intentId === null ? null : selectPaymentIntent(db, tenant, intentId),
  ]);
  const state = stateOfSession(session, link, intent, at);
  const isMoving = isAdvancing && state !== 'completed' && state !== 'expired';
  const found = { session, link, intent, ...known, at, state: isMoving ? ('advancing' as const) : state };
  const isOver = intent !== null && state !== 'open';
  return {
    ...found,
    price: isOver ? priceIn(intent, intent, intent.tax_basis) : priceFor(found, session.amount, null),
  };
}

/** Returns the payment of a session and the method that was charged or saved, each or null. */
export async function paymentOfSession(
  db: Db,
  session: CheckoutSessionRow,
): Promise<{ intent: PaymentIntentRow | null; method: PaymentMethodRow | null }> {
  const tenant = tenantOf(session);
  const intentId = session.payment_intent_id;
  const intent = intentId === null ? null : await selectPaymentIntent(db, tenant, intentId);
  const methodId = session.payment_method_id ?? intent?.payment_method_id ?? null;
  const method = methodId === null ? null : await selectPaymentMethod(db, tenant, methodId);
  return { intent, method };
}

/**
 * Returns what a payer pays for this base amount by this method. While the method is unknown (null), it is the most
 * that any method may come to. Null without an amount, and in setup mode.
 */
export function priceFor(
  found: Omit<LinkForPayer, 'price' | 'cameBack'> | Omit<SessionForPayer, 'price'>,
  amount: MinorUnits | null,
  method: MethodFacts | null,
): Price | null {
  if (!('session' in found)) return priceOfOffer(found.link, found, amount, method);
  const { session, intent, biller, at } = found;
  if (intent === null || session.amount === null) return priceOfOffer(session, found, amount, method);
  const asked = { amount: intent.amount, isAsked: intent.surcharge_asked };
  const surcharging = surchargingOf({ ...biller, livemode: session.livemode });
  return priceIn(intent, surchargeColumns(asked, method, surcharging, at), intent.tax_basis);
}

function priceOfOffer(
  offer: OfferColumns & { livemode: boolean },
  { biller, customer, at }: Pick<ForPayer, 'biller' | 'customer' | 'at'>,
  amount: MinorUnits | null,
  method: MethodFacts | null,
): Price | null {
  if (amount === null || offer.currency === null) return null;
  const paysFees = customer?.fee_preferences?.customer_pays_transaction_fees ?? false;
  const asked = { amount, isAsked: offer.surcharge_applied || paysFees };
  const surcharging = surchargingOf({ ...biller, livemode: offer.livemode });
  const tax = taxBasisOf(biller.tax, offer.tax_included ? amount : 0);
  return priceIn({ amount, currency: offer.currency }, surchargeColumns(asked, method, surcharging, at), tax);
}

function priceIn(
  { amount, currency }: { amount: MinorUnits; currency: Currency },
  {
    surcharge_amount: surchargeAmount,
    total_amount: totalAmount,
  }: Pick<PaymentIntentRow, 'surcharge_amount' | 'total_amount'>,
  basis: TaxBasis | null,
): Price {
  const tax = basis && { label: basis.label, amount: includedTax({ amount, total: totalAmount }, basis) };
  return { amount, surchargeAmount, totalAmount, currency, tax };
}

async function surroundingsOf(
  db: Db,
  row: Pick<PaymentLinkRow, 'biller_id' | 'livemode' | 'customer_id' | 'test_clock_id'>,
  now: RealInstant,
) {
  const { biller_id: billerId, livemode, customer_id: customerId, test_clock_id: clockId } = row;
  const [biller, customer, clock] = await Promise.all([
    selectBiller(db, billerId),
    customerId === null ? null : selectCustomer(db, { billerId, livemode }, customerId),
    clockId === null ? null : selectClockById(db, clockId),
  ]);
  if (biller === null) throw new Error(`biller ${billerId} does not exist`);
  return { biller, customer, at: clock?.frozen_time ?? withoutClock(now), isAdvancing: clock?.status === 'advancing' };
}
