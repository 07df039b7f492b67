import { type FieldError, fieldError } from '../resources/field-errors.ts';

/** Longer URLs are refused by some browsers and proxies. */
export const payerUrlMaxLength = 2_048;

/**
 * Returns what is wrong with a URL of the biller to which a page sends its payer on: it must be absolute, without
 * credentials, and `https` in live mode. Every other scheme, such as `javascript:`, is refused.
 */
export function payerUrlErrors(text: string, path: string, livemode: boolean): FieldError[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const error = (message: string) => [fieldError(path, 'url_invalid', message)];
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return error(`${name} is not an absolute URL.`);
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && (livemode || protocol !== 'http:')) {
    return error(livemode ? `${name} must be https in live mode.` : `${name} must be http or https.`);
  }
  if (username !== '' || password !== '') return error(`${name} must not contain credentials.`);
  return [];
}
