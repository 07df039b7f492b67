import { selectLacksCardFields } from '../../db/card-setups.ts';
import type { LockedCustomerRow } from '../../db/customers.ts';
import type { OfferColumns } from '../../db/payment-links.ts';
import { lockPlan } from '../../db/payment-plans.ts';
import { listOpenPeriods } from '../../db/subscription-periods.ts';
import { lockSubscription } from '../../db/subscriptions.ts';
import type { Currency } from '../../domain/currencies.ts';
import { namedId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { mostToCome as mostOfPlan } from '../../domain/plans/plan.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import { mostToCome } from '../../domain/subscriptions/coming.ts';
import { withPeriods } from '../../domain/subscriptions/subscription.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { CheckoutSessionCreate } from '../../resources/checkout-session-input.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { timeOf } from '../customer-time.ts';
import { metadataErrors } from '../customers/resolve-references.ts';
import { missingReference } from '../errors.ts';
import { parsedUrl, payerUrlErrors } from '../payer-urls.ts';
import { isAboveScheme, type Pricing } from '../payments/fitting-method.ts';
import type { RequestContext } from '../request-context.ts';

/** What the body of a link or a session says about its offer. */
type OfferInput = Omit<CheckoutSessionCreate, 'payment_intent_id' | 'subscription_id' | 'expires_at'>;

const nothing = { email: 'no', name: 'no', phone: 'no' } as const;

/** What the key that makes a link or a session may do. */
export interface OfferingKey {
  /** Whether it may set the default payment method of a customer. If not, the page does not offer that. */
  setsDefaults: boolean;
  /** Whether live pages may load a processor's fields for cards. */
  hasCardFields?: boolean;
}

/** Whether a page can take cards in live mode, as far as is known: the processor may yet say that it has no fields. */
export async function takesLiveCards(
  db: Db,
  { billerId, livemode }: RequestContext,
  { payment_method_types: types = ['card'] }: OfferInput,
  { hasCardFields = false }: OfferingKey,
): Promise<boolean> {
  return livemode && hasCardFields && types.includes('card') && !(await selectLacksCardFields(db, billerId));
}

/** Returns the columns of an offer. `customer` is the payer, or null if it is not known. */
export function offerOf(
  input: OfferInput,
  customer: LockedCustomerRow | null,
  { setsDefaults }: OfferingKey,
  takesCards: boolean,
): OfferColumns {
  const { mode = 'payment', amount_range: range } = input;
  const isKept = mode === 'setup' || input.apply_to !== undefined;
  return {
    mode,
    name: input.name ?? null,
    description: input.description ?? null,
    amount: input.amount ?? null,
    amount_min: range?.min ?? null,
    amount_max: range?.max ?? null,
    amount_suggested: range?.suggested ?? [],
    currency: input.currency ?? null,
    collect: customer === null ? { ...nothing, email: 'required', name: 'required', ...input.collect } : nothing,
    payment_method_types: input.payment_method_types ?? ['card'],
    takes_cards: takesCards,
    save_payment_method: isKept ? 'always' : (input.save_payment_method ?? 'no'),
    makes_default: mode === 'setup' && setsDefaults ? (input.make_default ? 'always' : 'offer') : 'no',
    apply_to_payment_plan_id: namedId('payment_plan', input.apply_to?.payment_plan_id) ?? null,
    apply_to_subscription_id: namedId('subscription', input.apply_to?.subscription_id) ?? null,
    apply_to_waives_unpaid: input.apply_to?.unpaid === 'waive',
    surcharge_applied: input.surcharge_applied ?? false,
    tax_included: input.tax_included ?? true,
    statement_descriptor: input.statement_descriptor ?? null,
    metadata: input.metadata ?? {},
    success_url: input.success_url == null ? null : parsedUrl(input.success_url),
    cancel_url: input.cancel_url == null ? null : parsedUrl(input.cancel_url),
  };
}

/** Returns the field errors of an offer that its schema does not find. `customer` is locked, or null. */
export async function errorsOfOffer(
  tx: Tx,
  context: RequestContext,
  input: OfferInput,
  customer: LockedCustomerRow | null,
): Promise<FieldError[]> {
  const { payment_plan_id: planId, subscription_id: subscriptionId } = input.apply_to ?? {};
  const at = timeOf(customer, context.now);
  return [
    ...metadataErrors(input.metadata, context.livemode),
    ...urlErrors(input, context.livemode),
    ...(planId === undefined || customer === null ? [] : await planErrors(tx, context, input, planId, customer.id, at)),
    ...(subscriptionId === undefined || customer === null
      ? []
      : await subscriptionErrors(tx, context, input, subscriptionId, customer.id, at)),
  ];
}

/** Returns the field errors of the URLs that a page leads to. Null and undefined have none. */
export function urlErrors(
  input: { success_url?: string | null | undefined; cancel_url?: string | null | undefined },
  livemode: boolean,
): FieldError[] {
  return (['success_url', 'cancel_url'] as const).flatMap((name) => {
    const text = input[name];
    return text == null ? [] : payerUrlErrors(text, `/${name}`, livemode);
  });
}

async function subscriptionErrors(
  tx: Tx,
  { billerId, livemode }: RequestContext,
  input: OfferInput,
  id: string,
  customerId: string,
  at: CustomerInstant,
): Promise<FieldError[]> {
  const path = '/apply_to/subscription_id';
  const subscription = await lockSubscription(tx, id);
  if (subscription === null || subscription.biller_id !== billerId || subscription.livemode !== livemode) {
    return [missingReference(path, 'subscription', id)];
  }
  if (subscription.customer_id !== customerId) {
    return [fieldError(path, 'invalid_value', `Subscription ${id} belongs to another customer.`)];
  }
  if (subscription.state !== 'canceled') {
    const periods = await listOpenPeriods(tx, id);
    const read = withPeriods(subscription, periods, subscription.time_zone);
    return typeErrors(input, `subscription ${id}`, subscription, mostToCome(read, at) ?? 0, at);
  }
  return [fieldError(path, 'invalid_value', `Subscription ${id} is canceled; it has ended for good.`)];
}

async function planErrors(
  tx: Tx,
  { billerId, livemode }: RequestContext,
  input: OfferInput,
  planId: string,
  customerId: string,
  at: CustomerInstant,
): Promise<FieldError[]> {
  const path = '/apply_to/payment_plan_id';
  const plan = await lockPlan(tx, planId);
  const isOwn = plan !== null && plan.biller_id === billerId && plan.livemode === livemode;
  if (!isOwn) return [missingReference(path, 'payment plan', planId)];
  if (plan.customer_id !== customerId) {
    return [fieldError(path, 'invalid_value', `Payment plan ${planId} belongs to another customer.`)];
  }
  if (!hasEnded(plan.state)) return typeErrors(input, `payment plan ${planId}`, plan, mostOfPlan(plan), at);
  return [fieldError(path, 'invalid_value', `Payment plan ${planId} is ${plan.state}; it has ended for good.`)];
}

/**
 * The method that a payer saves or pays by becomes that of the subject, so each type must be able to pay for it.
 * @param most the most that one of its payments takes, minor units.
 */
function typeErrors(
  { payment_method_types: types = ['card'] }: OfferInput,
  subject: string,
  payer: Pricing & { currency: Currency },
  most: MinorUnits,
  at: CustomerInstant,
): FieldError[] {
  if (!types.includes('au_becs_debit')) return [];
  const path = '/payment_method_types';
  if (payer.currency !== schemes.au_becs.currency) {
    const message = `au_becs_debit pays in AUD only, and ${subject} is in ${payer.currency}.`;
    return [fieldError(path, 'method_currency_mismatch', message)];
  }
  if (!isAboveScheme(payer, most, at)) return [];
  const message = `au_becs_debit allows less for one debit than ${most}, which ${subject} takes. Leave it out.`;
  return [fieldError(path, 'mandate_limit_exceeded', message)];
}
