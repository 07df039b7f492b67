import { lockMandateOfMethod, type MandateRow } from '../../db/mandates.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { exceedsLimit } from '../../domain/mandates/mandate.ts';
import { fitsCurrency, schemes } from '../../domain/schemes/schemes.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { Tenant } from '../request-context.ts';
import { refusalError } from './rail.ts';
import { type SurchargingRow, surchargeColumns, surchargingOf } from './surcharges.ts';

/** Returns the field error of a method that cannot pay in this currency. `path` is that of the field in the body. */
export function currencyErrors(
  method: Pick<PaymentMethodRow, 'instrument'> | null | undefined,
  currency: Currency,
  path: string,
): FieldError[] {
  if (!method || fitsCurrency(method, currency)) return [];
  return [fieldError(path, 'currency_of_scheme', 'A bank account is debited in AUD only. Use another method.')];
}

/** As `currencyErrors`, for a method that was named before. */
export async function currencyErrorsOf(
  db: Db,
  tenant: Tenant,
  methodId: string | null,
  currency: Currency,
  path: string,
): Promise<FieldError[]> {
  return currencyErrors(methodId === null ? null : await selectPaymentMethod(db, tenant, methodId), currency, path);
}

/** Whether a customer’s default can pay in this currency. One that cannot is not taken: it is as if there were none. */
export async function hasFittingDefault(
  db: Db,
  tenant: Tenant,
  defaultId: string | null,
  currency: Currency,
): Promise<boolean> {
  const method = defaultId === null ? null : await selectPaymentMethod(db, tenant, defaultId);
  return method !== null && fitsCurrency(method, currency);
}

/** What the payments of a plan or a subscription take from its payer, and what its biller's row says of surcharges. */
export interface Pricing extends SurchargingRow {
  customer_pays_fees: boolean;
}

/**
 * Says in a request, before a charge of this base amount, that the mandate of its locked method or the scheme allows
 * less for one debit. For a card, and for an account without a mandate, nothing is read. Locks the mandate.
 * @throws InvalidState `mandate_limit_exceeded`, the code that the charge would have.
 */
export async function assertWithinLimit(
  tx: Tx,
  method: PaymentMethodRow | null,
  payer: Pricing,
  amount: MinorUnits,
  at: CustomerInstant,
): Promise<void> {
  if (method === null || !(await isAboveLimit(tx, method, payer, amount, at))) return;
  throw refusalError('mandate_limit_exceeded', method.id, '/payment_instrument_id');
}

/**
 * Whether the mandate of a locked method, or its scheme, allows less for one debit than this base amount with its
 * surcharge at `at`. Locks the mandate.
 */
async function isAboveLimit(
  tx: Tx,
  method: PaymentMethodRow | null,
  payer: Pricing,
  amount: MinorUnits,
  at: CustomerInstant,
): Promise<boolean> {
  const mandate = method?.instrument.type === 'au_becs_debit' ? await lockMandateOfMethod(tx, method.id) : null;
  return isAboveMandate(mandate, method, payer, amount, at);
}

/** As `isAboveLimit`, under a mandate that was read. Without a method or a mandate in force there is no limit. */
export function isAboveMandate(
  mandate: MandateRow | null,
  method: PaymentMethodRow | null,
  payer: Pricing,
  amount: MinorUnits,
  at: CustomerInstant,
): boolean {
  if (method === null || mandate === null || mandate.ended_at !== null) return false;
  const total = totalBy(method, payer, amount, at);
  return exceedsLimit(mandate, schemes[mandate.scheme], { amount: total, livemode: payer.livemode });
}

/** As `isAboveLimit`, for a bank account that is not known yet: whether its scheme allows less under any mandate. */
export function isAboveScheme(payer: Pricing, amount: MinorUnits, at: CustomerInstant): boolean {
  const account = { instrument: { type: 'au_becs_debit', instrument_data: {} }, brand: null } as const;
  const total = totalBy(account, payer, amount, at);
  return exceedsLimit({ max_amount_cents: null }, schemes.au_becs, { amount: total, livemode: payer.livemode });
}

function totalBy(method: MethodFacts, payer: Pricing, amount: MinorUnits, at: CustomerInstant): MinorUnits {
  const asked = { amount, isAsked: payer.customer_pays_fees };
  return surchargeColumns(asked, method, surchargingOf(payer), at).total_amount;
}
