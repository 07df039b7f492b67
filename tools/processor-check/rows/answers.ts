// What is judged by all answers of the run together.
import {
  chargeOutcomeOf,
  checkCanceled,
  type HttpAnswer,
  inquiryOf,
  refundInquiryOf,
  refundOutcomeOf,
  reservationOf,
} from '../../../src/processors/http-answers.ts';
import { type ChargeRequest, OutcomeUnknown, RequestRefused } from '../../../src/processors/processor.ts';
import type { Exchange } from '../relay.ts';
import { expect, type Row } from '../row.ts';
import type { Session } from '../session.ts';

type Members = Record<string, unknown>;

/** How the payments service reads each answer, if it repeats this key and this reference. */
const readers: Record<string, (answer: HttpAnswer, key: string, reference: string, request: ChargeRequest) => unknown> =
  {
    '/prepare': reservationOf,
    '/charges': (answer, key, reference, request) =>
      chargeOutcomeOf(answer, { ...request, idempotencyKey: key }, reference),
    '/inquire': (answer, _key, reference, request) => inquiryOf(answer, request, reference),
    '/cancel': (answer, _key, reference) => checkCanceled(answer, reference),
    '/refunds': refundOutcomeOf,
    '/refunds/inquire': refundInquiryOf,
  };

export const answerRows: readonly Row[] = [
  {
    promise: 'it repeats key and reference',
    plays: 'in each answer of this run that has an outcome',
    takes: 0,
    async play(session) {
      for (const { exchange, body } of outcomesOf(session)) {
        const sent = membersOf(exchange.sent);
        const { path, key } = exchange;
        const isKey = key === null || path === '/inquire' || path === '/cancel' || body.idempotency_key === key;
        expect(isKey, `${path} under ${key} answers with the key ${body.idempotency_key}`);
        const isReference = sent?.reference === undefined || body.reference === sent.reference;
        expect(isReference, `${path} of ${sent?.reference} answers with the reference ${body.reference}`);
      }
    },
  },
  {
    promise: 'its status may carry its `outcome`',
    plays: 'in each answer of this run that has an outcome',
    takes: 0,
    async play(session) {
      const request = session.newRequest();
      for (const { exchange, body } of outcomesOf(session)) {
        const { path, answer } = exchange;
        const { idempotency_key: key, reference } = body;
        if (answer === null) continue;
        const read = { from: 'the service', status: answer.status, retryAfterMs: null, body: answer.body };
        const isRead = isBelieved(() => readers[path]?.(read, String(key), String(reference), request));
        expect(isRead, `${path} responds ${answer.status} with the outcome ${body.outcome}: that is not an outcome`);
      }
    },
  },
];

function isBelieved(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof RequestRefused) return true;
    if (error instanceof OutcomeUnknown) return false;
    throw error;
  }
}

/** The answers with an outcome to calls of the protocol. */
function outcomesOf({ exchanges }: Session): { exchange: Exchange; body: Members }[] {
  return exchanges.flatMap((exchange) => {
    const body = membersOf(exchange.answer?.body ?? '');
    return exchange.path in readers && typeof body?.outcome === 'string' ? [{ exchange, body }] : [];
  });
}

function membersOf(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
