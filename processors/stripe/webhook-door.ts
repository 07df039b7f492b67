// The one door that is open to Stripe: it receives notices, and believes the signature alone.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import getRawBody from 'raw-body';
import Stripe from 'stripe';
import { Value } from 'typebox/value';
import type { Logger } from '../../src/platform/logger.ts';
import type { NoticeSecrets } from './notice-secrets.ts';
import type { RecordNotice } from './notices.ts';
import type { For } from './protocol.ts';
import { type Hint, hintOf, StripeEvent } from './stripe-events.ts';

export interface WebhookDoor {
  /** Returns which of our mandates one of Stripe's is, or null. */
  mandates: (place: For, mandate: string) => Promise<string | null>;
  record: RecordNotice;
  secrets: NoticeSecrets;
  logger: Logger;
}

/** Stripe's events are smaller by far. */
const mostBodyBytes = 1024 * 1024;
/** How old a signature may be, and how far ahead, in seconds (docs.stripe.com/webhooks#verify-official-libraries). */
const toleranceSeconds = 300;
/** For the whole of a request; Stripe sends it at once. */
const requestTimeoutMs = 10_000;
/** Connections beyond this are closed at once: Stripe comes again. */
const mostConnections = 500;

const path = /^\/webhooks\/stripe\/(acct_\w{1,60})$/;
/** At least a time and a signature, in a header of a usual length. */
const signature = /^(?=.*\bv1=[\da-f]{64}\b).{0,1000}$/;
const signedAt = /(?:^|,)t=(\d{1,12})(?:,|$)/;

/** Serves `POST /webhooks/stripe/<account>` on this machine. */
export function createWebhookDoor(door: WebhookDoor): Server {
  const server = createServer((request, response) => {
    response.on('error', () => {});
    answerTo(door, request)
      .catch((error: unknown) => {
        // Stripe comes again, for days.
        door.logger.error({ err: error }, 'a notice was not stored');
        return 503;
      })
      .then((status) => {
        if (status !== 200) door.logger.info({ status }, 'a notice was refused');
        const isWhole = request.complete;
        const headers = { 'content-type': 'application/json', ...(isWhole ? {} : { connection: 'close' }) };
        response.writeHead(status, headers).end(JSON.stringify({ received: status === 200 }));
        if (!isWhole) request.resume();
      });
  });
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = requestTimeoutMs;
  server.maxConnections = mostConnections;
  return server;
}

/**
 * Stores the notice of a request, and returns the status. What can be refused by its headers is refused before its body
 * is read, and nothing of the body is parsed before its signature holds.
 */
async function answerTo(door: WebhookDoor, request: IncomingMessage): Promise<number> {
  const { method, url = '', headers } = request;
  const account = path.exec(url)?.[1];
  if (account === undefined) return 404;
  if (method !== 'POST') return 405;
  if (Number(headers['content-length'] ?? 0) > mostBodyBytes) return 413;
  const header = headers['stripe-signature'];
  if (typeof header !== 'string' || !signature.test(header) || !isRecent(header)) return 400;
  const secrets = await door.secrets.of(account);
  // As for a wrong signature: a stranger does not learn whether there is such an account.
  if (secrets.length === 0) return 400;
  const body = await readBody(request);
  if (typeof body === 'number') return body;
  const signer = secrets.find(({ secret }) => isSignedBy(secret, body, header));
  if (signer === undefined) return 400;
  return store(door, { account, livemode: signer.livemode }, body);
}

async function store({ record, mandates }: WebhookDoor, place: For, body: string): Promise<number> {
  const event = parsed(body);
  if (event === null || event.livemode !== place.livemode) return 400;
  const hint = await inOurTerms(mandates, place, hintOf(event));
  if (hint !== null) await record({ ...place, ...hint, event: event.id, type: event.type, body });
  return 200;
}

/** A mandate is named by our reference, and one that is not ours by none. */
async function inOurTerms(mandates: WebhookDoor['mandates'], place: For, hint: Hint | null): Promise<Hint | null> {
  if (hint?.kind !== 'mandate') return hint;
  const reference = await mandates(place, hint.reference);
  return reference === null ? null : { ...hint, reference };
}

/** Stripe's library looks at what is too old alone. */
function isRecent(header: string): boolean {
  const at = Number(signedAt.exec(header)?.[1] ?? Number.NaN);
  return Math.abs(Date.now() / 1000 - at) <= toleranceSeconds;
}

function isSignedBy(secret: string, body: string, header: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(body, header, secret, toleranceSeconds) === true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

/** Returns the text of a body, or the status that refuses it. */
async function readBody(request: IncomingMessage): Promise<string | number> {
  try {
    const bytes = await getRawBody(request, { limit: mostBodyBytes });
    // Bytes that are no UTF-8 would be another text than the one that was signed.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    return (error as { type?: string }).type === 'entity.too.large' ? 413 : 400;
  }
}

function parsed(body: string): StripeEvent | null {
  try {
    const value: unknown = JSON.parse(body);
    return Value.Check(StripeEvent, value) ? value : null;
  } catch {
    return null;
  }
}
