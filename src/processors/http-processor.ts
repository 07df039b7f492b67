import { Agent } from 'undici';
import { describeRequestFailure } from '../platform/request-failure.ts';
import { chargeOutcomeOf, type HttpAnswer, refundOutcomeOf } from './http-answers.ts';
import { OutcomeUnknown, type PaymentProcessor } from './processor.ts';

export interface HttpProcessorOptions {
  /** Without a slash at its end. */
  url: string;
  /** Sent as a bearer token. */
  secret: string;
  /** For the whole of a call: wait for a connection, request and response. 30 s if not given. */
  timeoutMs?: number;
}

/** A processor service, called by the protocol of docs/processors.md. */
export interface HttpProcessor extends PaymentProcessor {
  /** Closes all connections. Calls under way throw `OutcomeUnknown`. */
  close(): Promise<void>;
}

/** Calls that one process has under way. Further ones wait, so an outage does not end in a storm. */
const callsUnderWay = 32;
/** Shorter than the five seconds after which many servers close an idle connection. */
const keepAliveMs = 4_000;
const mostBodyBytes = 64 * 1024;
/** A longer Retry-After counts as this: what is due must not wait for hours. */
const mostRetryAfterMs = 60_000;

/** Returns the client of a processor service. Its calls throw nothing but `OutcomeUnknown`. */
export function createHttpProcessor({ url, secret, timeoutMs = 30_000 }: HttpProcessorOptions): HttpProcessor {
  const agent = new Agent({
    connections: callsUnderWay,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // One timeout of our own covers all phases. A processor that sends a byte now and then cannot prolong it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { origin, pathname } = new URL(url);
  /** Until then the processor wants no requests at all; monotonic clock. */
  let pausedUntil = 0;

  async function call(path: string, key: string, body: Record<string, unknown>): Promise<HttpAnswer> {
    const pauseMs = Math.ceil(pausedUntil - performance.now());
    if (pauseMs > 0) throw new OutcomeUnknown('the live processor has asked for a pause: not asked', pauseMs);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await agent.request({
        origin,
        path: `${pathname.replace(/\/$/, '')}${path}`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal,
      });
      const answer: HttpAnswer = {
        status: response.statusCode,
        retryAfterMs: retryAfterOf(response.headers['retry-after']),
        body: await readAll(response.body),
      };
      const wantsPause = answer.status === 429 || answer.status === 503;
      if (wantsPause && answer.retryAfterMs !== null) pausedUntil = performance.now() + answer.retryAfterMs;
      return answer;
    } catch (error) {
      const why = signal.aborted ? `no response within ${timeoutMs / 1000} s` : describeRequestFailure(error);
      throw new OutcomeUnknown(`the live processor gave no outcome: ${why}`);
    }
  }

  return {
    prepare: null,
    async inquire() {
      throw new OutcomeUnknown('the live processor cannot be asked without charging');
    },
    async cancel() {},
    async inquireRefund() {
      throw new OutcomeUnknown('the live processor cannot be asked without refunding');
    },
    async charge(request) {
      const answer = await call('/charges', request.idempotencyKey, {
        payment_intent_id: request.paymentIntentId,
        amount: request.totalAmount,
        base_amount: request.amount,
        currency: request.currency,
        attempt: request.attempt,
        opened_at: request.openedAt.toISOString(),
        payment_method: {
          id: request.paymentMethodId,
          type: request.paymentMethodType,
          token: request.paymentMethodToken,
        },
        metadata: request.metadata,
      });
      return chargeOutcomeOf(answer, request.idempotencyKey);
    },
    async refund(request) {
      const answer = await call('/refunds', request.idempotencyKey, {
        payment_intent_id: request.paymentIntentId,
        amount: request.amount,
        currency: request.currency,
        metadata: request.metadata,
      });
      return refundOutcomeOf(answer, request.idempotencyKey);
    },
    close: () => agent.destroy(),
  };
}

/** Returns the header in milliseconds, if it is a number of seconds; a date is not read. */
function retryAfterOf(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,9}$/.test(header)
    ? Math.min(mostRetryAfterMs, Number(header) * 1000)
    : null;
}

/** @throws Error when the body is longer than any outcome, or breaks off. */
async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBodyBytes) throw new Error('the body is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}
