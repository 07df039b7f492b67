import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../src/domain/real-time.ts';

/** How what was due at one instant was done; seconds after that instant. */
export interface DueCourse {
  first: number;
  half: number;
  last: number;
  perSecond: number;
}

/** Not all had their timer when the instant came: the run says nothing, and is repeated with more time before. */
export class NotAllHeld extends Error {
  override name = 'NotAllHeld';
}

/** How often the database is asked how many are done: what the figures are exact to. */
const lookMs = 25;
const timeoutMs = 90_000;

/**
 * Waits for the instant (epoch ms) and follows the number of those that are done, by commit, until all are.
 * @throws when some were done before the instant, or not all 90 s after it.
 */
export async function followCourse(dueAt: number, count: number, done: () => Promise<number>): Promise<DueCourse> {
  await pause(Math.max(0, dueAt - realNow().getTime() - 200));
  const early = await done();
  if (early > 0 && realNow().getTime() < dueAt) throw new Error(`${early} were done before they were due`);
  await pause(Math.max(0, dueAt - realNow().getTime()));
  const reached = { first: 0, half: 0 };
  for (;;) {
    const now = await done();
    const seconds = (realNow().getTime() - dueAt) / 1000;
    if (now > 0 && reached.first === 0) reached.first = seconds;
    if (now >= count / 2 && reached.half === 0) reached.half = seconds;
    if (now >= count) return { ...reached, last: seconds, perSecond: count / seconds };
    if (seconds * 1000 > timeoutMs)
      throw new Error(`${now} of ${count} were done ${timeoutMs / 1000} s after they were due`);
    await pause(lookMs);
  }
}

/** Tries again with twice the time before the instant, where not all were ready for it. */
export async function withEnoughLead<T>(leadMs: number, run: (leadMs: number) => Promise<T>): Promise<T> {
  try {
    return await run(leadMs);
  } catch (error) {
    if (!(error instanceof NotAllHeld)) throw error;
    return run(2 * leadMs);
  }
}
