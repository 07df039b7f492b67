/**
 * Responses are data for programs. A browser must not guess their type, cache them, frame them, load them into another
 * site, or send a referrer. Browsers respect Strict-Transport-Security only over TLS, which production uses.
 */
export const securityFields: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=31536000',
};
