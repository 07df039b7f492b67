import { type ChargeOutcome, declined } from '../domain/charge-outcome.ts';
import { OutcomeUnknown, type RefundOutcome } from './processor.ts';

/** A complete HTTP response of the processor. */
export interface HttpAnswer {
  status: number;
  /** The header Retry-After, in milliseconds; null without one. */
  retryAfterMs: number | null;
  body: string;
}

/** The outcomes that each status may carry. In any other answer the outcome is unknown. */
const believed: Readonly<Record<number, readonly string[]>> = {
  200: ['succeeded', 'failed', 'requires_action'],
  402: ['failed'],
  400: ['rejected'],
  404: ['rejected'],
  422: ['rejected'],
};

/** What an answer without an outcome says, for operators. Others are named by their status alone. */
const saying: Readonly<Record<number, string>> = {
  401: 'it refuses us; check LIVE_PROCESSOR_SECRET',
  403: 'it refuses us; check LIVE_PROCESSOR_SECRET and the account',
  409: 'it is still busy with this key',
  429: 'it gets too many requests',
  503: 'it is not available',
};

/** The decline codes that a processor may give. Any other code is shown as `card_declined`. */
const codes = ['insufficient_funds', 'gateway_timeout', 'card_declined', 'authentication_required'] as const;

/**
 * Returns the outcome of a charge. An answer counts only if its status may carry the outcome and its body repeats the
 * key: an answer of a proxy, a cache or another request is none.
 * @throws OutcomeUnknown for every other answer.
 */
export function chargeOutcomeOf(answer: HttpAnswer, key: string): ChargeOutcome {
  const { outcome, code } = readAnswer(answer, key);
  if (outcome === 'succeeded') return { kind: 'succeeded' };
  if (outcome === 'requires_action') return { kind: 'requires_action' };
  if (outcome === 'rejected') return declined('processor_rejected');
  return declined(codes.find((known) => known === code) ?? 'card_declined');
}

/**
 * Returns the outcome of a refund, by the same rules. A refund that the processor rejects has failed.
 * @throws OutcomeUnknown for every other answer, `requires_action` included.
 */
export function refundOutcomeOf(answer: HttpAnswer, key: string): RefundOutcome {
  const { outcome } = readAnswer(answer, key);
  if (outcome === 'requires_action') throw unknownOutcome(answer);
  return { kind: outcome === 'succeeded' ? 'succeeded' : 'failed' };
}

function readAnswer(answer: HttpAnswer, key: string): { outcome: string; code: unknown } {
  const body = parsed(answer.body);
  const { idempotency_key: answeredKey, outcome, code } = body ?? {};
  const isBelieved = typeof outcome === 'string' && believed[answer.status]?.includes(outcome) === true;
  if (!isBelieved || answeredKey !== key) throw unknownOutcome(answer);
  return { outcome, code };
}

function unknownOutcome({ status, retryAfterMs }: HttpAnswer): OutcomeUnknown {
  const why = saying[status] ?? 'that is not an outcome';
  return new OutcomeUnknown(`the live processor responded ${status}: ${why}`, retryAfterMs);
}

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
