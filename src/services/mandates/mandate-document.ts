import type { MandateRow } from '../../db/mandates.ts';
import { selectMandateText } from '../../db/mandates.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { currentMandateText, type MandateText } from '../../domain/mandates/mandate-texts.ts';
import type { Scheme } from '../../domain/schemes/schemes.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { NotFound } from '../errors.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { nameOfBiller } from './acceptance.ts';
import { getMandate } from './mandates.ts';

/** What the document of a mandate shows. */
export interface MandateDocument {
  mandate: MandateRow;
  account: Extract<PaymentMethodRow['instrument'], { type: 'au_becs_debit' }>['instrument_data'];
  /** The last four characters of the account number, as it was saved; null for an account without a number. */
  last4: string | null;
  /** The biller's name when the mandate was activated; the present one until then. */
  billerName: string;
  /**
   * What the payer agreed to, word for word. For a mandate without acceptance, the present text; null if the payer
   * agreed elsewhere.
   */
  text: MandateText | null;
}

/** Returns the text that payers are shown now. */
export async function getMandateText(db: Db, context: RequestContext, scheme: Scheme): Promise<MandateText> {
  return currentMandateText(scheme, await nameOfBiller(db, context.billerId));
}

/** @throws NotFound */
export async function getMandateDocument(db: Db, tenant: Tenant, id: string): Promise<MandateDocument> {
  const mandate = await getMandate(db, tenant, id);
  const { payment_method_id: methodId, scheme, accepted_at: acceptedAt, text_sha256: sha256 } = mandate;
  const method = await selectPaymentMethod(db, tenant, methodId);
  // It may have been deleted since the first read, with its test clock.
  if (method?.instrument.type !== 'au_becs_debit') throw new NotFound('mandate', id);
  const billerName = mandate.biller_name ?? (await nameOfBiller(db, tenant.billerId));
  const agreed = sha256 === null ? null : await selectMandateText(db, tenant, sha256);
  const text = acceptedAt === null ? currentMandateText(scheme, billerName) : agreed;
  return { mandate, account: method.instrument.instrument_data, last4: method.last4, billerName, text };
}
