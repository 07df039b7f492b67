// A charge without a payer: of a plan, of a subscription, or a scheduled one. It has three steps, each committed before
// the next: the attempt is opened, for plans and subscriptions with its payment; the processor is asked; the outcome is
// recorded.

import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { declined } from '../../domain/charge-outcome.ts';
import type { Currency } from '../../domain/currencies.ts';
import { type Id, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { askAndRecord, type ChargeHook, openCharge, recordOutcome } from './charge.ts';
import { type Charge, type NewCharge, untriedIntent } from './charge-records.ts';
import { acceptDebit } from './debit-acceptance.ts';
import { declineOf, type Rail } from './rail.ts';
import {
  chargedColumns,
  type DecidedIntent,
  decideSurcharge,
  type SurchargingRow,
  surchargingOf,
} from './surcharges.ts';

/** A locked plan or subscription, with what its payments take from its customer and its biller. */
export interface Payer extends SurchargingRow {
  biller_id: Id<'biller'>;
  customer_id: Id<'customer'>;
  payment_instrument_id: Id<'payment_method'> | null;
  default_payment_method_id: Id<'payment_method'> | null;
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

/** What a payment takes without surcharge, and the part of it that includes the biller's tax. */
interface BaseAmount {
  amount: MinorUnits;
  taxable: MinorUnits;
}

/** Returns a new intent over a base amount that is charged by this method now. */
export function recurringIntent(
  payer: Payer,
  purpose: Purpose,
  { amount, taxable }: BaseAmount,
  method: (Pick<PaymentMethodRow, 'id'> & MethodFacts) | null,
  at: CustomerInstant,
): DecidedIntent {
  const surcharging = surchargingOf(payer);
  const asked = { amount, taxable, isAsked: payer.customer_pays_fees };
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
    ...chargedColumns(asked, method, surcharging, at),
    currency: payer.currency,
    metadata: payer.metadata,
    statement_descriptor: payer.statement_descriptor,
    description: null,
    scheduled_payment_date: null,
    scheduled_at: null,
    ...untriedIntent(at),
    ...purpose,
  };
  return decideSurcharge(row, method, surcharging, at);
}

/**
 * Opens the next attempt of a locked intent. Returns the charge to ask the processor about, or null if there is nothing
 * to ask: a debit is accepted. After it, and after what the caller records about the attempt, comes `failIfRefused`.
 */
export async function openRecurringCharge(
  tx: Tx,
  intent: DecidedIntent,
  method: PaymentMethodRow | null,
  rail: Rail,
  newCharge: NewCharge,
): Promise<Charge | null> {
  if (rail.kind !== 'debit' || method === null) return openCharge(tx, intent, method, newCharge);
  await acceptDebit(tx, intent, method, rail, newCharge);
  return null;
}

/**
 * Fails the attempt that was just opened, in the same transaction, if the bank account must not be debited. Returns the
 * charge to ask the processor about, or null if there is nothing to ask.
 */
export async function failIfRefused(
  tx: Tx,
  charge: Charge | null,
  rail: Rail,
  now: RealInstant,
  hook: ChargeHook | null,
): Promise<Charge | null> {
  if (charge === null || rail.kind !== 'refused') return charge;
  await recordOutcome(tx, charge, { outcome: declined(declineOf(rail.refusal)), requestId: null, now }, hook);
  return null;
}

/**
 * Asks the processor about an opened charge, and records the outcome.
 * @throws ProcessorUnavailable when the processor gave no outcome. The attempt stays open, and is asked about again.
 */
export async function chargeAndRecord(
  sql: Db,
  { processors, hook }: { processors: Processors; hook: ChargeHook | null },
  charge: Charge,
  now: RealInstant,
  what: 'collection' | 'scheduled payment' = 'collection',
): Promise<void> {
  await askAndRecord(sql, processors, charge, what, (outcome) =>
    recordOutcome(sql, charge, { outcome, requestId: null, now }, hook),
  );
}
