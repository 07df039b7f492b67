// An advance as production carries it out, in its order; in the place of Temporal, the calls that its workflows make.

import { dueOnClock } from '../../src/db/due-on-clock.ts';
import { selectClockById, selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import type { Processors } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { collectSubject } from '../../src/services/subjects/kinds.ts';
import { type AdvanceSteps, executeAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import type { CollectingSubject } from '../../src/services/test-clocks/expiry.ts';

const sandboxAlone: Processors = { sandbox: sandboxProcessor, live: null };
/** How often one subject may be due at one instant. */
const mostSteps = 50;

/**
 * Carries out the advance that a clock has accepted, or what is due at its present time. A subject that fails leaves
 * the clock failed, as in production.
 */
export async function carryOutAdvance(sql: Pool, clockId: string, processors = sandboxAlone): Promise<void> {
  const advance = await selectOpenAdvance(sql, clockId);
  if (advance !== null) {
    const step = <T>(work: () => Promise<T>) => work();
    const moveSubject: AdvanceSteps['moveSubject'] = (subject, _, { from, to }) =>
      move(sql, processors, subject, from, to).then(() => null, failureOf);
    return executeAdvance(sql, advance, { moveSubject, step });
  }
  const now = (await selectClockById(sql, clockId))?.frozen_time;
  if (now === undefined) return;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const due = await dueOnClock(sql, clockId, now);
    if (due.length === 0) return;
    for (const subject of due) await move(sql, processors, subject as CollectingSubject, now, now);
  }
}

const failureOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The loop of a subject's workflow: it collects, and goes on to its next instant up to `to`. */
async function move(
  sql: Pool,
  processors: Processors,
  { kind, id }: CollectingSubject,
  from: Date,
  to: Date,
): Promise<void> {
  let at = from.getTime();
  for (let steps = 0; steps < mostSteps; ) {
    const { ended, nextAt } = await collectSubject(
      sql,
      processors,
      { kind, id },
      { at: customerInstant(at), maxAheadMs: Infinity },
    );
    if (ended || nextAt === null || nextAt > to.getTime()) return;
    steps = nextAt > at ? 0 : steps + 1;
    at = Math.max(at, nextAt);
  }
}
