// What is judged by all answers of the run together.
import {
  chargeOutcomeOf,
  checkCanceled,
  inquiryOf,
  refundInquiryOf,
  refundOutcomeOf,
  reservationOf,
} from '../../../src/processors/http-answers.ts';
import type { HttpAnswer } from '../../../src/processors/http-reading.ts';
import { type ChargeRequest, OutcomeUnknown, RequestRefused } from '../../../src/processors/processor.ts';
import { setupOf, setupStateOf } from '../../../src/processors/setup-answers.ts';
import type { Exchange } from '../relay.ts';
import { expect, type Row } from '../row.ts';
import type { Session } from '../session.ts';

type Members = Record<string, unknown>;

/** In every answer that is read again. */
const key = 'att_any';
const reference = 'ref_any';

/** How the payments service reads each answer. */
const readers: Record<string, (answer: HttpAnswer, request: ChargeRequest) => unknown> = {
  '/prepare': (answer) => reservationOf(answer, key),
  '/charges': (answer, request) => chargeOutcomeOf(answer, request, reference),
  '/inquire': (answer, request) => inquiryOf(answer, request, reference),
  '/cancel': (answer) => checkCanceled(answer, reference),
  '/refunds': (answer) => refundOutcomeOf(answer, key),
  '/refunds/inquire': (answer) => refundInquiryOf(answer, key),
  '/setups': (answer) => setupOf(answer, key),
  '/setups/inquire': (answer) => setupStateOf(answer, reference),
};

export const answerRows: readonly Row[] = [
  {
    promise: 'it repeats key and reference',
    plays: 'in each answer of this run that has an outcome',
    takes: 0,
    async play(session) {
      for (const { exchange, body } of outcomesOf(session)) {
        const sent = membersOf(exchange.sent);
        const { path, key: sentKey } = exchange;
        const isKey = sentKey === null || body.idempotency_key === sentKey;
        expect(isKey, `${path} under ${sentKey} answers with the key ${body.idempotency_key}`);
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
      const request = session.newRequest({ idempotencyKey: key });
      for (const { exchange, body } of outcomesOf(session)) {
        const { path, answer } = exchange;
        if (answer === null) continue;
        // Whether it repeats key and reference is the row above.
        const ids = { idempotency_key: key, ...(path === '/prepare' || path === '/setups' ? {} : { reference }) };
        const whole = JSON.stringify({ ...body, ...ids });
        const read = {
          from: 'the service',
          isOnLoopback: true,
          status: answer.status,
          retryAfterMs: null,
          body: whole,
        };
        const isRead = isBelieved(() => readers[path]?.(read, request));
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
