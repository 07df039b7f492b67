import { createHash } from 'node:crypto';

/**
 * Returns the policy of a page with this inline style, which is allowed by its hash. It allows no scripts and no
 * network requests. `formsTo`: whether its forms may be sent to this service.
 */
export function policyWith(inlineStyle: string, { formsTo = 'none' }: { formsTo?: 'none' | 'self' } = {}): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(inlineStyle).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action '${formsTo}'`,
    "frame-ancestors 'none'",
  ].join('; ');
}
