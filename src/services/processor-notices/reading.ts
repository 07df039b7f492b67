// What the live processor says has happened without us. Its notices are hints alone: they are stored, and then the
// processor is asked about what they name.
import { endReadingTurn, recordHeard, recordRefused, takeReadingTurn } from '../../db/processor-notices.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { Notice, PaymentProcessor } from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';

/** Often enough that a turn does not end while its holder waits for the processor, in milliseconds. */
const keepTurnEveryMs = 3_000;

/**
 * Reads the notices of the live processor from where they were read to, and waits for the next one. One process at a
 * time has the turn to do so, `by` names it. What is stored is what a payment of this database and this biller has as
 * its reference, in the transaction that moves the position. Which accounts the acquirer refuses is noted for
 * operators.
 * @returns how many there were; null if another process has the turn, or if the processor has no notices.
 * @throws OutcomeUnknown when the processor does not respond, or once `closing` is aborted.
 */
export async function readNotices(
  sql: Pool,
  processor: PaymentProcessor | null,
  by: string,
  closing: AbortSignal,
): Promise<number | null> {
  if (processor === null || processor.notices === null) return null;
  const turn = await takeReadingTurn(sql, by);
  if (turn === null) return null;
  const keeping = setInterval(() => void takeReadingTurn(sql, by).catch(() => {}), keepTurnEveryMs);
  try {
    const page = await processor.notices(turn.cursor, closing);
    if (page === null) return null;
    if (page.refused !== null) await recordRefused(sql, page.refused);
    const part = { from: turn.cursor, to: page.cursor, notices: page.notices.map(rowOf) };
    if (part.from === part.to && part.notices.length === 0) return 0;
    await atomically(sql, (tx) => recordHeard(tx, part));
    pass('notices heard');
    return part.notices.length;
  } finally {
    clearInterval(keeping);
  }
}

/** Lets another process read at once. */
export async function stopReading(sql: Pool, by: string): Promise<void> {
  await endReadingTurn(sql, by);
}

function rowOf({ kind, reference, billerId }: Notice) {
  return { kind, reference, biller_id: billerId };
}
