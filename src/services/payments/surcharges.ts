// The one place that decides the fee, the surcharge and the tax of a payment: what is shown before it, and what is
// taken at each attempt. The rules are in domain/surcharges and domain/tax.

import type { PaymentIntentRow, SurchargeBasis } from '../../db/payment-intents.ts';
import { dateIn } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Costs } from '../../domain/surcharges/costs.ts';
import { type FeeColumns, type Fees, feeFor, feesOf } from '../../domain/surcharges/fees.ts';
import { type MethodFacts, meansOf } from '../../domain/surcharges/means.ts';
import { isGoverned, type SurchargeTerms, surchargeOf } from '../../domain/surcharges/surcharge.ts';
import { includedTax, type Tax, type TaxBasis, taxBasisOf } from '../../domain/tax/tax.ts';
import type { MinorUnits } from '../../domain/units.ts';

/** What the biller's row says about fees and surcharges. */
export interface Surcharging extends SurchargeTerms {
  fees: Fees;
  /** IANA name. The date of a payment is one of this calendar. */
  timeZone: string;
  /** The tax that the biller's prices include. */
  tax: Tax | null;
}

/** The columns of an intent that say what it costs its biller, and what its payer pays on top of the amount. */
export type SurchargeColumns = Pick<
  PaymentIntentRow,
  | 'fee_amount'
  | 'surcharge_asked'
  | 'surcharge_amount'
  | 'surcharge_applied'
  | 'surcharge_reason'
  | 'surcharge_basis'
  | 'total_amount'
>;

/** The columns of an intent that say what it takes, and how much of that is tax. */
export type ChargedColumns = SurchargeColumns & Pick<PaymentIntentRow, 'tax_basis' | 'tax_amount'>;

declare const decided: unique symbol;
/** An intent whose fee and surcharge were decided for the attempt opened now. Only `decideSurcharge` makes it. */
export type DecidedIntent = PaymentIntentRow & { readonly [decided]: true };

/** The columns that say it, of a row that was joined with its biller. */
export interface SurchargingRow extends FeeColumns {
  livemode: boolean;
  country: string | null;
  cost_of_acceptance: Costs;
  time_zone: string;
  tax: Tax | null;
}

/** Returns what the columns of a biller say about fees and surcharges. */
export function surchargingOf(row: SurchargingRow): Surcharging {
  const { livemode, country, cost_of_acceptance: costs, time_zone: timeZone, tax } = row;
  return { livemode, country, costs, timeZone, tax, fees: feesOf(row) };
}

/**
 * Returns what a payment comes to by a method at an instant. While the method is unknown (null), it is the most that
 * any method may come to.
 */
export function surchargeColumns(
  { amount, isAsked }: { amount: MinorUnits; isAsked: boolean },
  method: MethodFacts | null,
  biller: Surcharging,
  at: CustomerInstant,
): SurchargeColumns {
  const means = method && meansOf(method);
  const fee = feeFor(amount, biller.fees, means?.type ?? null);
  const found = isAsked ? surchargeOf(biller, { amount, fee, means, date: dateIn(at, biller.timeZone) }) : null;
  const surcharge = found?.amount ?? 0;
  const basis: SurchargeBasis | null =
    found !== null && means !== null && isGoverned(biller)
      ? { country: biller.country, costs: biller.costs, ...means }
      : null;
  return {
    fee_amount: fee,
    surcharge_asked: isAsked,
    surcharge_amount: surcharge,
    surcharge_applied: surcharge > 0,
    surcharge_reason: found?.reason ?? null,
    surcharge_basis: basis,
    total_amount: amount + surcharge,
  };
}

/**
 * Returns the columns of a payment that is made now, over this amount, by a method at an instant. `taxable` is the part
 * of the amount that includes the biller's tax.
 */
export function chargedColumns(
  { taxable, ...asked }: { amount: MinorUnits; taxable: MinorUnits; isAsked: boolean },
  method: MethodFacts | null,
  biller: Surcharging,
  at: CustomerInstant,
): ChargedColumns {
  const columns = surchargeColumns(asked, method, biller, at);
  return { ...columns, ...taxColumns(asked.amount, columns, taxBasisOf(biller.tax, taxable)) };
}

function taxColumns(
  amount: MinorUnits,
  { total_amount: total }: Pick<SurchargeColumns, 'total_amount'>,
  basis: TaxBasis | null,
): Pick<ChargedColumns, 'tax_basis' | 'tax_amount'> {
  return { tax_basis: basis, tax_amount: includedTax({ amount, total }, basis) };
}

/**
 * Returns an intent as its next attempt charges it, by this method at this instant. Without a method nothing is
 * charged, and nothing changes. The tax stays the one that the payment was made with.
 */
export function decideSurcharge<T extends PaymentIntentRow>(
  intent: T,
  method: MethodFacts | null,
  biller: Surcharging,
  at: CustomerInstant,
): T & DecidedIntent {
  const { amount, surcharge_asked: isAsked, tax_basis: basis } = intent;
  if (method === null) return intent as T & DecidedIntent;
  const columns = surchargeColumns({ amount, isAsked }, method, biller, at);
  return { ...intent, ...columns, ...taxColumns(amount, columns, basis) } as T & DecidedIntent;
}
