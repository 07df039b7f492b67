import { recordCompared, selectLiveCharging } from '../../db/live-charging.ts';
import { insertEntries, insertPayoutsTold } from '../../db/processor-books.ts';
import { namedId } from '../../domain/ids.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { Movement, PaymentProcessor } from '../../processors/processor.ts';

/**
 * Compares what the live processor has done since the last comparison with this database, at most every fifteen
 * seconds. Each charge has a committed reference. If the processor knows one that the database does not, the database
 * was restored from a back-up, and what is due there may have been paid: live charging is then held until an operator
 * releases it. What was found is kept, so an attempt that is opened again takes over the reference of its charge. What
 * the database knows is noted with its amount, and compared by invariants with the outcome that the rows have. What the
 * processor says of its own books is kept, and posted to the ledger afterwards.
 * @returns whether this comparison has found a reason to hold charging.
 * @throws OutcomeUnknown when the processor does not respond.
 */
export async function compareWithProcessor(sql: Pool, processor: PaymentProcessor | null): Promise<boolean> {
  if (processor === null || processor.movements === null) return false;
  const { cursor, isComparedLately } = await selectLiveCharging(sql);
  if (isComparedLately) return false;
  let holds = false;
  for (let from = cursor, isLast = false; !isLast; ) {
    const { cursor: to, movements, hasMore, entries, payouts } = await processor.movements(from);
    isLast = !hasMore;
    const part = { from, to, isLast, movements: movements.map(rowOf) };
    const holdsNow = await atomically(sql, async (tx) => {
      if (entries.length > 0) await insertEntries(tx, entries);
      if (payouts.length > 0) await insertPayoutsTold(tx, payouts);
      return recordCompared(tx, part);
    });
    holds = holdsNow || holds;
    from = to;
  }
  return holds;
}

function rowOf({ kind, idempotencyKey, reference, paymentIntentId, amount, currency }: Movement) {
  return {
    kind,
    idempotency_key: idempotencyKey,
    reference,
    payment_intent_id: namedId('payment_intent', paymentIntentId),
    amount,
    currency,
  };
}
