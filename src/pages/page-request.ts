import type { RequestWatch } from '../api/http/deps.ts';
import type { CardFieldOrigins } from '../api/http/page-policy.ts';
import type { Html } from '../platform/html.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { CardSetups } from '../processors/card-setups.ts';
import type { Processors } from '../processors/processor.ts';
import type { Vault } from '../services/accounts/vault.ts';
import type { Payee } from '../services/pages/paying.ts';
import type { PayerRequest } from '../services/request-context.ts';

/** The dependencies of the pages. */
export interface PagesDeps {
  sql: Pool;
  vault: Vault;
  processors: Processors;
  logger: Logger;
  /** The origin at which payers reach the pages, without a slash at its end. */
  publicUrl: string;
  /** The proxies whose `X-Forwarded-For` counts, as addresses or ranges. */
  trustedProxies: readonly string[];
  /** Whether these are the pages of `npm start`, which serve only this machine. */
  forThisMachine: boolean;
  /** What live pages may load for the live processor's fields for cards. Null or not set: they take no cards. */
  cardFields?: CardFieldOrigins | null;
  /** Whether tokens of cards may look like card numbers. False if not set. */
  tokensMayPassLuhn?: boolean;
  /** Rejects while this process cannot show pages. */
  isReady(): Promise<unknown>;
  /** Gets to know of each request, for metrics. */
  watch?: RequestWatch;
}

/** The live processor's fields for cards: how they are set up, and what a page may load for them. Null: none. */
export function cardFieldsOf({
  processors,
  cardFields = null,
}: PagesDeps): { setups: CardSetups; origins: CardFieldOrigins } | null {
  const setups = processors.live?.setups;
  return setups === undefined || cardFields === null ? null : { setups, origins: cardFields };
}

/** A request for a page. */
export interface PageRequest {
  deps: PagesDeps;
  token: string;
  requestId: string;
  now: RealInstant;
  /** The payer's locale, for amounts: a BCP 47 tag. */
  locale: string;
  /** The payer's address. */
  address: string;
  userAgent: string | null;
  query: URLSearchParams;
  /** The fields of a posted form; empty for a GET. */
  form: URLSearchParams;
  /** How long the client prefers to wait for a change (`Prefer: wait`), in milliseconds. */
  waitMs: number;
  /** Aborted when the client has disconnected. */
  gone: AbortSignal;
}

/** Returns what the services need of a page request: its id, instant and connection. */
export function payerOf({ requestId, now, address, userAgent }: PageRequest): PayerRequest {
  return { requestId, now, connection: { address, userAgent } };
}

/** A page to show. */
export interface Page {
  status: number;
  title: string;
  /** Who is paid: name, logo, colour and contact. Null for a page of the service itself. */
  payee: Payee | null;
  main: Html;
  /** Where the page's script asks whether `is` is still the state; it then loads the page anew. */
  watched?: { url: string; is: string };
  /**
   * The page stands in a frame, in a biller's page of this origin, and is that frame's content alone. Its script sends
   * the method that was saved, as JSON, to that origin.
   */
  frame?: { origin: string; method: string | null };
  /** Whether a card is entered on it, in the processor's fields. */
  hasCardFields?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** What a handler returns: a page, a way to go on (303, to a path of ours), or something that is no page. */
export type Answer = Page | { goTo: string } | Resource;

interface Resource {
  status: number;
  body: string | Buffer;
  type: string;
  cache?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A page of the service. A `GET` writes nothing. */
export interface PageRoute {
  method: 'GET' | 'POST';
  /** The parameter is `:token`. */
  path: string;
  handle(request: PageRequest): Promise<Answer>;
}

/** For a browser that names no locale. The amounts of the service's examples read so. */
const defaultLocale = 'en-AU';

/**
 * Returns the locale that a browser prefers, by its `Accept-Language` header, of those in which Intl can write an
 * amount.
 */
export function localeOf(header: string): string {
  const wanted = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters
        .map((parameter) => /^\s*q=([01](?:\.\d{1,3})?)\s*$/.exec(parameter)?.[1])
        .find(Boolean);
      return { tag, quality: Number(quality ?? 1) };
    });
  const tags = wanted.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { tag } of tags) {
    // Extensions, as in `de-u-nu-thai`, could choose other digits and calendars.
    const plain = /^[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Z]{2}|\d{3}))?/i.exec(tag)?.[0];
    if (plain !== undefined && Intl.NumberFormat.supportedLocalesOf(plain).length > 0) return plain;
  }
  return defaultLocale;
}
