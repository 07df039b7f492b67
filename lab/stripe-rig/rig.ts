// The whole chain: adapter → faults → keys → faults within → shadow → books → BECS → bridge → localstripe.

import { join } from 'node:path';
import { type Becs, openBecs } from './becs.ts';
import { type Books, openBooks } from './books.ts';
import { type Bridge, openBridge } from './bridge.ts';
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts';
import { type IdempotencyLayer, openIdempotencyLayer } from './idempotency.ts';
import { judge, type Verdict } from './judge.ts';
import { type RigServer, rigKey, startLocalStripe, startStripeMock } from './servers.ts';
import { openShadow, type Shadow } from './shadow.ts';

/** Stripe for the tests of an adapter. */
export interface StripeRig {
  /** What the adapter takes for Stripe. */
  readonly url: string;
  /** Faults between the adapter and Stripe. */
  readonly faults: FaultProxy;
  /** Faults within Stripe, behind the keys: an answer of 500 is stored for the key. */
  readonly faultsWithin: FaultProxy;
  readonly keys: IdempotencyLayer;
  readonly shadow: Shadow;
  readonly bridge: Bridge;
  /** The bank of BECS debits. */
  readonly becs: Becs;
  /** Balance transactions and payouts. */
  readonly books: Books;
  /** localstripe itself, past all layers, for what an operator does by hand; that of `ofKey` if it is given. */
  localstripe(ofKey?: string): { readonly url: string };
  /** What is in the store of all keys, or of this one. */
  judge(ofKey?: string): Promise<Verdict>;
  /** Makes a payment method of a card, at localstripe itself: a number never passes an adapter. Returns its id. */
  makeCard(card: RigCard, ofKey?: string): Promise<string>;
  stop(): Promise<void>;
}

/** The card is charged, is declined at the charge, or needs the payer. */
export type RigCard = keyof typeof numbers;

const numbers = { good: '4242424242424242', declined: '4000000000000341', challenge: '4000002500003155' };

export interface RigOptions {
  /** Secret keys of accounts that have a store each; all other keys have one together. */
  readonly accounts?: readonly string[];
  /** At what age keys are pruned, in milliseconds; 24 hours if not given. */
  readonly pruneAfterMs?: number;
}

/** Starts all of it, with its files in the folder. @throws RigUnavailable if a program cannot be installed */
export async function startStripeRig(folder: string, options: RigOptions = {}): Promise<StripeRig> {
  const ends: (() => Promise<void>)[] = [];
  const kept = <T>(part: T, end: (part: T) => Promise<void>): T => {
    ends.unshift(() => end(part));
    return part;
  };
  const stop = async () => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    const localstripe = kept(await startLocalStripe(join(folder, 'localstripe')), (part) => part.stop());
    const stores = new Map<string, RigServer>();
    for (const [index, key] of (options.accounts ?? []).entries()) {
      stores.set(
        key,
        kept(await startLocalStripe(join(folder, `localstripe-${index + 1}`)), (part) => part.stop()),
      );
    }
    const storeOf = (key = '') => stores.get(key) ?? localstripe;
    const mock = kept(await startStripeMock(join(folder, 'stripe-mock')), (part) => part.stop());
    const bridge = kept(await openBridge((key) => storeOf(key).url), (part) => part.close());
    const becs = kept(await openBecs(bridge.url), (part) => part.close());
    const books = kept(await openBooks(becs.url), (part) => part.close());
    const shadow = kept(await openShadow(books.url, mock.url), (part) => part.close());
    const faultsWithin = kept(await openFaultProxy(shadow.url), (part) => part.close());
    const keys = kept(await openIdempotencyLayer(faultsWithin.url, options), (part) => part.close());
    const faults = kept(await openFaultProxy(keys.url), (part) => part.close());
    return {
      ...{ url: faults.url, faults, faultsWithin, keys, shadow, bridge, becs, books, localstripe: storeOf },
      judge: (key) => judge(storeOf(key)),
      makeCard: (card, key) => makeCard(storeOf(key).url, numbers[card]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makeCard(localstripe: string, number: string): Promise<string> {
  const card = { 'card[number]': number, 'card[exp_month]': '12', 'card[exp_year]': '2040', 'card[cvc]': '123' };
  const response = await fetch(`${localstripe}/v1/payment_methods`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rigKey}` },
    body: new URLSearchParams({ type: 'card', ...card }),
  });
  const { id } = (await response.json()) as { id?: string };
  if (id === undefined) throw new Error(`localstripe makes no card of ${number}`);
  return id;
}
