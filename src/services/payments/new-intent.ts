import type { CustomerRow } from '../../db/customers.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { dateIn, startOfDay } from '../../domain/calendar.ts';
import type { Currency } from '../../domain/currencies.ts';
import { feeFor } from '../../domain/fees.ts';
import { type Id, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { BasisPoints, MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import type { RequestContext } from '../request-context.ts';
import {
  type DecidedIntent,
  decideSurcharge,
  type SurchargingRow,
  surchargeColumns,
  surchargingOf,
} from './surcharges.ts';

// The rows of new payment intents: those that a request makes, and those of plans and subscriptions.

/** Returns the id of a new intent in the mode of the request. */
export function newIntentId(context: RequestContext): Id<'payment_intent'> {
  return newId('payment_intent', context);
}

/** Returns the row of a new intent, in which nothing was tried yet. */
export function newIntent(
  context: RequestContext,
  input: PaymentIntentCreate,
  {
    at,
    payer,
    method,
  }: {
    at: CustomerInstant;
    payer: Pick<CustomerRow, 'id' | 'fee_preferences'> | null;
    method: Pick<PaymentMethodRow, 'id' | 'instrument' | 'brand'> | null;
  },
): PaymentIntentRow {
  const payerPaysFees = payer?.fee_preferences?.customer_pays_transaction_fees ?? false;
  const fee = feeFor(input.amount, context.feeSchedule);
  const asked = { amount: input.amount, fee, isAsked: input.surcharge_applied === true || payerPaysFees };
  const date = input.scheduled_payment_date ?? null;
  const isToday = date !== null && date <= dateIn(at, context.timeZone);
  return {
    id: newIntentId(context),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: payer?.id ?? null,
    payment_method_id: method?.id ?? null,
    payment_plan_id: null,
    payment_plan_slot: null,
    amount: input.amount,
    agreed_amount: input.amount,
    fee_amount: fee,
    // What is taken is decided again at each attempt.
    ...surchargeColumns(asked, method, context, at),
    surcharge_basis: null,
    currency: input.currency,
    metadata: input.metadata ?? {},
    statement_descriptor: input.statement_descriptor ?? context.statementDescriptor,
    description: input.description ?? null,
    scheduled_payment_date: isToday ? null : date,
    scheduled_at: date === null ? null : isToday ? at : startOfDay(date, context.timeZone),
    ...untried(at),
  };
}

/** A locked plan or subscription, with what its payments take from its customer and its biller. */
export interface Payer extends SurchargingRow {
  biller_id: Id<'biller'>;
  customer_id: Id<'customer'>;
  payment_instrument_id: Id<'payment_method'> | null;
  default_payment_method_id: Id<'payment_method'> | null;
  fee_basis_points: BasisPoints;
  fee_fixed: MinorUnits;
  customer_pays_fees: boolean;
  currency: Currency;
  metadata: Record<string, string>;
  statement_descriptor: string | null;
}

/**
 * Returns the payer's own method or, if it has none, the customer's current default. Returns null if that method cannot
 * be charged. A default that cannot pay in the payer's currency is not taken.
 */
export async function chargeableMethod(tx: Tx, payer: Payer): Promise<PaymentMethodRow | null> {
  const id = payer.payment_instrument_id ?? payer.default_payment_method_id;
  const tenant = tenantOf(payer);
  const method = id === null ? null : await lockPaymentMethod(tx, tenant, id);
  if (method === null || method.detached_at !== null) return null;
  return payer.payment_instrument_id === null && !fitsCurrency(method, payer.currency) ? null : method;
}

/** What a payment intent is for. */
type Purpose = Partial<
  Pick<
    PaymentIntentRow,
    | 'payment_plan_id'
    | 'payment_plan_slot'
    | 'subscription_id'
    | 'subscription_charge'
    | 'subscription_period'
    | 'metadata'
  >
>;

/** Returns a new intent over a base amount that is charged by this method now. */
export function recurringIntent(
  payer: Payer,
  purpose: Purpose,
  amount: MinorUnits,
  method: (Pick<PaymentMethodRow, 'id'> & MethodFacts) | null,
  at: CustomerInstant,
): DecidedIntent {
  const fee = feeFor(amount, { basisPoints: payer.fee_basis_points, fixed: payer.fee_fixed });
  const surcharging = surchargingOf(payer);
  const asked = { amount, fee, isAsked: payer.customer_pays_fees };
  const row = {
    id: newId('payment_intent', payer),
    biller_id: payer.biller_id,
    livemode: payer.livemode,
    customer_id: payer.customer_id,
    payment_method_id: method?.id ?? payer.payment_instrument_id,
    payment_plan_id: null,
    payment_plan_slot: null,
    amount,
    agreed_amount: amount,
    fee_amount: fee,
    ...surchargeColumns(asked, method, surcharging, at),
    currency: payer.currency,
    metadata: payer.metadata,
    statement_descriptor: payer.statement_descriptor,
    description: null,
    scheduled_payment_date: null,
    scheduled_at: null,
    ...untried(at),
    ...purpose,
  };
  return decideSurcharge(row, method, surcharging, at);
}

/** The columns of a new intent, in which nothing was tried yet. */
function untried(at: CustomerInstant) {
  return {
    status: 'requires_payment_method',
    subscription_id: null,
    subscription_charge: null,
    subscription_period: null,
    attempt_count: 0,
    payer_failures: 0,
    payment_link_id: null,
    checkout_session_id: null,
    total_refunded_amount: 0,
    mandate_id: null,
    expected_result_date: null,
    returnable_until: null,
    total_returned_amount: 0,
    lodgement_reference: null,
    collected_at: null,
    last_error_code: null,
    last_error_message: null,
    return_url: null,
    created_at: at,
    updated_at: at,
  } as const;
}
