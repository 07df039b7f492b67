import { type DueSubject, dueOnClock } from '../../db/due-on-clock.ts';
import { laterInstant } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { transact } from '../events.ts';
import { expireMandateOnClock } from '../mandates/mandate-ends.ts';
import { subjects } from '../subjects/kinds.ts';

/** How often the same step may be due, such as the hand-over of a debit to the bank. More never end. */
const mostRepeated = 1000;

/**
 * Does all that is due on a clock up to `target`, in the order of an advance from `from`, without workflows: in the
 * caller's transaction, or each step in its own. `now` is the real time.
 * @throws Error if a step stays due however often it is taken.
 */
export async function collectAll(
  db: Db,
  processors: Processors,
  { clockId, from, target }: { clockId: string; from: CustomerInstant; target: CustomerInstant },
  now: RealInstant,
): Promise<void> {
  const taken = new Map<string, number>();
  let reached = from;
  for (;;) {
    const [due] = await dueOnClock(db, clockId, target, { limit: 1 });
    if (due === undefined) return;
    const step = `${due.id} ${due.at?.getTime()}`;
    const times = (taken.get(step) ?? 0) + 1;
    if (times > mostRepeated) throw new Error(`${due.id} is due and was not collected`);
    taken.set(step, times);
    reached = laterInstant(due.at ?? reached, reached);
    await collectOnClock(db, processors, due, { at: reached, now });
  }
}

/** Takes the step of a subject that is due on a clock at this time, or lets a mandate lapse. */
export async function collectOnClock(
  db: Db,
  processors: Processors,
  { kind, id }: DueSubject,
  time: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
  if (kind !== 'mandate') return subjects[kind].collect(db, processors, id, time);
  await transact(db, { requestId: null, now: time.now }, (tx) => expireMandateOnClock(tx, id, time));
}
