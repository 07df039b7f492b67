import { securityFields } from '../api/http/response.ts';

/** The policy of a page, which only these origins may frame. */
export function policyOf(frameAncestors: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
}

/** Sent with every response. A page is for one payer: it is not kept, indexed, framed, or named to other sites. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...securityFields,
  'Content-Security-Policy': policyOf(),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
