import {
  type Challenge,
  type ChargeFailure,
  type ChargeOutcome,
  type DeclineCode,
  declined,
  declineMessage,
} from '../domain/charge-outcome.ts';
import { type CustomerInstant, customerInstant } from '../domain/instants.ts';
import { realInstant } from '../platform/real-time.ts';
import {
  type CardDetails,
  type ChargeRequest,
  type Inquiry,
  type Movement,
  type Movements,
  type Notice,
  type Notices,
  OutcomeUnknown,
  type PendingRefund,
  type RefundOutcome,
  RequestRefused,
  type Reservation,
  type Setup,
  type SetupState,
  type Submitted,
} from './processor.ts';

/** A complete HTTP response of the processor. */
export interface HttpAnswer {
  /** The processor, for people. */
  from: string;
  /** Whether the processor is on this machine. It may then send payers to this machine too, without TLS. */
  isOnLoopback: boolean;
  status: number;
  /** The header Retry-After, in milliseconds; null without one. */
  retryAfterMs: number | null;
  body: string;
}

type Body = Record<string, unknown>;

/** The outcomes that each status may carry, by call. In any other answer the outcome is unknown. */
type Believed<O extends string> = Readonly<Record<number, readonly O[]>>;

const rejected = { 400: ['rejected'], 404: ['rejected'], 422: ['rejected'] } as const;
const charged = ['succeeded', 'failed', 'requires_action', 'submitted'] as const;
const believed = {
  prepare: { 200: ['reserved'], ...rejected },
  charge: { 200: charged, 402: ['failed'], ...rejected },
  inquire: { 200: [...charged, 'returned', 'not_charged', 'canceled'] },
  cancel: { 200: [...charged, 'returned', 'canceled'] },
  refund: { 200: ['succeeded', 'failed', 'pending'], 402: ['failed'], ...rejected },
  inquireRefund: { 200: ['succeeded', 'failed', 'pending', 'not_found'] },
  setup: { 200: ['open'] },
  inquireSetup: { 200: ['succeeded', 'open', 'failed', 'canceled'] },
  describeCard: { 200: ['found'] },
} as const satisfies Record<string, Believed<string>>;

/** What an answer without an outcome says, for operators. Others are named by their status alone. */
const saying: Readonly<Record<number, string>> = {
  401: 'it refuses the credentials; check the secret',
  403: 'it refuses the credentials; check the secret and the account',
  404: 'it does not know this call; it must speak the protocol of docs/processors.md',
  409: 'it is still busy with this key',
  429: 'it gets too many requests',
  503: 'it is not available',
};

/** The decline codes that a processor may give. */
const codesOfCards = [
  'insufficient_funds',
  'gateway_timeout',
  'card_declined',
  'expired_card',
  'authentication_required',
] as const;
const codesOfDebits = [
  'insufficient_funds',
  'gateway_timeout',
  'authentication_required',
  'account_invalid',
  'account_closed',
  'account_holder_deceased',
  'payment_stopped',
  'debit_disputed',
] as const;

const longestReference = 200;
const longestRedirect = 2_048;

/**
 * Returns the reservation of a payment, or the failure of one that the processor does not take. An answer counts only
 * if its status may carry the outcome and its body repeats the key: an answer of a proxy, a cache or another request is
 * none.
 * @throws OutcomeUnknown for every other answer.
 */
export function reservationOf(answer: HttpAnswer, key: string): Reservation | ChargeFailure {
  const { outcome, reference } = readAnswer(answer, believed.prepare, { idempotency_key: key });
  if (outcome === 'rejected') return declined('processor_rejected');
  if (!isReference(reference)) throw unknownOutcome(answer);
  return { kind: 'reserved', reference };
}

/**
 * Returns the outcome of a charge. The body must repeat the key and the reference.
 * @throws OutcomeUnknown for every other answer; RequestRefused for a rejection, which may not be the first answer.
 */
