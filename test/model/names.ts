import { instant } from '../../lab/model/calendar.ts';

/** The same in every answer, secret, a page of the payer with a token, or wording: nothing that the rules decide. */
const unsaid = [
  ...['livemode', 'biller_id', 'client_secret', 'next_action', 'receipt_url'],
  ...['message', 'expires_at', 'sequence', 'request_id'],
];

/** A test takes less, and the clocks of the tests stand at other times. */
const nearMilliseconds = 3_600_000;

/** Which name stands for which id: what lets the answers of the service be held against those of the model. */
export class Names {
  readonly #idOf = new Map<string, string>();
  readonly #nameOf = new Map<string, string>();
  readonly #realNow: number;

  constructor(realNow: number) {
    this.#realNow = realNow;
  }

  learn(name: string, id: string): void {
    this.#idOf.set(name, id);
    this.#nameOf.set(id, name);
  }

  knows(name: string): boolean {
    return this.#idOf.has(name);
  }

  /** A path with ids in it. */
  path(named: string): string {
    return named
      .split('/')
      .map((part) => this.#idOf.get(part) ?? part)
      .join('/');
  }

  /** A body with ids in it, as it is sent. */
  body(named: unknown): unknown {
    return mapped(named, (text) => this.#idOf.get(text) ?? text);
  }

  /** What the service has answered, as the model would say it. */
  told(answered: unknown): unknown {
    return comparable(mapped(answered, (text) => this.#nameOf.get(text) ?? this.#time(text)));
  }

  /** Real time stands still in the model. */
  #time(text: string): string {
    const isInstant = /^\d{4}-\d\d-\d\dT/.test(text);
    const isNow = isInstant && Math.abs(Date.parse(text) - this.#realNow) < nearMilliseconds;
    return isNow ? instant(this.#realNow) : text;
  }
}

/**
 * A value as it is compared: without what need not be said, and with effects in an order that is the same for all,
 * since what happens to different plans at one instant has none.
 */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && !unsaid.includes(name))
    .map(([name, member]): [string, unknown] => [name, comparable(member)])
    .map(([name, member]) => [name, name === 'effects' && Array.isArray(member) ? inOrder(member) : member] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members);
}

/** By instant, and of the same instant in any order that is always the same; of comparable values. */
export function inOrder(values: readonly unknown[]): unknown[] {
  return values
    .map((value) => ({ value, key: keyOf(value) }))
    .sort(byKey)
    .map(({ value }) => value);
}

function keyOf(value: unknown): string {
  const at = value !== null && typeof value === 'object' && 'at' in value ? String(value.at) : '';
  return `${at} ${JSON.stringify(value)}`;
}

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapped(member, change)]));
}
