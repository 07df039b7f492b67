// Keys of idempotency by Stripe's published rules, in front of a server that has none.
// https://docs.stripe.com/api/idempotent_requests and https://docs.stripe.com/error-low-level

import { randomUUID } from 'node:crypto';
import { type LoopbackServer, type Received, serveOnLoopback } from '../loopback-server.ts';
import { type Answer, ask, json } from './exchange.ts';

/** The request of a key, and its answer when it is there. */
interface Stored {
  readonly call: string;
  readonly parameters: string;
  readonly requestId: string;
  readonly at: number;
  answer: Answer | null;
}

export interface IdempotencyLayer extends LoopbackServer {
  /** How many keys it has now. */
  readonly keys: number;
  /** Lets so much time pass for the keys, in milliseconds. */
  age(ms: number): void;
}

const dayMs = 86_400_000;
const longestKey = 255;

/**
 * Opens a server that passes requests on to another.
 *
 * - A key belongs to an account: here, to the secret key that is sent with it.
 * - The same key and parameters get the stored status and body, a 500 too, with `Idempotent-Replayed: true`.
 * - Another path or other parameters are a 400, `idempotency_error`. While the first is under way: a 409,
 *   `idempotency_key_in_use`.
 * - Nothing is stored of a request whose parameters fail validation, which lacks a valid secret key (401), which is
 *   limited (429) or conflicts (409): its execution has not begun.
 * - If the server behind gives no answer, it may have done what was asked: a 500 is stored.
 * - Keys are pruned at `pruneAfterMs`, by default 24 hours. A key has at most 255 characters.
 * - GET and DELETE have no keys.
 */
export async function openIdempotencyLayer(target: string, { pruneAfterMs = dayMs } = {}): Promise<IdempotencyLayer> {
  const stored = new Map<string, Stored>();
  let passedMs = 0;
  const now = () => performance.now() + passedMs;

  function prune(): void {
    for (const [name, { at, answer }] of stored) if (answer !== null && now() - at >= pruneAfterMs) stored.delete(name);
  }

  async function answerTo(received: Received): Promise<Answer> {
    const { method, path, headers, body } = received;
    const key = headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return withId(await ask(target, received), newId());
    if (key.length > longestKey) {
      return refusal(
        400,
        'invalid_request_error',
        undefined,
        `An idempotency key has at most ${longestKey} characters.`,
      );
    }
    prune();
    const name = `${headers.authorization} ${key}`;
    const call = `${method} ${path}`;
    const parameters = canonical(body);
    const found = stored.get(name);
    if (found !== undefined) {
      if (found.call !== call || found.parameters !== parameters) {
        const what = found.call === call ? 'parameters' : 'endpoint';
        const text = `Keys for idempotent requests can only be used with the same ${what} they were first used with.`;
        return refusal(400, 'idempotency_error', undefined, text);
      }
      if (found.answer === null) {
        const text = 'There is another request in progress that uses this idempotency key.';
        return refusal(409, 'idempotency_error', 'idempotency_key_in_use', text);
      }
      const more = { 'idempotent-replayed': 'true', 'original-request': found.requestId };
      return withId({ ...found.answer, headers: { ...found.answer.headers, ...more } }, newId());
    }
    const entry: Stored = { call, parameters, requestId: newId(), at: now(), answer: null };
    stored.set(name, entry);
    const answer = await ask(target, received).catch(() => died);
    if (hasBegun(answer)) entry.answer = answer;
    else stored.delete(name);
    return withId(answer, entry.requestId);
  }

  const server = await serveOnLoopback(async (received, response) => {
    const { status, headers, body } = await answerTo(received);
    response.writeHead(status, headers).end(body);
  });
  return {
    url: server.url,
    get connections() {
      return server.connections;
    },
    get keys() {
      prune();
      return stored.size;
    },
    age(ms) {
      passedMs += ms;
    },
    cut: () => server.cut(),
    close: () => server.close(),
  };
}

/**
 * Whether an answer says that execution had begun. A 400 that refuses the state of an object, such as
 * `payment_intent_unexpected_state`, comes from the execution; one without a code, or about a parameter, before it.
 */
function hasBegun({ status, body }: Answer): boolean {
  if (status === 401 || status === 403 || status === 409 || status === 429) return false;
  if (status !== 400 && status !== 404) return true;
  return codesOfExecution.some((code) => body.includes(`"${code}"`));
}

/** Codes of a 400 that only the execution can find. */
const codesOfExecution = ['payment_intent_unexpected_state', 'charge_already_refunded'];

/** The parameters in one order: how a client arranges them makes no difference. */
function canonical(body: string): string {
  return [...new URLSearchParams(body)]
    .map(([name, value]) => JSON.stringify([name, value]))
    .sort()
    .join();
}

const died = json(500, { error: { type: 'api_error', message: 'Something went wrong.' } });

const newId = () => `req_${randomUUID().replaceAll('-', '').slice(0, 14)}`;

function withId(answer: Answer, id: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'request-id': id } };
}

function refusal(status: number, type: string, code: string | undefined, message: string): Answer {
  return withId(json(status, { error: { type, code, message } }), newId());
}
