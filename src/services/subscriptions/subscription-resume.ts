import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { respondTo, type SubscriptionRequest } from '../../domain/subscriptions/requests.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { reserve } from '../events.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { collectWithin, type RequestedStep } from './collecting-request.ts';
import { withAllCreditCovered } from './covered-credit.ts';
import { changedBy, store } from './locked-subscription.ts';
import { assertOwedPayable, assertPayable } from './payable.ts';
import { methodMissing, refused } from './subscription-requests.ts';
import { openRetry, passEnd } from './subscription-steps.ts';
import { giveUpUnpaid } from './unpaid-payments.ts';

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
  if (change.happenings.includes('resumed')) {
    await assertPayable(tx, changedBy(locked, change, at), at);
    if (asked.name === 'resume' && asked.unpaid !== 'waive') await assertOwedPayable(tx, locked, at);
    return openResumed(step, change);
  }
  const debit = reserve(tx);
  const next = { ...step, locked: await store(tx, locked, change, at) };
  if (next.locked.subscription.owed?.status !== 'retrying' || asked.name === 'uncancel') return passEndIfDue(next);
  const isConfirm = asked.name === 'resume';
  return openRetry({ ...next, asked: { ...next.asked, isConfirm } }, debit);
}

/** A pause ends. The new period begins now, and the biller confirms it; or later, if days are left that are paid. */
async function openResumed(step: RequestedStep, change: Parameters<typeof store>[2]): Promise<Charge | null> {
  const { tx, locked, at, asked } = step;
  if ((await chargeableMethod(tx, locked.row)) === null) throw methodMissing(locked);
  await giveUpUnpaid(tx, locked, { at, now: step.now });
  const stored = await store(tx, locked, change, at);
  // Periods that the resume has left void have given no credit.
  const after = await withAllCreditCovered(tx, stored, at);
  return passEndIfDue({ ...step, locked: after, asked: { ...asked, isConfirm: true } });
}

/** The end of a period that has come does not wait for the workflow: the response must not describe what is over. */
async function passEndIfDue(step: RequestedStep): Promise<Charge | null> {
  const { next_period_at: dueAt } = step.locked.row;
  return dueAt !== null && dueAt <= step.at ? passEnd(step) : null;
}
