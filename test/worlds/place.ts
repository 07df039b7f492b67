import type { Id } from '../../src/domain/ids.ts';
// Where worlds are tried: a running service, and its database for what the API does not list.

import { dueOnClock } from '../../src/db/due-on-clock.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import type { Vault } from '../../src/services/accounts/vault.ts';
import { makeBiller, makeKey } from '../support/factories.ts';

export interface Place {
  url: string;
  sql: Pool;
  vault: Vault;
  /** Carries out what an accepted advance or an action has made due. Left out where workflows do. */
  carryOut?: ((clockId: string) => Promise<void>) | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared as they are; a missing member fails the comparison
export type Body = any;

export interface Answer {
  status: number;
  body: Body;
}

/** A request that must succeed was refused. */
export class Refused extends Error {
  override name = 'Refused';
  readonly answer: Answer;

  constructor(request: string, answer: Answer) {
    super(`${request}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.answer = answer;
  }
}

/** A new biller of a place, and what it asks. */
export class Account {
  readonly place: Place;
  readonly billerId: Id<'biller'>;
  readonly #key: string;

  private constructor(place: Place, billerId: Id<'biller'>, key: string) {
    this.place = place;
    this.billerId = billerId;
    this.#key = key;
  }

  static async open(place: Place, timeZone: string): Promise<Account> {
    const { id } = await makeBiller(place.sql, { timeZone });
    const { key } = await makeKey(place.sql, { billerId: id });
    return new Account(place, id, key);
  }

  /** A request whose refusal is a value. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.place.url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** A request that must succeed. @throws Refused */
  async do(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body> {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status < 300) return answer.body;
    throw new Refused(`${method} ${path} ${JSON.stringify(body)}`, answer);
  }

  /** All pages of a list, in the order of the API. */
  async list(path: string): Promise<Body[]> {
    const items: Body[] = [];
    for (;;) {
      const after = items.at(-1);
      const cursor = after === undefined ? '' : `&starting_after=${after.id ?? after.event_id}`;
      const { data, has_more } = await this.do('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
      items.push(...data);
      if (!has_more) return items;
    }
  }
}

/** The first instant up to `target` at which something is due on a clock, or null. */
export async function nextDue(place: Place, clockId: string, target: number): Promise<number | null> {
  const [first] = await dueOnClock(place.sql, clockId, customerInstant(target), { limit: 1 });
  return first === undefined ? null : Number(first.at ?? 0);
}
