import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { realNow } from '../../src/platform/real-time.ts';
import type { Chance } from '../random.ts';
import type { Answer, Exchange, Journal } from './journal.ts';

export type Json = Record<string, unknown>;

export interface Sending {
  body?: object;
  /** One of its own if not given. */
  key?: string;
  /** Sends it under the key of another request, which is a mistake. */
  misusing?: string;
  /** Sends it to two processes at the same moment, as an impatient client would. */
  twice?: boolean;
  headers?: Record<string, string>;
}

/** A biller's program: sends each request, with the same key, until it is answered for good, to whichever process answers. */
export interface Client {
  readonly apiKey: string;
  post(path: string, sending?: Sending): Promise<Json>;
  put(path: string, body: object): Promise<Json>;
  get(path: string, headers?: Record<string, string>): Promise<Json>;
  delete(path: string): Promise<Json>;
  /** Sends the very same request again, under the same key; answers what it got, whatever that is. */
  repeat(exchange: Exchange): Promise<Answer>;
  /** Once, without trying again; null when it got no final answer. */
  postOnce(path: string, sending?: Sending): Promise<Json | null>;
}

/** A final answer that is no success. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string | null;

  constructor({ method, path }: Exchange, { status, text }: Answer) {
    super(`${method} ${path} was answered ${status}: ${text.slice(0, 400)}`);
    this.name = 'Refused';
    this.status = status;
    this.code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
  }
}

/** The run is over, and whoever still waits for an answer gives up. */
export class GaveUp extends Error {}

const tryTimeoutMs = 6_000;
const longestPauseMs = 600;

/** One for all clients: connections are kept, and break with the process at their other end. */
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 4_000 });

export function openClient(
  urls: readonly string[],
  apiKey: string,
  { journal, chance, signal }: { journal: Journal; chance: Chance; signal: AbortSignal },
): Client {
  /** One try; null when it may get another answer in a moment. */
  async function send(exchange: Exchange, url: string, headers: Record<string, string>): Promise<Answer | null> {
    const { method, path, body, key } = exchange;
    try {
      const response = await request(`${url}/api/v1${path}`, {
        dispatcher: agent,
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(key === null ? {} : { 'idempotency-key': key }),
          ...headers,
        },
        body: body === null ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(tryTimeoutMs),
      });
      const text = await response.body.text();
      const status = response.statusCode;
      if (status >= 500 || status === 429 || status === 408 || text.includes('"idempotency_key_in_use"')) {
        journal.setBack(`${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim());
        return null;
      }
      const replayed = response.headers['idempotent-replayed'] === 'true';
      return { status, text, replayed, at: realNow().getTime() };
    } catch (error) {
      journal.setBack(reasonOf(error));
      return null;
    }
  }

  async function exchangeOf(exchange: Exchange, { twice = false, misusing, headers = {} }: Sending): Promise<Json> {
    const sent = misusing === undefined ? headers : { ...headers, 'idempotency-key': misusing };
    journal.exchanges.push(exchange);
    for (let tries = 0; ; tries += 1) {
      const all = chance.shuffled(urls);
      const chosen = twice && tries === 0 ? all.slice(0, 2) : all.slice(0, 1);
      const answers = await Promise.all(chosen.map((url) => send(exchange, url, sent)));
      const final = answers.filter((answer) => answer !== null);
      exchange.answers.push(...final);
      const [first] = final;
      if (first !== undefined) return read(exchange, first);
      if (signal.aborted) throw new GaveUp(`${exchange.method} ${exchange.path} has no answer`);
      await pause(chance.between(20, Math.min(longestPauseMs, 50 * 2 ** Math.min(tries, 5))));
    }
  }

  const newExchange = (method: Exchange['method'], path: string, { body, key, misusing }: Sending = {}): Exchange => ({
    method,
    path,
    body: body ?? null,
    key: method === 'POST' && misusing === undefined ? (key ?? crypto.randomUUID()) : null,
    apiKey,
    answers: [],
  });

  return {
    apiKey,
    post: (path, sending = {}) => exchangeOf(newExchange('POST', path, sending), sending),
    put: (path, body) => exchangeOf(newExchange('PUT', path, { body }), {}),
    get: (path, headers = {}) => exchangeOf(newExchange('GET', path), { headers }),
    delete: (path) => exchangeOf(newExchange('DELETE', path), {}),
    async repeat(exchange) {
      for (;;) {
        const answer = await send(exchange, chance.pick(urls), {});
        if (answer !== null) return answer;
        if (signal.aborted) throw new GaveUp(`${exchange.method} ${exchange.path} has no answer`);
        await pause(longestPauseMs);
      }
    },
    async postOnce(path, sending = {}) {
      const exchange = newExchange('POST', path, sending);
      journal.exchanges.push(exchange);
      const answer = await send(exchange, chance.pick(urls), {});
      if (answer === null) return null;
      exchange.answers.push(answer);
      return read(exchange, answer);
    },
  };
}

/** Null in the place of a refusal with this code, which is to be expected; anything else is thrown on. */
export function orRefusal(code: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof Refused && error.code === code) return null;
    throw error;
  };
}

/** A member that has to be a text. */
export function textIn(body: Json, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}: ${JSON.stringify(body).slice(0, 300)}`);
  return value;
}

function read(exchange: Exchange, answer: Answer): Json {
  if (answer.status >= 300) throw new Refused(exchange, answer);
  return JSON.parse(answer.text);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${tryTimeoutMs / 1000} s`;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
