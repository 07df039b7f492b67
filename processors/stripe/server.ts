// The processor service over HTTP: checks who asks and what, calls Stripe, and tells what is sure.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import getRawBody from 'raw-body';
import Stripe from 'stripe';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Logger } from '../../src/platform/logger.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { NoAccount, type StripeAccounts } from './accounts.ts';
import { inquireMandate } from './debits.ts';
import { openMovements, type ReadMovements } from './movements.ts';
import { readNotices } from './notices.ts';
import { cancel, charge, inquire, prepare } from './payments.ts';
import { type Answer, bodies, type For, noOutcome } from './protocol.ts';
import { inquireRefund, refund } from './refunds.ts';
import { KeyNotOpened } from './sealed-keys.ts';
import { beginSetup, describeMethod, inquireSetup } from './setups.ts';
import { inWords, refusalOf } from './stripe-errors.ts';

export interface StripeProcessor {
  db: Pool;
  accounts: StripeAccounts;
  secret: string;
  logger: Logger;
  /** Named in every answer if it is not Stripe's own. */
  stripeApiUrl: string | null;
}

/** As the protocol says: the metadata of a payment alone may have 100 KiB. */
const mostBodyBytes = 1024 * 1024;

interface Call {
  schema: TSchema;
  needsKey: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the schema has checked the body
  answer(processor: StripeProcessor, stripe: Stripe, key: string, body: any): Promise<Answer>;
}

const calls: Readonly<Record<string, Call>> = {
  '/prepare': { schema: bodies.prepare, needsKey: true, answer: ({ db }, ...call) => prepare(db, ...call) },
  '/charges': { schema: bodies.charge, needsKey: true, answer: ({ db }, ...call) => charge(db, ...call) },
  '/inquire': {
    schema: bodies.inquire,
    needsKey: false,
    answer: ({ db }, stripe, _, body) => inquire(db, stripe, body),
  },
  '/cancel': { schema: bodies.cancel, needsKey: false, answer: ({ db }, stripe, _, body) => cancel(db, stripe, body) },
  '/refunds': { schema: bodies.refund, needsKey: true, answer: ({ db }, ...call) => refund(db, ...call) },
  '/refunds/inquire': {
    schema: bodies.refund,
    needsKey: true,
    answer: ({ db }, ...call) => inquireRefund(db, ...call),
  },
  '/setups': {
    schema: bodies.setup,
    needsKey: true,
    answer: ({ db, stripeApiUrl }, stripe, key, body) => beginSetup(db, stripe, key, body, stripeApiUrl),
  },
  '/setups/inquire': {
    schema: bodies.inquireSetup,
    needsKey: false,
    answer: (_, stripe, __, body) => inquireSetup(stripe, body),
  },
  '/mandates/inquire': {
    schema: bodies.inquireMandate,
    needsKey: false,
    answer: ({ db }, stripe, _, body) => inquireMandate(db, stripe, body),
  },
  '/methods/inquire': {
    schema: bodies.describeMethod,
    needsKey: false,
    answer: (_, stripe, __, body) => describeMethod(stripe, body),
  },
};

/** Serves the protocol of docs/processors.md on this machine. */
export function createStripeProcessor(processor: StripeProcessor): Server {
  const readMovements = openMovements(processor);
  const server = createServer((request, response) => {
    const startedAt = performance.now();
    response.on('error', () => {});
    // Who waits for notices must not hold up the end of the process.
    const isOver = () => request.socket.destroyed || !server.listening;
    answerTo(processor, readMovements, request, isOver)
      .catch((error: unknown) => {
        processor.logger.error({ err: error, path: request.url }, 'a call has failed');
        return noOutcome(500, 'the processor has failed');
      })
      .then((answer) => {
        const ms = Math.round(performance.now() - startedAt);
        const { outcome, reference, error } = answer.body;
        processor.logger.info({ path: request.url, status: answer.status, outcome, reference, why: error, ms }, 'call');
        send(request, response, answer, processor.stripeApiUrl);
      });
  });
  return server;
}

