import { createHash } from 'node:crypto';

/** What a page may do beyond showing itself. */
interface Allowed {
  /** Its whole style, which is allowed by its hash. Then it has no scripts, and asks this service for nothing. */
  inlineStyle?: string;
  /** Whether its forms may be sent to this service. */
  hasForms?: boolean;
  /** Whether it shows pictures of this service, besides those that are part of it. */
  hasPictures?: boolean;
  /** The origins that may frame it. */
  framedBy?: readonly string[];
}

/** Returns the policy of a page. Without an inline style it may load style sheets and scripts of this service. */
export function pagePolicy({ inlineStyle, hasForms = true, hasPictures, framedBy = [] }: Allowed = {}): string {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
  return [
    "default-src 'none'",
    ...(inlineStyle === undefined
      ? ["style-src 'self'", "script-src 'self'", "connect-src 'self'"]
      : [`style-src 'sha256-${hashOf(inlineStyle)}'`]),
    `img-src ${hasPictures ? "'self' " : ''}data:`,
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
  ].join('; ');
}
