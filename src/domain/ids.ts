import { createHash, randomInt } from 'node:crypto';
import { realNow } from '../platform/real-time.ts';
import { encodeBase62, randomBase62 } from './base62.ts';

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

/** 32 = 9 for the millisecond (enough for 400,000 years), 3 for the counter within it, 20 random (119 bits). */
const bodyLength = 32;
const timeLength = 9;
const counterLength = 3;
const randomLength = bodyLength - timeLength - counterLength;
const counterLimit = 62 ** counterLength;

const bodyPattern = new RegExp(`^[0-9A-Za-z]{${bodyLength}}$`);

const nextHead = idHeads(() => realNow().getTime());

/**
 * Returns a new id: the kind's prefix and exactly 32 base62 characters (decisions: Ids; contract: Identifier prefixes).
 * They begin with the real creation time in milliseconds and a counter, so ids sort by creation, byte by byte. Ids of
 * one process strictly increase, even when the wall clock steps back. `mode` matters only for payment intents, which
 * have the prefix `pi_sandbox_` in the sandbox.
 * @throws TypeError for a payment intent without a mode.
 */
export function newId(kind: IdKind, mode?: { livemode: boolean }): string {
  return newPrefix(kind, mode) + nextHead() + randomBase62(randomLength);
}

/**
 * Returns the id of the object that `ownerId` has under `name`. It is always the same, so an object that was lost is
 * made again under the same id. It begins with the owner's time and counter. A collision is as unlikely as for a new id
 * (119 bits).
 */
export function derivedId(kind: Exclude<IdKind, 'payment_intent'>, ownerId: string, name: string): string {
  const head = ownerId.slice(-bodyLength).slice(0, timeLength + counterLength);
  const digest = createHash('sha256').update(`${ownerId}/${name}`).digest('hex');
  const tail = encodeBase62(BigInt(`0x${digest}`), randomLength);
  // The least significant digit comes first. Ids that exist are made this way.
  return prefixes[kind] + head + [...tail].reverse().join('');
}

/**
 * Whether `value` has the form of an id of this kind: the prefix and 32 base62 characters. A payment intent may have
 * either prefix (contract: Identifier prefixes). It does not check that the object exists. Never throws.
 */
export function isId(kind: IdKind, value: string): boolean {
  const prefix =
    kind === 'payment_intent' && value.startsWith(sandboxIntentPrefix) ? sandboxIntentPrefix : prefixes[kind];
  return value.startsWith(prefix) && bodyPattern.test(value.slice(prefix.length));
}

/** Returns the start of a range of ids by time: no id made at or after `instant` sorts before it. */
export function firstIdSince(kind: Exclude<IdKind, 'payment_intent'>, instant: Date): string {
  return prefixes[kind] + encodeBase62(instant.getTime(), timeLength);
}

/** Returns the pattern that `isId` checks, as a regular expression for schemas (contract: Identifier prefixes). */
export function idPattern(kind: IdKind): string {
  const prefix = kind === 'payment_intent' ? `${prefixes.payment_intent}(sandbox_)?` : prefixes[kind];
  return `^${prefix}[0-9A-Za-z]{${bodyLength}}$`;
}

/**
 * Returns a source of id heads: 12 characters of millisecond and counter (decisions: ids sort by creation). They
 * strictly increase, whatever `now` (milliseconds) returns. If the clock stands still or steps back, only the counter
 * increases. If the counter is used up, the source moves to the next millisecond. Each source counts separately;
 * `newId` uses the only one of the process.
 */
export function idHeads(now: () => number): () => string {
  let millisecond = -1;
  let counter = 0;
  let time = '';

  function start(at: number): void {
    millisecond = at;
    time = encodeBase62(at, timeLength);
    // Random, so that two processes rarely share a head. Low, so that 234,000 ids still fit in the millisecond.
    counter = randomInt(62 ** 2);
  }

  return () => {
    const at = now();
    if (at > millisecond) start(at);
    else if (counter + 1 < counterLimit) counter += 1;
    else start(millisecond + 1);
    return time + encodeBase62(counter, counterLength);
  };
}

function newPrefix(kind: IdKind, mode: { livemode: boolean } | undefined): string {
  if (kind !== 'payment_intent') return prefixes[kind];
  if (mode === undefined) throw new TypeError('a payment intent id needs the mode that it is made in');
  return mode.livemode ? prefixes.payment_intent : sandboxIntentPrefix;
}
