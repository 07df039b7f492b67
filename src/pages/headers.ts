import { securityFields } from '../api/http/response.ts';

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every response. A page is for one payer: it is not kept, indexed, framed, or named to other sites. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...securityFields,
  'Content-Security-Policy': policy,
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
