import type { Evidence, Finding, SeenEntry, TakenRow } from '../evidence.ts';

/**
 * P6: what the processors have taken and given back is what our tables say, key by key, both ways. P9: each mode asks
 * its own processor.
 */
export function judgeMoney({ ledger, attempts, refunds, claims, violations }: Evidence): Finding[] {
  const deleted = new Set(claims.filter(({ isDeleted }) => isDeleted).map(({ amount }) => amount));
  const charges = ledger.filter(({ kind, amount }) => kind === 'charge' && !deleted.has(amount));
  const deletedRefunds = new Set(claims.flatMap(({ isDeleted, refunds = [] }) => (isDeleted ? refunds : [])));
  const givenBack = ledger.filter(({ kind, amount }) => kind === 'refund' && !deletedRefunds.has(amount));
  const challenged = new Set(claims.filter(({ isChallenged }) => isChallenged).map(({ amount }) => amount));
  return [
    ...compare('attempt', charges, attempts, challenged),
    ...compare('refund', givenBack, refunds, challenged),
    ...violations.map(
      ({ invariant, id, detail }): Finding => ({
        promise: 'P6',
        what: `does not hold: ${invariant} (${id}: ${detail})`,
      }),
    ),
  ];
}

function compare(what: string, entries: SeenEntry[], rows: TakenRow[], challenged: Set<number>): Finding[] {
  const findings: Finding[] = [];
  const find = (text: string) => findings.push({ promise: 'P6', what: text });
  const known = new Map(rows.map((row) => [row.id, row]));
  const called = new Map(entries.map((entry) => [entry.idempotency_key, entry]));
  for (const [key, entry] of called) {
    const row = known.get(key);
    if (row === undefined)
      find(`${what} ${key} of ${entry.amount} is ${entry.outcome} at the processor, and unknown here`);
    else if (row.amount !== entry.amount)
      find(`${what} ${key} is of ${entry.amount} at the processor, of ${row.amount} here`);
    else if (!agree(entry.outcome, row.outcome, challenged.has(entry.amount)))
      find(`${what} ${key} is ${entry.outcome} at the processor, ${row.outcome} here`);
  }
  for (const { idempotency_key: key, livemode } of entries) {
    if (known.get(key)?.livemode === !livemode)
      findings.push({ promise: 'P9', what: `${what} ${key} is in the ledger of the other mode's processor` });
  }
  for (const row of rows) {
    if (hasMoved(row) && !called.has(row.id))
      find(`${what} ${row.id} is ${row.outcome} here, and is unknown to the processor`);
  }
  return findings;
}

/** Whether money was taken, though the bank may have taken it back. */
function hasMoved({ outcome }: TakenRow): boolean {
  return ['succeeded', 'submitted', 'returned'].includes(outcome);
}

/**
 * A plan's charge has no payer to complete a challenge, so here it has failed; so has what the processor rejected. A
 * payer on a page completes it, unless it is over by then. The result of a debit comes after its hand-over.
 */
function agree(there: string, here: string, isChallenged: boolean): boolean {
  if (there === 'requires_action' && isChallenged) return here === 'succeeded' || here === 'failed';
  if (there === 'submitted') return ['submitted', 'succeeded', 'failed', 'returned'].includes(here);
  return there === here || (['requires_action', 'rejected'].includes(there) && here === 'failed');
}
