import type { Db } from '../db/connection.ts';
import { holdClock } from '../db/test-clocks.ts';
import { InvalidState } from './errors.ts';

/**
 * The instant at which a write about a customer happens: the frozen time of its clock, which is held still until the
 * transaction ends, or real time without one.
 * @throws InvalidState `test_clock_advancing` while the clock moves: what is written then could not be placed in time.
 */
export async function timeForWrite(tx: Db, testClockId: string | null, realTime: Date): Promise<Date> {
  if (testClockId === null) return realTime;
  const clock = await holdClock(tx, testClockId);
  if (clock === null) throw new InvalidState(`Test clock ${testClockId} has been deleted.`);
  if (clock.status === 'advancing') {
    throw new InvalidState(
      `Test clock ${testClockId} is advancing: wait until it is ready, then try again.`,
      'test_clock_advancing',
    );
  }
  return clock.frozen_time;
}
