import { readFile } from 'node:fs/promises';
import type { LedgerEntry } from '../src/processors/ledger.ts';

/** How often a processor was asked to charge, and under how many keys. */
export interface Calls {
  calls: number;
  keys: number;
}

/**
 * Holds the processor's own ledger against these intents: each was charged with success under exactly one key, and
 * nothing else was charged. Calls that were repeated under the same key take nothing again.
 * @throws when it is not so.
 */
export async function expectOneSuccessEach(file: string, intentIds: readonly string[]): Promise<Calls> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const keysOf = new Map<string, Set<string>>();
  let calls = 0;
  for (const line of lines) {
    const { kind, outcome, idempotency_key: key, payment_intent_id: intentId }: LedgerEntry = JSON.parse(line);
    // A processor service also writes down what it has reserved, and what it was asked.
    if (!['charge', 'refund'].includes(kind)) continue;
    calls += 1;
    if (kind !== 'charge' || outcome !== 'succeeded')
      throw new Error(`the processor was asked for something else: ${line}`);
    keysOf.set(intentId, (keysOf.get(intentId) ?? new Set()).add(key));
  }
  const missing = intentIds.filter((id) => keysOf.get(id)?.size !== 1);
  const keys = new Set([...keysOf.values()].flatMap((each) => [...each])).size;
  if (missing.length > 0 || keysOf.size !== intentIds.length || keys !== intentIds.length) {
    throw new Error(
      `the ledger has ${keysOf.size} intents under ${keys} keys where ${intentIds.length} were due; ` +
        `${missing.length} were not charged exactly once, ${missing[0] ?? 'none'} among them`,
    );
  }
  return { calls, keys };
}
