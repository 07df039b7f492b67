import { createHash } from 'node:crypto';

/** The origins of a processor's fields for cards: of their script, of their frames, and of what the script asks. */
export interface CardFieldOrigins {
  scripts: readonly string[];
  frames: readonly string[];
  requests: readonly string[];
}

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
  /** The processor's fields that it mounts. */
  cardFields?: CardFieldOrigins;
}

/** Returns the policy of a page. Without an inline style it may load style sheets and scripts of this service. */
export function pagePolicy({
  inlineStyle,
  hasForms = true,
  hasPictures,
  framedBy = [],
  cardFields,
}: Allowed = {}): string {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
  const { scripts, frames, requests } = cardFields ?? { scripts: [], frames: [], requests: [] };
  return [
    "default-src 'none'",
    ...(inlineStyle === undefined
      ? ["style-src 'self'", ["script-src 'self'", ...scripts].join(' '), ["connect-src 'self'", ...requests].join(' ')]
      : [`style-src 'sha256-${hashOf(inlineStyle)}'`]),
    ...(frames.length === 0 ? [] : [['frame-src', ...frames].join(' ')]),
    `img-src ${hasPictures ? "'self' " : ''}data:`,
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
  ].join('; ');
}