export function chargeOutcomeOf(
  answer: HttpAnswer,
  request: ChargeRequest,
  reference: string,
): ChargeOutcome | Submitted {
  const ids = { idempotency_key: request.idempotencyKey, reference };
  const body = readAnswer(answer, believed.charge, ids);
  if (body.outcome === 'rejected') throw refused(answer);
  return chargedOf(answer, body, request);
}

/**
 * Returns the state of a payment, and when to ask again. The body must repeat the reference.
 * @throws OutcomeUnknown for every other answer: a processor that does not know the reference says nothing.
 */
export function inquiryOf(answer: HttpAnswer, request: ChargeRequest, reference: string): Inquiry {
  const body = readAnswer(answer, believed.inquire, { reference });
  const nextAt = body.next_at == null ? null : instantIn(answer, body.next_at);
  if (body.outcome === 'not_charged' || body.outcome === 'canceled') return { kind: body.outcome, nextAt };
  if (body.outcome !== 'returned') return { ...chargedOf(answer, body, request), nextAt };
  const code = codeOf(body, request);
  const at = instantIn(answer, body.returned_at);
  return { kind: 'returned', code, message: declineMessage(code), bankCode: bankCodeOf(body), at, nextAt };
}

/** Checks the answer to a cancellation. @throws OutcomeUnknown unless the processor tells the state of the payment. */
export function checkCanceled(answer: HttpAnswer, reference: string): void {
  readAnswer(answer, believed.cancel, { reference });
}

/**
 * Returns the outcome of a refund.
 * @throws OutcomeUnknown for every other answer; RequestRefused for a rejection, which may not be the first answer.
 */
export function refundOutcomeOf(answer: HttpAnswer, key: string): RefundOutcome | PendingRefund {
  const { outcome } = readAnswer(answer, believed.refund, { idempotency_key: key });
  if (outcome === 'rejected') throw refused(answer);
  return { kind: outcome };
}

/** Returns the state of a refund. @throws OutcomeUnknown for every other response. */
export function refundInquiryOf(
  answer: HttpAnswer,
  key: string,
): RefundOutcome | PendingRefund | { kind: 'not_found' } {
  const { outcome } = readAnswer(answer, believed.inquireRefund, { idempotency_key: key });
  return { kind: outcome };
}

/** Returns a page of movements. @throws OutcomeUnknown for any other answer, or if one movement cannot be read. */
export function movementsOf(answer: HttpAnswer): Movements {
  const body = answer.status === 200 ? parsed(answer.body) : null;
  const { cursor, has_more: hasMore, movements } = body ?? {};
  if (typeof cursor !== 'string' || typeof hasMore !== 'boolean' || !Array.isArray(movements)) {
    throw unknownOutcome(answer);
  }
  return { cursor, hasMore, movements: movements.map((each: unknown) => movementOf(answer, each)) };
}

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

function movementOf(answer: HttpAnswer, value: unknown): Movement {
  const { kind, idempotency_key, reference, payment_intent_id, amount, currency } = (value ?? {}) as Body;
  if (
    (kind === 'charge' || kind === 'refund') &&
    typeof idempotency_key === 'string' &&
    (isReference(reference) || (kind === 'refund' && reference == null)) &&
    typeof payment_intent_id === 'string' &&
    Number.isSafeInteger(amount) &&
    typeof currency === 'string'
  ) {
    return {
      kind,
      idempotencyKey: idempotency_key,
      reference: reference ?? null,
      paymentIntentId: payment_intent_id,
      amount: Number(amount),
      currency,
    };
  }
  throw unknownOutcome(answer);
}

/**
 * Returns a page of notices, or null if the service has none: a 404 says so. A notice of a kind that is not known here
 * is left out.
 * @throws OutcomeUnknown for any other answer, or if one notice cannot be read.
 */
export function noticesOf(answer: HttpAnswer): Notices | null {
  if (answer.status === 404) return null;
  const body = answer.status === 200 ? parsed(answer.body) : null;
  const { cursor, has_more: hasMore, notices } = body ?? {};
  if (typeof cursor !== 'string' || typeof hasMore !== 'boolean' || !Array.isArray(notices)) {
    throw unknownOutcome(answer);
  }
  return { cursor, hasMore, notices: notices.flatMap((each: unknown) => noticeOf(answer, each) ?? []) };
}

