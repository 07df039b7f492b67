import { createHash, randomInt } from 'node:crypto';
import { realNow } from '../platform/real-time.ts';
import { encodeBase62, randomBase62 } from './base62.ts';

interface IdKindFacts {
  prefix: string;
  /** The table, or view, and the collection in the paths of the API. Null for a kind that the API does not list. */
  collection: string | null;
  /** The field in logs, traces and the Web UI. Null for a kind that the request context logs on its own. */
  logField: string | null;
}

/** Every kind of id. Whatever lists kinds, prefixes, collections or log fields derives from this table. */
export const idKinds = {
  biller: { prefix: 'acct_', collection: null, logField: null },
  api_key: { prefix: 'key_', collection: null, logField: null },
  customer: { prefix: 'cus_', collection: 'customers', logField: 'customer_id' },
  payment_method: { prefix: 'pm_', collection: 'payment_methods', logField: 'payment_method_id' },
  mandate: { prefix: 'mdt_', collection: 'mandates', logField: 'mandate_id' },
  payment_intent: { prefix: 'pi_', collection: 'payment_intents', logField: 'payment_intent_id' },
  payment_attempt: { prefix: 'att_', collection: null, logField: 'attempt_id' },
  balance_transaction: { prefix: 'txn_', collection: 'balance_transactions', logField: 'balance_transaction_id' },
  payout: { prefix: 'po_', collection: 'payouts', logField: 'payout_id' },
  dispute: { prefix: 'dp_', collection: 'disputes', logField: 'dispute_id' },
  refund: { prefix: 're_', collection: 'refunds', logField: 'refund_id' },
  payment_plan: { prefix: 'pp_', collection: 'payment_plans', logField: 'payment_plan_id' },
  payment_link: { prefix: 'lnk_', collection: 'payment_links', logField: 'payment_link_id' },
  checkout_session: { prefix: 'ses_', collection: 'checkout_sessions', logField: 'checkout_session_id' },
  subscription: { prefix: 'sub_', collection: 'subscriptions', logField: 'subscription_id' },
  subscription_item: { prefix: 'sbi_', collection: null, logField: null },
  test_clock: { prefix: 'clk_', collection: 'test_clocks', logField: 'test_clock_id' },
  clock_advance: { prefix: 'adv_', collection: null, logField: 'advance_id' },
  event: { prefix: 'evt_', collection: 'events', logField: 'event_id' },
  webhook_endpoint: { prefix: 'we_', collection: 'webhook_endpoints', logField: 'endpoint_id' },
  webhook_delivery: { prefix: 'whd_', collection: 'webhook_deliveries', logField: 'delivery_id' },
  dashboard_session: { prefix: 'dbs_', collection: 'dashboard_sessions', logField: 'dashboard_session_id' },
  request: { prefix: 'req_', collection: null, logField: null },
} as const satisfies Record<string, IdKindFacts>;

export type IdKind = keyof typeof idKinds;

/**
 * An id of this kind, by its prefix. So ids of two kinds do not compile as each other. What comes from outside is a
 * `string` until a row of the database is found by it, `isId` has checked it, or a request names it as one of a kind
 * (`namedId`, `Reference`).
 */
export type Id<Kind extends IdKind> = `${(typeof idKinds)[Kind]['prefix']}${string}`;

export const allKinds = Object.keys(idKinds) as IdKind[];

/** A table that the API lists. Its name is also the collection in the path. */
export type Collection = NonNullable<(typeof idKinds)[IdKind]['collection']>;

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
export function newId<Kind extends IdKind>(kind: Kind, mode?: { livemode: boolean }): Id<Kind> {
  return (newPrefix(kind, mode) + nextHead() + randomBase62(randomLength)) as Id<Kind>;
}

/**
 * Returns an id that a request or another system names as one of this kind. Nothing is known about it: it is checked
 * where its row is looked up. Null and undefined stay.
 */
export function namedId<Kind extends IdKind, Text extends string | null | undefined>(
  _kind: Kind,
  text: Text,
): Id<Kind> | Exclude<Text, string> {
  return text as Id<Kind> | Exclude<Text, string>;
}

/** Returns the kind of the ids in a collection, or undefined if the API has no such collection. */
export function kindOf(collection: string): IdKind | undefined {
  return allKinds.find((kind) => idKinds[kind].collection === collection);
}

/**
 * Returns the id of the object that `ownerId` has under `name`. It is always the same, so an object that was lost is
 * made again under the same id. It begins with the owner's time and counter. A collision is as unlikely as for a new id
 * (119 bits).
 */
export function derivedId<Kind extends Exclude<IdKind, 'payment_intent'>>(
  kind: Kind,
  ownerId: string,
  name: string,
): Id<Kind> {
  return (idKinds[kind].prefix + derivedBody(ownerId, name)) as Id<Kind>;
}

/** Returns the id of this kind in the examples of the documentation: always the same, and of no object. */
export function exampleId<Kind extends IdKind>(kind: Kind): Id<Kind> {
  return (newPrefix(kind, { livemode: false }) + derivedBody('00VbVsXkh05w'.padEnd(bodyLength, '0'), kind)) as Id<Kind>;
}

/**
 * Whether `value` has the form of an id of this kind: the prefix and 32 base62 characters. A payment intent may have
 * either prefix (contract: Identifier prefixes). It does not check that the object exists. Never throws.
 */
export function isId<Kind extends IdKind>(kind: Kind, value: string): value is Id<Kind> {
  const prefix =
    kind === 'payment_intent' && value.startsWith(sandboxIntentPrefix) ? sandboxIntentPrefix : idKinds[kind].prefix;
  return value.startsWith(prefix) && bodyPattern.test(value.slice(prefix.length));
}

/** Returns the start of a range of ids by time: no id made at or after `instant` sorts before it. */
export function firstIdSince(kind: Exclude<IdKind, 'payment_intent'>, instant: Date): string {
  return idKinds[kind].prefix + encodeBase62(instant.getTime(), timeLength);
}

/** Returns the pattern that `isId` checks, as a regular expression for schemas (contract: Identifier prefixes). */
export function idPattern(kind: IdKind): string {
  const prefix = kind === 'payment_intent' ? `${idKinds.payment_intent.prefix}(sandbox_)?` : idKinds[kind].prefix;
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

function derivedBody(ownerId: string, name: string): string {
  const head = ownerId.slice(-bodyLength).slice(0, timeLength + counterLength);
  const digest = createHash('sha256').update(`${ownerId}/${name}`).digest('hex');
  const tail = encodeBase62(BigInt(`0x${digest}`), randomLength);
  // The least significant digit comes first. Ids that exist are made this way.
  return head + [...tail].reverse().join('');
}

function newPrefix(kind: IdKind, mode: { livemode: boolean } | undefined): string {
  if (kind !== 'payment_intent') return idKinds[kind].prefix;
  if (mode === undefined) throw new TypeError('a payment intent id needs the mode that it is made in');
  return mode.livemode ? idKinds.payment_intent.prefix : sandboxIntentPrefix;
}
