import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../src/platform/real-time.ts';

/** How what was due at one instant was done; seconds after that instant. */
export interface DueCourse {
  first: number;
  half: number;
  last: number;
  perSecond: number;
}

/** A run, and how long it took before the instant until everything was ready for it. */
export interface DueRun {
  course: DueCourse;
  preparedMs: number;
}

/** Not all had their timer when the instant came: the run is void, and is repeated with more time before. */
export class NotAllTimersSet extends Error {
  override name = 'NotAllTimersSet';
}

/** How often the database is asked how many are done, which is what the figures are exact to: of many, more seldom. */
const lookMs = (count: number) => Math.max(25, Math.min(100, count / 40));
/** Several times what a quiet machine takes for them. */
const timeoutMs = (count: number) => 60_000 + 150 * count;
const maxTries = 3;

/**
 * Waits for the instant (epoch ms) and follows the number of those that are done, by commit, until all are.
 * @throws when some were done before the instant, or not all within several times the usual.
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
    if (seconds * 1000 > timeoutMs(count)) {
      throw new Error(`${now} of ${count} were done ${seconds.toFixed(0)} s after they were due`);
    }
    await pause(lookMs(count));
  }
}

/**
 * How much time to leave before an instant when the preparation for it took, or is expected to take, so long: of a long
 * one a smaller share, since it varies less.
 */
export function leadFor(preparedMs: number): number {
  return 2_500 + Math.min(1.8 * preparedMs, 1.35 * preparedMs + 10_000);
}

/**
 * Runs one kind of thing again and again, with as much time before the instant as it has been seen to need: too little
 * voids the run, too much only costs time. A void run is repeated with twice the time.
 */
export function withLead<Args extends unknown[]>(
  firstLeadMs: number,
  run: (leadMs: number, ...args: Args) => Promise<DueRun>,
  log: (line: string) => void,
): (...args: Args) => Promise<DueCourse> {
  let leadMs = firstLeadMs;
  return async (...args) => {
    for (let tries = 1; ; tries++) {
      try {
        const { course, preparedMs } = await run(leadMs, ...args);
        log(`prepared in ${(preparedMs / 1000).toFixed(1)} s, done ${course.last.toFixed(1)} s after the instant`);
        leadMs = leadFor(preparedMs);
        return course;
      } catch (error) {
        if (!(error instanceof NotAllTimersSet) || tries === maxTries) throw error;
        log(`${error.message}; once more, with twice the time before`);
        leadMs *= 2;
      }
    }
  };
}
