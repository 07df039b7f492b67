/**
 * Answers are data for programs: no browser is to guess their type, keep them, show them in a page, load them into another
 * site's, or tell another site where it was. Strict-Transport-Security counts only behind the TLS that production has.
 */
export const securityFields: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=31536000',
};