async function answerTo(
  processor: StripeProcessor,
  readMovements: ReadMovements,
  request: IncomingMessage,
  isOver: () => boolean,
): Promise<Answer> {
  const { url = '', method, headers } = request;
  if (method === 'GET' && url === '/health') return health(processor);
  if (!isAuthorized(headers.authorization, processor.secret)) return noOutcome(401, 'the secret is wrong');
  if (method !== 'POST') return noOutcome(404, 'every call is a POST');
  const body = await readJson(request);
  if (body === null) return noOutcome(400, 'the body must be a JSON object of at most 1 MiB');
  if (url === '/movements') {
    if (!Value.Check(bodies.movements, body)) return malformed(bodies.movements, body);
    return failing(null, processor, () => readMovements(body));
  }
  if (url === '/notices') {
    if (!Value.Check(bodies.notices, body)) return malformed(bodies.notices, body);
    return readNotices(processor.db, body, isOver);
  }
  const call = Object.hasOwn(calls, url) ? calls[url] : undefined;
  if (call === undefined) return noOutcome(404, 'there is no such call');
  const { 'idempotency-key': key } = headers;
  if (call.needsKey && (typeof key !== 'string' || !/^[\w.-]{1,200}$/.test(key))) {
    return noOutcome(400, 'the call needs an Idempotency-Key of at most 200 letters, digits, dots and dashes');
  }
  if (!Value.Check(call.schema, body)) return malformed(call.schema, body);
  const place = body as unknown as For;
  return failing(place, processor, async () => {
    const stripe = await processor.accounts.clientOf(place);
    const answer = await call.answer(processor, stripe, String(key), body);
    await processor.accounts.noteHealth(place, null);
    return answer;
  });
}

/** Runs a call. What Stripe has not decided is no outcome, and the service asks again. */
async function failing(
  place: For | null,
  { accounts, logger }: StripeProcessor,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof NoAccount) return noOutcome(403, error.message);
    if (error instanceof KeyNotOpened) {
      logger.error(place ?? {}, error.message);
      return noOutcome(503, 'the key of the account cannot be opened');
    }
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (place !== null) await accounts.noteHealth(place, error);
    if (refusalOf(error) !== null)
      return noOutcome(403, 'Stripe refuses the key of the account, or a right that it needs');
    if (error.statusCode === 409) return noOutcome(409, 'Stripe is busy with this key');
    return noOutcome(503, inWords(error));
  }
}

function isAuthorized(given: string | undefined, secret: string): boolean {
  const [known, received] = [Buffer.from(`Bearer ${secret}`), Buffer.from(given ?? '')];
  return known.length === received.length && timingSafeEqual(known, received);
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  try {
    const text = await getRawBody(request, { limit: mostBodyBytes, encoding: 'utf8' });
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // What is still to come of it would stand before the next request of the connection.
    request.resume();
    return null;
  }
}

function malformed(schema: TSchema, body: unknown): Answer {
  const [first] = Value.Errors(schema, body);
  return noOutcome(400, `the body is not as the protocol says: ${first?.instancePath ?? ''} ${first?.message ?? ''}`);
}

async function health({ db, stripeApiUrl }: StripeProcessor): Promise<Answer> {
  const [row] = await db<{ accounts: number }[]>`
    select count(*)::int as accounts from processor_stripe.accounts where status <> 'disabled'`;
  return { status: 200, body: { processor: 'stripe', accounts: row?.accounts ?? 0, ...notStripe(stripeApiUrl) } };
}

function notStripe(stripeApiUrl: string | null) {
  return stripeApiUrl === null ? {} : { warning: `not Stripe: ${stripeApiUrl}` };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Answer,
  stripeApiUrl: string | null,
): void {
  // What was not read of a body that is too long would be taken for the next request.
  const isWhole = request.complete;
  response.writeHead(status, { 'content-type': 'application/json', ...(isWhole ? {} : { connection: 'close' }) });
  response.end(JSON.stringify({ ...body, ...notStripe(stripeApiUrl) }));
  if (!isWhole) request.resume();
}
