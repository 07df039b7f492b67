// Lists of a processor service: its movements and its notices.

import { bookedOf } from './book-answers.ts';
import { type Body, type HttpAnswer, isReference, parsed, unknownOutcome } from './http-reading.ts';
import type { Movement, Movements, Notice, Notices, RefusedAccount } from './processor.ts';

/** Returns a page of movements. @throws OutcomeUnknown for any other answer, or if one movement cannot be read. */
export function movementsOf(answer: HttpAnswer): Movements {
  const body = answer.status === 200 ? parsed(answer.body) : null;
  const { cursor, has_more: hasMore, movements } = body ?? {};
  if (typeof cursor !== 'string' || typeof hasMore !== 'boolean' || !Array.isArray(movements)) {
    throw unknownOutcome(answer);
  }
  const page: Movements = { cursor, hasMore, movements: [], entries: [], payouts: [] };
  for (const each of movements) {
    const value = (each ?? {}) as Body;
    if (value.kind === 'charge' || value.kind === 'refund') {
      page.movements.push(movementOf(answer, value));
      continue;
    }
    const booked = bookedOf(value);
    if (booked === null) throw unknownOutcome(answer);
    page.entries.push(...booked.entries);
    page.payouts.push(...booked.payouts);
  }
  return page;
}

function movementOf(answer: HttpAnswer, value: Body): Movement {
  const { kind, idempotency_key, reference, payment_intent_id, amount, currency } = value;
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

const noticeKinds = ['charge', 'refund', 'mandate'] as const satisfies readonly Notice['kind'][];

/**
 * Returns a page of notices, or null if the service has none: a 404 says so. A notice of a kind that is not known here
 * is left out.
 * @throws OutcomeUnknown for any other answer, or if one notice cannot be read.
 */
export function noticesOf(answer: HttpAnswer): Notices | null {
  if (answer.status === 404) return null;
  const body = answer.status === 200 ? parsed(answer.body) : null;
  const { cursor, has_more: hasMore, notices, refused } = body ?? {};
  if (typeof cursor !== 'string' || typeof hasMore !== 'boolean' || !Array.isArray(notices)) {
    throw unknownOutcome(answer);
  }
  const read = notices.flatMap((each: unknown) => noticeOf(answer, each) ?? []);
  return { cursor, hasMore, notices: read, refused: Array.isArray(refused) ? refused.flatMap(refusedOf) : null };
}

const longestReason = 200;

/** What cannot be read says nothing: it is for operators alone. */
function refusedOf(value: unknown): RefusedAccount[] {
  const { account, reason } = (value ?? {}) as Body;
  if (typeof account !== 'string' || typeof reason !== 'string' || reason === '') return [];
  return [{ billerId: account, reason: reason.slice(0, longestReason) }];
}

function noticeOf(answer: HttpAnswer, value: unknown): Notice | null {
  const { kind, reference, account } = (value ?? {}) as Body;
  if (typeof kind !== 'string' || !isReference(reference) || typeof account !== 'string') throw unknownOutcome(answer);
  const known = noticeKinds.find((each) => each === kind);
  return known === undefined ? null : { kind: known, reference, billerId: account };
}
