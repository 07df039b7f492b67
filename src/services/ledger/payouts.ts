import { selectBiller } from '../../db/billers.ts';
import {
  endPayout,
  insertPayout,
  listArrivedInRealTime,
  listPayableInRealTime,
  listPayoutWords,
  lockPayoutBooks,
  lockPayoutInTransit,
  type PayoutBooks,
  type PayoutStep,
  releaseItems,
  selectFirstPayoutStep,
} from '../../db/payouts.ts';
import { tenantOf } from '../../db/tenant.ts';
import { selectClockById, shareLockClock } from '../../db/test-clocks.ts';
import { dateIn, laterInstant, startOfDay } from '../../domain/calendar.ts';
import type { Currency } from '../../domain/currencies.ts';
import { newId } from '../../domain/ids.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { payoutDayAfter, payoutDayUntil } from '../../domain/ledger/payout-days.ts';
import { isFailingPayout, payoutFailureCode } from '../../domain/ledger/payouts.ts';
import type { Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { pass } from '../crash-points.ts';
import { payoutEvent, record, transact } from '../events.ts';
import { postEvents, postUnlessStopped } from './follower.ts';

// The sandbox pays out at the beginning of each business day, in the biller's zone: what is available by then, in each
// currency. In real time housekeeping takes the steps, on a test clock the advance does.

/**
 * Takes the steps of payouts in real time that are due at `now`: those that have arrived end, and what is available is
 * paid out. Any number of processes may call it. A biller whose payout cannot be made does not hold up the others.
 * @param now by the database's clock.
 * @throws AggregateError with every failure, after all were tried.
 */
export async function takePayoutsInRealTime(sql: Pool, now: RealInstant): Promise<void> {
  const at = withoutClock(now);
  const failures: unknown[] = [];
  const step = (work: (tx: Tx) => Promise<void>) =>
    transact(sql, { requestId: null, now }, work).catch((error: unknown) => failures.push(error));
  for (const id of await listArrivedInRealTime(sql, now)) await step((tx) => completePayout(tx, id, at));
  for (const books of await listPayableInRealTime(sql, now)) {
    await postEvents(sql, books).catch((error: unknown) => failures.push(error));
    await step((tx) => makePayout(tx, books, at));
    pass('payout made');
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} steps of payouts could not be taken`);
}

/**
 * Takes the steps of payouts that are due on a test clock up to `until`, before something else acts there at that time.
 * So what happens on a clock stands in the order of its time. Does nothing while the clock is not advancing.
 */
export async function takePayoutsUntil(
  sql: Pool,
  testClockId: string,
  until: CustomerInstant,
  now: RealInstant,
): Promise<void> {
  await postEventsOfClock(sql, testClockId);
  const isDue = (await selectFirstPayoutStep(sql, testClockId, until)) !== null;
  if (!isDue) return;
  await transact(sql, { requestId: null, now }, async (tx) => {
    const clock = await shareLockClock(tx, testClockId);
    if (clock?.status !== 'advancing') return;
    for (;;) {
      const step = await selectFirstPayoutStep(tx, testClockId, until);
      if (step === null) return;
      await takePayoutStep(tx, { ...step, at: laterInstant(step.at, clock.frozen_time) });
    }
  });
  pass('payout made');
}

/**
 * Posts the events of the biller of a test clock, so that the books of the clock are complete. An event that cannot be
 * posted does not hold up the clock: see `postUnlessStopped`.
 */
export async function postEventsOfClock(db: Writer, testClockId: string): Promise<void> {
  const clock = await selectClockById(db, testClockId);
  if (clock !== null) await postUnlessStopped(db, tenantOf(clock));
}

/** Takes a step of a payout that is due on a test clock, whose row is locked, at this time. */
export async function takePayoutStep(tx: Tx, { kind, id, at }: PayoutStep): Promise<void> {
  if (kind === 'payoutArrival') return completePayout(tx, id, at);
  const [clockId = '', currency] = id.split('/');
  const clock = await selectClockById(tx, clockId);
  if (clock === null) return;
  await makePayout(tx, { ...tenantOf(clock), testClock: clock.id, currency: currency as Currency }, at);
}

/** Pays out what is available at `at`, with its events. Does nothing if that is nothing. */
async function makePayout(tx: Tx, books: PayoutBooks, at: CustomerInstant): Promise<void> {
  await lockPayoutBooks(tx, books);
  const timeZone = (await selectBiller(tx, books.billerId))?.time_zone ?? 'UTC';
  const paidOutOn = payoutDayUntil(dateIn(at, timeZone), books.currency);
  const arrivesOn = payoutDayAfter(paidOutOn, books.currency);
  const payout = await insertPayout(tx, books, {
    id: newId('payout'),
    paid_out_on: paidOutOn,
    arrives_on: arrivesOn,
    arrives_at: startOfDay(arrivesOn, timeZone),
    created_at: at,
  });
  if (payout === null) return;
  record(tx, payoutEvent('payout.created', payout, at));
  if (payout.reconciliation_status === 'completed') record(tx, payoutEvent('payout.reconciled', payout, at));
}

/** Ends a payout that has arrived: it is paid, or has failed, and what it had is available again. With its event. */
async function completePayout(tx: Tx, id: string, at: CustomerInstant): Promise<void> {
  const payout = await lockPayoutInTransit(tx, id);
  if (payout === null) return;
  const fails = isFailingPayout(await listPayoutWords(tx, id));
  const end = fails
    ? { status: 'failed' as const, failure_code: payoutFailureCode }
    : { status: 'paid' as const, failure_code: null };
  const ended = await endPayout(tx, id, { ...end, ended_at: at });
  if (fails) await releaseItems(tx, payout, at);
  record(tx, payoutEvent(fails ? 'payout.failed' : 'payout.paid', ended, at));
}
