// What a processor service says of cards that are saved in its own fields.

import { isLoopbackName } from '../platform/loopback.ts';
import type { CardDetails, Setup, SetupState } from './card-setups.ts';
import { type Believed, type HttpAnswer, isReference, readAnswer, unknownOutcome } from './http-reading.ts';

const believed = {
  setup: { 200: ['open'] },
  inquireSetup: { 200: ['succeeded', 'open', 'failed', 'canceled'] },
  describeCard: { 200: ['found'] },
} as const satisfies Record<string, Believed<string>>;

/**
 * Returns a setup that waits for the payer; null if the processor lacks the call (404).
 * @throws OutcomeUnknown for every other answer.
 */
export function setupOf(answer: HttpAnswer, key: string): Setup | null {
  if (answer.status === 404) return null;
  const body = readAnswer(answer, believed.setup, { idempotency_key: key });
  const { reference, client_secret: clientSecret, publishable_key: publishableKey } = body;
  const scriptUrl = scriptUrlOf(body.script_url);
  if (!isReference(reference) || !isToken(clientSecret) || !isToken(publishableKey) || scriptUrl === null) {
    throw unknownOutcome(answer);
  }
  return { reference, clientSecret, publishableKey, scriptUrl };
}

/**
 * Returns the state of a setup. The body must repeat the reference, and one that has succeeded has a token.
 * @throws OutcomeUnknown for every other answer.
 */
export function setupStateOf(answer: HttpAnswer, reference: string): SetupState {
  const { outcome, token } = readAnswer(answer, believed.inquireSetup, { reference });
  if (outcome !== 'succeeded') return { kind: outcome };
  if (!isToken(token)) throw unknownOutcome(answer);
  return { kind: 'succeeded', token };
}

/**
 * Returns the card of a token; null if the processor lacks the call or does not know the token (404). A member that is
 * not as the protocol says is null.
 * @throws OutcomeUnknown for every other answer.
 */
export function cardDetailsOf(answer: HttpAnswer, token: string): CardDetails | null {
  if (answer.status === 404) return null;
  const body = readAnswer(answer, believed.describeCard, { token });
  const matching = (value: unknown, pattern: RegExp) =>
    typeof value === 'string' && pattern.test(value) ? value : null;
  const between = (value: unknown, least: number, most: number) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? Number(value) : null;
  return {
    brand: matching(body.brand, /^[a-z_]{1,30}$/),
    network: matching(body.network, /^[a-z_]{1,30}$/),
    funding: (['credit', 'debit', 'prepaid'] as const).find((known) => known === body.funding) ?? null,
    lastFour: matching(body.last_four, /^\d{4}$/),
    expiryMonth: between(body.expiry_month, 1, 12),
    expiryYear: between(body.expiry_year, 2000, 9999),
    country: matching(body.country, /^[A-Z]{2}$/),
    fingerprint: matching(body.fingerprint, /^\w{1,100}$/),
  };
}

/** Text for a browser or for the processor: no spaces, quotes or signs of HTML, and not endless. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:-]{1,250}$/.test(value);
}

/** A script comes by https, or from this machine. */
function scriptUrlOf(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return null;
  const url = new URL(value);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  const isLoopback = url.protocol === 'http:' && isLoopbackName(url.hostname);
  return isPlain && (url.protocol === 'https:' || isLoopback) ? url : null;
}
