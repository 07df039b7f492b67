import { type FieldError, fieldError } from '../resources/field-errors.ts';

/** The longest URL that is stored. Longer URLs are refused by some browsers and proxies. */
export const urlMaxLength = 2_048;

/** In `success_url` it stands for the id of the session. The URL parser would encode it in a path. */
const placeholder = '{CHECKOUT_SESSION_ID}';
const encodedPlaceholder = placeholder.replace('{', '%7B').replace('}', '%7D');

/**
 * Returns a URL as the URL parser reads it. It is stored so: what is shown is what is called. It may be longer than the
 * text. What is no URL is returned as it is; `payerUrlErrors` refuses it.
 */
export function parsedUrl(text: string): string {
  return URL.canParse(text) ? new URL(text).href.replaceAll(encodedPlaceholder, placeholder) : text;
}

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
  if (parsedUrl(text).length > urlMaxLength)
    return error(`${name} has more than ${urlMaxLength} characters when it is encoded.`);
  return [];
}
