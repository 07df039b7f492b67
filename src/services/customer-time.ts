import type { LockedCustomerRow } from '../db/customers.ts';
import { shareLockClock, type TestClockRow } from '../db/test-clocks.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { InvalidState } from './errors.ts';

/**
 * The instant at which a write about a customer happens: the frozen time of its clock, which is held still until the
 * transaction ends, or real time without one.
 * @throws InvalidState `test_clock_advancing` while the clock moves: what is written then could not be placed in time.
 */
export async function timeForWrite(tx: Db, testClockId: string | null, realTime: Date): Promise<Date> {
  if (testClockId === null) return realTime;
  const clock = await shareLockClock(tx, testClockId);
  if (clock === null) throw new InvalidState(`Test clock ${testClockId} has been deleted.`);
  return timeOnClock(clock);
}

/** The same of a customer that is locked, its clock being held with it; real time for nobody. */
export function timeOf(customer: LockedCustomerRow | null, realTime: Date): Date {
  if (customer?.test_clock_id == null || customer.clock_status === null || customer.frozen_time === null)
    return realTime;
  return timeOnClock({ id: customer.test_clock_id, status: customer.clock_status, frozen_time: customer.frozen_time });
}

/**
 * The present time of a clock that is held.
 * @throws InvalidState while it is advancing.
 */
export function timeOnClock({ id, status, frozen_time }: Pick<TestClockRow, 'id' | 'status' | 'frozen_time'>): Date {
  if (status !== 'advancing') return frozen_time;
  throw new InvalidState(
    `Test clock ${id} is advancing: wait until it is ready, then try again.`,
    'test_clock_advancing',
  );
}
