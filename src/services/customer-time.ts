import type { LockedCustomerRow } from '../db/customers.ts';
import { shareLockClock, type TestClockRow } from '../db/test-clocks.ts';
import type { Tx } from '../platform/postgres/connection.ts';
import { InvalidState } from './errors.ts';

/**
 * Returns the instant of a write about a customer: the frozen time of its test clock, or real time when it has no
 * clock. Takes a share lock on the clock, so its time stands still until the transaction ends.
 * @throws InvalidState when the clock was deleted; `test_clock_advancing` while it is advancing, because the write
 * would have no definite time.
 */
export async function timeForWrite(tx: Tx, testClockId: string | null, realTime: Date): Promise<Date> {
  if (testClockId === null) return realTime;
  const clock = await shareLockClock(tx, testClockId);
  if (clock === null) throw new InvalidState(`Test clock ${testClockId} has been deleted.`);
  return timeOnClock(clock);
}

/**
 * Like `timeForWrite`, for a customer that was locked together with its clock. Returns real time for null and for a
 * customer without a clock.
 * @throws InvalidState `test_clock_advancing` while the clock is advancing.
 */
export function timeOf(customer: LockedCustomerRow | null, realTime: Date): Date {
  if (customer?.test_clock_id == null || customer.clock_status === null || customer.frozen_time === null)
    return realTime;
  return timeOnClock({ id: customer.test_clock_id, status: customer.clock_status, frozen_time: customer.frozen_time });
}

/**
 * Returns the present time of a locked clock.
 * @throws InvalidState `test_clock_advancing` while it is advancing.
 */
export function timeOnClock({ id, status, frozen_time }: Pick<TestClockRow, 'id' | 'status' | 'frozen_time'>): Date {
  if (status !== 'advancing') return frozen_time;
  throw new InvalidState(
    `Test clock ${id} is advancing: wait until it is ready, then try again.`,
    'test_clock_advancing',
  );
}
