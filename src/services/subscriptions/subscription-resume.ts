import { listOpenPeriods } from '../../db/subscription-periods.ts';
import { lockSubscription, type ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { respondTo, type SubscriptionRequest } from '../../domain/subscriptions/requests.ts';
import { resume, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { reserve } from '../events.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { collectWithin, type RequestedStep } from './collecting-request.ts';
import { changedBy, type LockedSubscription, lockedSubscription, store } from './locked-subscription.ts';
import { storeResumed } from './opening.ts';
import { assertOwedPayable, assertPayable, readWayToCollect } from './payable.ts';
import { methodMissing, refused } from './subscription-requests.ts';
import { openRetry, passEnd } from './subscription-steps.ts';

/** The requests after which a subscription continues. They may charge it. */
export type ContinuingRequest = Extract<SubscriptionRequest, { name: 'resume' | 'uncancel' | 'retry_now' }>;

/**
 * Resumes a subscription, withdraws its end, or charges what is unpaid. If a period begins or a payment is retried, it
 * is charged before this returns.
 * @throws NotFound
 * @throws InvalidState if its state does not allow it, if its bank account must not be debited, or while the customer's
 * clock is advancing.
 * @throws ValidationFailed `payment_method_missing` for a resume that has nothing to charge.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function continueSubscription(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  asked: ContinuingRequest,
  request: RepeatableRequest<ShownSubscriptionRow> = unrepeatable,
): Promise<ShownSubscriptionRow> {
  return collectWithin(pool, charging, { context, id, request }, (step) => openContinued(step, asked));
}

async function openContinued(step: RequestedStep, asked: ContinuingRequest): Promise<Charge | null> {
  const { tx, locked, at } = step;
  const change = respondTo(asked, locked.subscription, at);
  if ('refused' in change) throw refused(locked.row.id, change);
  if (asked.name === 'resume' && change.happenings.includes('resumed')) {
    await assertPayable(tx, changedBy(locked, change, at), at);
    const collecting = await readWayToCollect(tx, locked, at, asked.anchorDay);
    if (asked.unpaid !== 'waive') assertOwedPayable(collecting);
    const { anchorDay = null, unpaid = 'collect' } = asked;
    const isOwedApart = collecting.way === 'apart';
    return openResumed(step, resume(locked.subscription, at, { anchorDay, unpaid, isOwedApart }));
  }
  const debit = reserve(tx);
  const next = { ...step, locked: await store(tx, locked, change, at) };
  if (next.locked.subscription.owed?.status !== 'retrying' || asked.name === 'uncancel') return passEndIfDue(next);
  const isConfirm = asked.name === 'resume';
  return openRetry({ ...next, asked: { ...next.asked, isConfirm } }, debit);
}

/**
 * A pause ends. The new period begins now, and the biller confirms it; or later, if days are left that are paid. What
 * is owed and has payments of its own is debited first: only a debit has a limit.
 */
async function openResumed(step: RequestedStep, change: SubscriptionStepChange): Promise<Charge | null> {
  const { tx, locked, at, now, asked } = step;
  if ((await chargeableMethod(tx, locked.row)) === null) throw methodMissing(locked);
  let after = await storeResumed(tx, locked, change, { at, now });
  while (after.subscription.owed?.status === 'retrying') {
    const charge = await openRetry({ ...step, locked: after, asked: { ...asked, requestKey: null, isConfirm: true } });
    if (charge !== null) throw new Error(`what subscription ${locked.row.id} owes apart is no debit`);
    after = await lockAgain(tx, after);
  }
  return passEndIfDue({ ...step, locked: after, asked: { ...asked, isConfirm: true } });
}

/** Returns a locked subscription as it is now. */
async function lockAgain(tx: Tx, { row: { id } }: LockedSubscription): Promise<LockedSubscription> {
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  if (row === null) throw new Error(`subscription ${id} is gone`);
  return lockedSubscription(row, periods);
}

/** The end of a period that has come does not wait for the workflow: the response must not describe what is over. */
async function passEndIfDue(step: RequestedStep): Promise<Charge | null> {
  const { next_period_at: dueAt } = step.locked.row;
  return dueAt !== null && dueAt <= step.at ? passEnd(step) : null;
}
