import {
  type Challenge,
  type ChargeFailure,
  type ChargeOutcome,
  type DeclineCode,
  declined,
  declineMessage,
} from '../domain/charge-outcome.ts';
import { type CustomerInstant, customerInstant } from '../domain/instants.ts';
import { isLoopbackName } from '../platform/loopback.ts';
import { realInstant } from '../platform/real-time.ts';
import { type Believed, type Body, type HttpAnswer, isReference, readAnswer, unknownOutcome } from './http-reading.ts';
import {
  type ChargeRequest,
  type Inquiry,
  type PendingRefund,
  type RefundOutcome,
  RequestRefused,
  type Reservation,
  type Submitted,
} from './processor.ts';

const rejected = { 400: ['rejected'], 404: ['rejected'], 422: ['rejected'] } as const;
const charged = ['succeeded', 'failed', 'requires_action', 'submitted'] as const;
const believed = {
  prepare: { 200: ['reserved'], ...rejected },
  charge: { 200: charged, 402: ['failed'], ...rejected },
  inquire: { 200: [...charged, 'returned', 'not_charged', 'canceled'] },
  cancel: { 200: [...charged, 'returned', 'canceled'] },
  refund: { 200: ['succeeded', 'failed', 'pending'], 402: ['failed'], ...rejected },
  inquireRefund: { 200: ['succeeded', 'failed', 'pending', 'not_found'] },
} as const satisfies Record<string, Believed<string>>;

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

function refused({ from, status }: HttpAnswer): RequestRefused {
  return new RequestRefused(`${from} responded ${status}: it refuses the request`);
}
