import { createHash, randomFillSync, randomInt } from 'node:crypto';
import { realNow } from '../platform/real-time.ts';

export type IdKind =
  | 'biller'
  | 'api_key'
  | 'customer'
  | 'payment_method'
  | 'payment_intent'
  | 'payment_attempt'
  | 'refund'
  | 'payment_plan'
  | 'test_clock'
  | 'clock_advance'
  | 'event'
  | 'webhook_endpoint'
  | 'webhook_delivery'
  | 'request';

const prefixes: Readonly<Record<IdKind, string>> = {
  biller: 'acct_',
  api_key: 'key_',
  customer: 'cus_',
  payment_method: 'pm_',
  payment_intent: 'pi_',
  payment_attempt: 'att_',
  refund: 're_',
  payment_plan: 'pp_',
  test_clock: 'clk_',
  clock_advance: 'adv_',
  event: 'evt_',
  webhook_endpoint: 'we_',
  webhook_delivery: 'whd_',
  request: 'req_',
};

const sandboxIntentPrefix = 'pi_sandbox_';

/** In ASCII order, so that comparing bytes (PostgreSQL: collate "C") compares the numbers that are written in it. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = alphabet.length;

/** 32 = 9 for the millisecond (good for 400,000 years), 3 for the counter within it, 20 random (119 bits). */
const bodyLength = 32;
const timeLength = 9;
const counterLength = 3;
const randomLength = bodyLength - timeLength - counterLength;
const counterLimit = base ** counterLength;

/** Bytes from here on are dropped: 256 is no multiple of 62, and keeping them would favour the first 8 symbols. */
const unbiasedLimit = 256 - (256 % base);

/** One system call fills enough for some 400 ids; a call for each id would cost more than the rest of it together. */
const pool = Buffer.alloc(8192);
let poolPosition = pool.length;

const bodyPattern = new RegExp(`^[0-9A-Za-z]{${bodyLength}}$`);

const nextHead = idHeads(() => realNow().getTime());

/**
 * A new id: the kind's prefix and exactly 32 base62 characters whose head is the real creation time in milliseconds
 * and a counter, so that ids sort by creation, byte by byte; ids made by one process strictly increase, also when the
 * wall clock steps back (decisions: Ids; contract: Identifier prefixes). `mode` matters to payment intents alone,
 * which read `pi_sandbox_…` in sandbox. Throws TypeError for a payment intent without a mode.
 */
export function newId(kind: IdKind, mode?: { livemode: boolean }): string {
  return newPrefix(kind, mode) + nextHead() + randomBase62(randomLength);
}

/**
 * The id of what `ownerId` has under this name, the same whenever it is asked for: who has forgotten what it has made makes
 * it again under the same id. Its head is that of the owner. As unlikely to be met twice as a new id (119 bits).
 */
export function derivedId(kind: Exclude<IdKind, 'payment_intent'>, ownerId: string, name: string): string {
  const head = ownerId.slice(-bodyLength).slice(0, timeLength + counterLength);
  const digest = createHash('sha256').update(`${ownerId}/${name}`).digest('hex');
  let rest = BigInt(`0x${digest}`);
  let tail = '';
  while (tail.length < randomLength) {
    tail += alphabet.charAt(Number(rest % BigInt(base)));
    rest /= BigInt(base);
  }
  return prefixes[kind] + head + tail;
}

/**
 * Whether `value` has the form of an id of this kind, prefix and 32 base62 characters; a payment intent may have
 * either prefix (contract: Identifier prefixes). It says nothing about whether such a record exists. Never throws.
 */
export function isId(kind: IdKind, value: string): boolean {
  const prefix =
    kind === 'payment_intent' && value.startsWith(sandboxIntentPrefix) ? sandboxIntentPrefix : prefixes[kind];
  return value.startsWith(prefix) && bodyPattern.test(value.slice(prefix.length));
}

/** No id that was made at this instant or later sorts before it: where a range of ids by time begins. */
export function firstIdSince(kind: Exclude<IdKind, 'payment_intent'>, instant: Date): string {
  return prefixes[kind] + encode(instant.getTime(), timeLength);
}

/** What `isId` looks for, as a regular expression for schemas (contract: Identifier prefixes). */
export function idPattern(kind: IdKind): string {
  const prefix = kind === 'payment_intent' ? `${prefixes.payment_intent}(sandbox_)?` : prefixes[kind];
  return `^${prefix}[0-9A-Za-z]{${bodyLength}}$`;
}

/**
 * `length` characters of base62 from the cryptographic generator, each symbol equally likely (5.95 bits each), for
 * secrets and keys (contract: opaque strings). Throws RangeError when `length` is no whole number from 0 up.
 */
export function randomBase62(length: number): string {
  if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`not a length: ${length}`);
  let text = '';
  while (text.length < length) {
    if (poolPosition === pool.length) {
      randomFillSync(pool);
      poolPosition = 0;
    }
    const byte = pool.readUInt8(poolPosition);
    poolPosition += 1;
    if (byte < unbiasedLimit) text += alphabet.charAt(byte % base);
  }
  return text;
}

/**
 * A source of id heads (12 characters: millisecond, counter) that strictly increase whatever `now`, in milliseconds,
 * does: a clock that stands still or steps back moves only the counter, and a used-up counter borrows the next
 * millisecond (decisions: ids sort by creation). Every source counts on its own; `newId` has the process's only one.
 */
export function idHeads(now: () => number): () => string {
  let millisecond = -1;
  let counter = 0;
  let time = '';

  function start(at: number): void {
    millisecond = at;
    time = encode(at, timeLength);
    // Random, so that two processes seldom share a head; low, so that 234,000 ids still fit in the millisecond.
    counter = randomInt(base ** 2);
  }

  return () => {
    const at = now();
    if (at > millisecond) start(at);
    else if (counter + 1 < counterLimit) counter += 1;
    else start(millisecond + 1);
    return time + encode(counter, counterLength);
  };
}

function newPrefix(kind: IdKind, mode: { livemode: boolean } | undefined): string {
  if (kind !== 'payment_intent') return prefixes[kind];
  if (mode === undefined) throw new TypeError('a payment intent id needs the mode that it is made in');
  return mode.livemode ? prefixes.payment_intent : sandboxIntentPrefix;
}

function encode(value: number, width: number): string {
  let text = '';
  let rest = value;
  for (let place = 0; place < width; place += 1) {
    text = alphabet.charAt(rest % base) + text;
    rest = Math.floor(rest / base);
  }
  return text;
}
