// What localstripe holds at the end: money is judged there, and not by what the adapter says.

import type { RigServer } from './servers.ts';
import { rigKey } from './servers.ts';

/** What was taken and given back, by the store of localstripe. */
export interface Verdict {
  /** Charges that succeeded, by intent. More than one is a double charge. */
  readonly successes: ReadonlyMap<string, number>;
  /** The same by the intent's `metadata.attempt`. */
  readonly successesOfAttempt: ReadonlyMap<string, number>;
  /** What charges took, in minor units, by `metadata.attempt`. */
  readonly takenForAttempt: ReadonlyMap<string, number>;
  /** Charges of all outcomes, by intent. */
  readonly charges: ReadonlyMap<string, number>;
  /** The sum of refunds in minor units, by `metadata.refund`. */
  readonly refunded: ReadonlyMap<string, number>;
  /** How many refunds, by `metadata.refund`. More than one is given back twice. */
  readonly refunds: ReadonlyMap<string, number>;
  /** Intents that were declined and not canceled: somebody could confirm them again. */
  readonly openAfterDecline: ReadonlySet<string>;
}

interface Item {
  id: string;
  status: string;
  amount: number;
  payment_intent: string | null;
  metadata: Record<string, string>;
  /** Of an intent. */
  last_payment_error?: unknown;
}

/** Reads all of localstripe, past every layer of the rig. */
export async function judge(localstripe: Pick<RigServer, 'url'>): Promise<Verdict> {
  const [intents, charges, refunds] = await Promise.all(
    ['payment_intents', 'charges', 'refunds'].map((kind) => listAll(localstripe.url, kind)),
  );
  const attemptOf = new Map(intents?.map(({ id, metadata }) => [id, metadata.attempt ?? '']));
  const verdict = {
    successes: new Map<string, number>(),
    successesOfAttempt: new Map<string, number>(),
    takenForAttempt: new Map<string, number>(),
    charges: new Map<string, number>(),
    refunded: new Map<string, number>(),
    refunds: new Map<string, number>(),
    openAfterDecline: new Set<string>(),
  };
  for (const { id, status, last_payment_error: error } of intents ?? []) {
    if (error != null && status !== 'canceled' && status !== 'succeeded') verdict.openAfterDecline.add(id);
  }
  for (const { id, payment_intent, status, amount } of charges ?? []) {
    const intent = payment_intent ?? id;
    add(verdict.charges, intent, 1);
    if (status !== 'succeeded') continue;
    const attempt = attemptOf.get(intent) ?? '';
    add(verdict.successes, intent, 1);
    add(verdict.successesOfAttempt, attempt, 1);
    add(verdict.takenForAttempt, attempt, amount);
  }
  for (const { metadata, amount } of refunds ?? []) {
    add(verdict.refunds, metadata.refund ?? '', 1);
    add(verdict.refunded, metadata.refund ?? '', amount);
  }
  return verdict;
}

/** More than any test makes; localstripe has no upper limit. */
const all = 1_000_000;

async function listAll(url: string, kind: string): Promise<Item[]> {
  const headers = { authorization: `Bearer ${rigKey}` };
  const response = await fetch(`${url}/v1/${kind}?limit=${all}`, { headers });
  if (response.status !== 200) throw new Error(`localstripe does not list its ${kind}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: Item[] };
  return data;
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
