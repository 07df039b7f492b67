import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { Currency } from '../../domain/currencies.ts';
import { feeFor } from '../../domain/fees.ts';
import { type Id, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { fitsCurrency } from './fitting-method.ts';
import { untried } from './payment-intents.ts';
import {
  type DecidedIntent,
  decideSurcharge,
  type SurchargingRow,
  surchargeColumns,
  surchargingOf,
} from './surcharges.ts';

/** A locked plan or subscription, with what its payments take from its customer and its biller. */
export interface Payer extends SurchargingRow {
  biller_id: string;
  customer_id: Id<'customer'>;
  payment_instrument_id: Id<'payment_method'> | null;
  default_payment_method_id: Id<'payment_method'> | null;
  fee_basis_points: number;
  fee_fixed: number;
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

/** Returns a new intent over a base amount, minor units, that is charged by this method now. */
export function recurringIntent(
  payer: Payer,
  purpose: Purpose,
  amount: number,
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
