import { timingSafeEqual } from 'node:crypto';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Vault } from '../accounts/vault.ts';

/** What a form is for: the token of the page, what the form does there, and the version of what the payer has seen. */
export interface FormSubject {
  token: string;
  action: string;
  version: string;
}

/** A form that is older than this is refused. Milliseconds. */
const formLifetimeMs = 30 * 60_000;

/** Returns the signature of a form that is shown `now`. */
export function signForm(vault: Vault, subject: FormSubject, now: RealInstant): string {
  const at = Math.floor(now.getTime() / 1000);
  return `${at}.${subject.version}.${sign(vault, textOfForm(subject, at))}`;
}

/** What a posted signature is worth: the version of what the payer has seen, or why it does not count. */
export type FormCheck = { version: string } | 'stale' | 'forged';

/** Checks the signature of a posted form, at `now`. */
export function checkForm(
  vault: Vault,
  form: Omit<FormSubject, 'version'>,
  signature: string,
  now: RealInstant,
): FormCheck {
  const [, seconds = '', version = '', code = ''] = /^(\d{1,12})\.([\w-]{1,40})\.([\w-]{43})$/.exec(signature) ?? [];
  const at = Number(seconds);
  if (!isSigned(vault, textOfForm({ ...form, version }, at), code)) return 'forged';
  const age = now.getTime() - at * 1000;
  // Another process may have shown the form by a clock that is a little ahead.
  return age > formLifetimeMs || age < -60_000 ? 'stale' : { version };
}

function textOfForm({ token, action, version }: FormSubject, at: number): string {
  return `form of a page\n${token}\n${action}\n${version}\n${at}`;
}

/** The parameter, and the field, by which the pages of a session know the payer who has just paid. */
export const proofName = 'payer';

/**
 * Returns what the redirect after a payment carries: it proves that this browser has made the submission of this number
 * in a session. Others who have the session's URL see nothing of that payment.
 */
export function signPayer(vault: Vault, sessionToken: string, submissions: number): string {
  return sign(vault, textOfPayer(sessionToken, submissions));
}

/** Whether `proof` is of the payer of this submission. */
export function isPayer(vault: Vault, sessionToken: string, submissions: number, proof: string): boolean {
  return isSigned(vault, textOfPayer(sessionToken, submissions), proof);
}

function textOfPayer(sessionToken: string, submissions: number): string {
  return `payer of a session\n${sessionToken}\n${submissions}`;
}

function sign(vault: Vault, text: string): string {
  return vault.fingerprintsOf([text])[0].toString('base64url');
}

/** Whether a key of the vault has made this code for the text. */
function isSigned(vault: Vault, text: string, code: string): boolean {
  const given = Buffer.from(code, 'base64url');
  return vault.fingerprintsOf([text]).some((each) => each.length === given.length && timingSafeEqual(each, given));
}