function noticeOf(answer: HttpAnswer, value: unknown): Notice | null {
  const { kind, reference, account } = (value ?? {}) as Body;
  if (typeof kind !== 'string' || !isReference(reference) || typeof account !== 'string') throw unknownOutcome(answer);
  return kind === 'charge' || kind === 'refund' ? { kind, reference, billerId: account } : null;
}

/** The outcome of a charge, from a body that was believed. */
function chargedOf(
  answer: HttpAnswer,
  body: Body & { outcome: string },
  request: ChargeRequest,
): ChargeOutcome | Submitted {
  if (body.outcome === 'succeeded') return { kind: body.outcome };
  if (body.outcome === 'requires_action') return challengeOf(answer, body);
  if (body.outcome === 'submitted') return { kind: 'submitted', expectedAt: instantIn(answer, body.expected_at) };
  const bankCode = bankCodeOf(body);
  return { ...declined(codeOf(body, request)), ...(bankCode === null ? {} : { bankCode }) };
}

/** The challenge of a charge. An address that payers must not be sent to makes the answer one of no outcome. */
function challengeOf(answer: HttpAnswer, { next_action: next }: Body): Challenge {
  if (next == null) return { kind: 'requires_action' };
  const { redirect_url: url, expires_at: end } = next as Body;
  if (!isRedirect(url, answer)) throw unknownOutcome(answer);
  const expiresAt = end == null ? null : realInstant(String(end));
  if (expiresAt !== null && Number.isNaN(expiresAt.getTime())) throw unknownOutcome(answer);
  return { kind: 'requires_action', redirect: { url, expiresAt } };
}

/** Whether payers may be sent there: by https, or on this machine if the processor is on it. */
function isRedirect(value: unknown, { isOnLoopback }: HttpAnswer): value is string {
  if (typeof value !== 'string' || value.length > longestRedirect || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isOnLoopback && isLoopbackName(hostname));
}

/** Whether a host, as the class URL has it, is this machine. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Any other code of a card is shown as `card_declined`, of a debit as `processor_rejected`. */
function codeOf({ code }: Body, { debit }: ChargeRequest): DeclineCode {
  if (debit === null) return codesOfCards.find((known) => known === code) ?? 'card_declined';
  return codesOfDebits.find((known) => known === code) ?? 'processor_rejected';
}

function bankCodeOf({ bank_code: code }: Body): string | null {
  return typeof code === 'string' && /^\w{1,20}$/.test(code) ? code : null;
}

function instantIn(answer: HttpAnswer, value: unknown): CustomerInstant {
  const instant = customerInstant(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw unknownOutcome(answer);
  return instant;
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
  const isLoopback = url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return isPlain && (url.protocol === 'https:' || isLoopback) ? url : null;
}

function isReference(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestReference;
}

/** Returns the body, if it repeats these ids and its outcome is one that its status may carry. */
function readAnswer<O extends string>(
  answer: HttpAnswer,
  outcomes: Believed<O>,
  ids: Record<string, string>,
): Body & { outcome: O } {
  const body = parsed(answer.body) ?? {};
  const outcome = outcomes[answer.status]?.find((known) => known === body.outcome);
  const isOurs = Object.entries(ids).every(([name, id]) => body[name] === id);
  if (outcome === undefined || !isOurs) throw unknownOutcome(answer);
  return { ...body, outcome };
}

function refused({ from, status }: HttpAnswer): RequestRefused {
  return new RequestRefused(`${from} responded ${status}: it refuses the request`);
}

function unknownOutcome({ from, status, retryAfterMs }: HttpAnswer): OutcomeUnknown {
  const why = saying[status] ?? 'that is not an outcome';
  return new OutcomeUnknown(`${from} responded ${status}: ${why}`, retryAfterMs);
}

function parsed(body: string): Body | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
