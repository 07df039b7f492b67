import { firstExpiryOnClock } from '../../db/due-on-clock.ts';
import { type ClockAdvanceRow, shareLockClock } from '../../db/test-clocks.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { atomically, isOutage } from '../../platform/postgres/transaction.ts';
import { recordTogether } from '../events.ts';
import { carryOutLink, carryOutSession } from '../links/expiry.ts';
import { chargeHook } from '../subjects/charge-hook.ts';

// A link or a session on a test clock waits for nothing but the clock. So it has no workflow: the advance itself lets
// it expire, in the order of the instants, many in one transaction.

/** How many expire in one transaction. Their events are committed together, and their rows are locked until then. */
const together = 100;

/** Which links and sessions expire: those of a customer (`null`: of all without a mandate), up to an instant. */
export interface Expiring {
  customerId: string | null;
  to: Date;
}

/**
 * Lets links and sessions on a clock expire, at most 100, each at its own instant and the first one first. Returns
 * whether more are due. Does nothing if the advance is not under way any more. `now` is real time.
 * @throws Error that names the link or session that could not be ended. Nothing has changed then.
 */
export async function expireOnClock(
  db: Db,
  advance: ClockAdvanceRow,
  { customerId, to }: Expiring,
  now: Date,
): Promise<boolean> {
  let current = 'nothing';
  try {
    const isLeft = await atomically(db, async (tx) => {
      // Until the commit the clock is not deleted, and the advance does not end.
      const clock = await shareLockClock(tx, advance.test_clock_id);
      if (clock?.status !== 'advancing' || Number(clock.target_time) !== Number(advance.target_time)) return false;
      const origin = { billerId: clock.biller_id, livemode: false, requestId: null, now };
      const due = () => firstExpiryOnClock(tx, clock.id, { customerId, target: to });
      let next = await due();
      await recordTogether(tx, origin, async () => {
        for (let count = 0, before = ''; next !== null && count < together; count++) {
          current = next.id;
          const step = `${next.id} ${next.at.getTime()}`;
          if (step === before) throw new Error('it is due and was not ended');
          const at = next.at > advance.from_time ? next.at : advance.from_time;
          const carryOut = next.kind === 'link' ? carryOutLink : carryOutSession;
          await carryOut(tx, chargeHook, next.id, { at, now });
          before = step;
          next = await due();
        }
      });
      return next !== null;
    });
    pass('advance moved a subject');
    return isLeft;
  } catch (error) {
    if (isOutage(error)) throw error;
    throw new Error(`${current}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
