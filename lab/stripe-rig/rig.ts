// The whole chain: adapter → faults → keys → faults within → shadow → bridge → localstripe.

import { join } from 'node:path';
import { type Bridge, openBridge } from './bridge.ts';
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts';
import { type IdempotencyLayer, openIdempotencyLayer } from './idempotency.ts';
import { judge, type Verdict } from './judge.ts';
import { startLocalStripe, startStripeMock } from './servers.ts';
import { openShadow, type Shadow } from './shadow.ts';

/** Stripe for the tests of an adapter. Its parts know one account: start a rig for each account. */
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
  /** localstripe itself, past all layers: for cards, customers and what an operator does by hand. */
  readonly localstripe: { readonly url: string };
  judge(): Promise<Verdict>;
  stop(): Promise<void>;
}

export interface RigOptions {
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
    const mock = kept(await startStripeMock(join(folder, 'stripe-mock')), (part) => part.stop());
    const bridge = kept(await openBridge(localstripe.url), (part) => part.close());
    const shadow = kept(await openShadow(bridge.url, mock.url), (part) => part.close());
    const faultsWithin = kept(await openFaultProxy(shadow.url), (part) => part.close());
    const keys = kept(await openIdempotencyLayer(faultsWithin.url, options), (part) => part.close());
    const faults = kept(await openFaultProxy(keys.url), (part) => part.close());
    return {
      ...{ url: faults.url, faults, faultsWithin, keys, shadow, bridge, localstripe },
      judge: () => judge(localstripe),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
