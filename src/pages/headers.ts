import { type CardFieldOrigins, pagePolicy } from '../api/http/page-policy.ts';
import { securityFields } from '../api/http/response.ts';

/**
 * The policy of a page that may stand in a frame of these origins; of none if there are none. It may load these fields
 * of the processor too.
 */
export function framePolicy(origins: readonly string[], cardFields?: CardFieldOrigins): string {
  return pagePolicy({ hasPictures: true, framedBy: origins, cardFields });
}

/** The policy of a live page on which a card is entered: it may load these fields of the processor too. */
export function cardFieldsPolicy(cardFields: CardFieldOrigins): string {
  return pagePolicy({ hasPictures: true, cardFields });
}

/** Sent with every response. A page is for one payer: it is not kept, indexed, framed, or named to other sites. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...securityFields,
  'Content-Security-Policy': framePolicy([]),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
