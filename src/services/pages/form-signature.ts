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
  return `${at}.${subject.version}.${codesOf(vault, subject, at)[0].toString('base64url')}`;
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
  const given = Buffer.from(code, 'base64url');
  const known = codesOf(vault, { ...form, version }, at);
  if (!known.some((each) => each.length === given.length && timingSafeEqual(each, given))) return 'forged';
  const age = now.getTime() - at * 1000;
  // Another process may have shown the form by a clock that is a little ahead.
  return age > formLifetimeMs || age < -60_000 ? 'stale' : { version };
}

function codesOf(vault: Vault, { token, action, version }: FormSubject, at: number): [Buffer, ...Buffer[]] {
  return vault.fingerprintsOf([`form of a page\n${token}\n${action}\n${version}\n${at}`]);
}
