import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import type { Stage } from '../support/stage.ts';

/**
 * Fails unless every invariant holds, and the processor has taken exactly what the rows of this biller say: once for
 * each payment that has succeeded, its whole amount. `gone` is how often it has taken money for what was deleted
 * meanwhile.
 */
export async function assertAccounted(stage: Stage, gone = 0): Promise<void> {
  assert.deepEqual(await findViolations(stage.db.sql), []);
  const succeeded = await stage.db.sql<{ id: string; total_amount: number }[]>`
    select a.id, i.total_amount from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'succeeded' and i.biller_id = ${stage.keys.biller.id}`;
  const taken = new Map(stage.ledger.taken);
  for (const { id, total_amount } of succeeded) {
    assert.equal(
      taken.get(id),
      total_amount,
      `attempt ${id} has succeeded, and the processor has taken something else`,
    );
    taken.delete(id);
  }
  assert.equal(taken.size, gone, 'the processor has taken money that no row tells of');
}

/** The types of the biller's events after the first `from`, oldest first. */
export async function toldSince(stage: Stage, from: number): Promise<string[]> {
  const rows = await stage.db.sql<{ event_type: string }[]>`
    select event_type from events
    where biller_id = ${stage.keys.biller.id} and not livemode and sequence > ${from} order by sequence`;
  return rows.map((row) => row.event_type);
}

/** How many events the biller has. */
export async function eventsSoFar(stage: Stage): Promise<number> {
  const [row] = await stage.db.sql<{ last: number }[]>`
    select coalesce(max(sequence), 0)::integer as last from events where biller_id = ${stage.keys.biller.id} and not livemode`;
  return row?.last ?? 0;
}
