import { AddressRefused, type OutboundPolicy, reachableAddresses } from '../../platform/outbound-address.ts';
import { type FieldCode, type FieldError, fieldError } from '../../resources/field-errors.ts';
import { urlMaxLength } from '../payer-urls.ts';

/**
 * Returns the field error of a webhook URL, or null. Live mode requires `https` and a public address. Sandbox also
 * accepts `http`, and this machine itself if `policy` allows it. The host name is resolved, and refused if that fails.
 * The address is checked again at each connection: this check only gives early feedback to the biller who enters the
 * URL.
 */
export async function destinationError(
  text: string,
  livemode: boolean,
  policy: OutboundPolicy,
): Promise<FieldError | null> {
  const error = (code: FieldCode, message: string) => fieldError('/url', code, message);
  // The URL parser silently drops white space and control characters. The URL shown would then differ from the URL
  // called.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return error('url_invalid', 'url is not an absolute URL.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && (livemode || url.protocol !== 'http:')) {
    return error('url_invalid', livemode ? 'url must be https in live mode.' : 'url must be http or https.');
  }
  if (url.username !== '' || url.password !== '') {
    return error('url_invalid', 'url must not contain credentials. Check the signature of each delivery instead.');
  }
  if (url.port === '0') return error('url_invalid', 'url must not have port 0.');
  if (url.href.length > urlMaxLength) {
    return error('url_invalid', `url has more than ${urlMaxLength} characters when it is encoded.`);
  }
  if (text.includes('#')) return error('url_invalid', 'url must not have a fragment.');
  const mayBeHere = policy.allowLoopback && !livemode;
  try {
    await reachableAddresses(url.hostname, { ...policy, allowLoopback: mayBeHere });
    return null;
  } catch (refused) {
    if (!(refused instanceof AddressRefused)) throw refused;
    return refused.reason === 'unresolved'
      ? error('url_unresolvable', 'The host of url cannot be resolved to an address.')
      : error('url_not_public', `The host of url is not a public address${mayBeHere ? ' or this machine' : ''}.`);
  }
}
