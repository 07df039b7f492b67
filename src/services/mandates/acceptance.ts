import { selectBiller } from '../../db/billers.ts';
import { type AcceptanceColumns, insertMandateText, type MandateRow, selectMandateText } from '../../db/mandates.ts';
import type { Id } from '../../domain/ids.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import { nextChargeDate } from '../../domain/mandates/mandate.ts';
import { withNoticeDue } from '../../domain/mandates/mandate-notices.ts';
import { findMandateText, type MandateText } from '../../domain/mandates/mandate-texts.ts';
import { mandateLapsesAt } from '../../domain/schemes/debit-dates.ts';
import { type Scheme, schemes } from '../../domain/schemes/schemes.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { AcceptanceInput } from '../../resources/mandate-input.ts';
import { cardNumberErrors } from '../customers/card-numbers.ts';
import { ValidationFailed } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';

/** An acceptance that has been checked. */
export interface Acceptance {
  columns: AcceptanceColumns;
  /** What the payer agreed to; null for words that are not kept here. */
  text: MandateText | null;
  errors: FieldError[];
}

/** The columns of a mandate without acceptance. */
export const notAccepted = {
  acceptance_type: null,
  accepted_at: null,
  ip_address: null,
  user_agent: null,
  connection_ip_address: null,
  connection_user_agent: null,
  signatory_name: null,
  biller_name: null,
  text_version: null,
  text_sha256: null,
} as const satisfies AcceptanceColumns;

/**
 * Checks an acceptance, and returns it with its field errors. A payer accepts now, whatever is claimed, and what the
 * service has seen of the connection is kept next to what is claimed. No string of either may hold the number of a
 * card. `path` leads to the acceptance in the body.
 */
export async function readAcceptance(
  db: Db,
  context: RequestContext,
  scheme: Scheme,
  input: AcceptanceInput,
  { at, path }: { at: CustomerInstant; path: string },
): Promise<Acceptance> {
  const billerName = await nameOfBiller(db, context.billerId);
  const errors = [
    ...cardNumberErrors(input, path),
    ...cardNumberErrors(context.connection?.userAgent, 'header/User-Agent'),
  ];
  const acceptedAt = input.accepted_at === undefined ? at : customerInstant(input.accepted_at);
  if (acceptedAt > at) {
    const message = `accepted_at must not be after the customer’s current time, ${at.toISOString()}.`;
    errors.push(fieldError(`${path}/accepted_at`, 'out_of_range', message));
  }
  const { text_version: version, text_sha256: sha256 } = input;
  const text = sha256 === undefined ? null : await textWithHash(db, context, scheme, billerName, sha256);
  if (sha256 !== undefined && text?.version !== version) {
    const message = `You have no text with version ${version} and this hash. Show the payer the current one.`;
    errors.push(fieldError(`${path}/text_sha256`, 'mandate_text_unknown', message));
  }
  const columns = {
    acceptance_type: input.type,
    accepted_at: context.keyKind === 'publishable' ? at : acceptedAt,
    ip_address: input.ip_address ?? null,
    user_agent: input.user_agent ?? null,
    connection_ip_address: context.connection?.address ?? null,
    connection_user_agent: context.connection?.userAgent ?? null,
    signatory_name: input.signatory_name,
    biller_name: billerName,
    text_version: version ?? null,
    text_sha256: sha256 ?? null,
  };
  return { columns, text, errors };
}

/** Returns the error of a body with these field errors. Its code names an unknown text if nothing else is wrong. */
export function refusedBody(errors: readonly FieldError[]): ValidationFailed {
  const isAboutText = errors.every(({ code }) => code === 'mandate_text_unknown');
  return new ValidationFailed(errors, isAboutText ? 'mandate_text_unknown' : 'validation_failed');
}

/**
 * Returns the columns of a mandate that becomes active at `at`, and stores what was agreed to. The payer is to have it
 * confirmed by the first day on which a debit may be charged.
 */
export async function activate(
  tx: Tx,
  context: RequestContext,
  scheme: Scheme,
  { columns, text }: Acceptance,
  at: CustomerInstant,
): Promise<AcceptanceColumns & Pick<MandateRow, 'status' | 'activated_at' | 'lapses_at' | 'notices'>> {
  if (text !== null) await insertMandateText(tx, context, text, context.now);
  const { notices } = withNoticeDue([], 'confirmation', nextChargeDate(schemes[scheme], at, null));
  return { ...columns, status: 'active', activated_at: at, lapses_at: mandateLapsesAt(schemes[scheme], at), notices };
}

/**
 * Returns the biller's name.
 * @throws if the biller does not exist.
 */
export async function nameOfBiller(db: Db, billerId: Id<'biller'>): Promise<string> {
  const biller = await selectBiller(db, billerId);
  if (biller === null) throw new Error(`biller ${billerId} does not exist`);
  return biller.name;
}

/** A text that the biller shows now, in any version, or one that a payer of the biller has agreed to before. */
async function textWithHash(
  db: Db,
  context: RequestContext,
  scheme: Scheme,
  billerName: string,
  sha256: string,
): Promise<MandateText | null> {
  const text = findMandateText(scheme, billerName, sha256) ?? (await selectMandateText(db, context, sha256));
  return text?.scheme === scheme ? text : null;
}
