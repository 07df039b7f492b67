import { selectAttemptOfSubscriptionRequest } from '../../db/payment-attempts.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { firstRetry } from '../../domain/recurring/recurring-payment.ts';
import { respondTo, type SubscriptionRequest } from '../../domain/subscriptions/requests.ts';
import { resume, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { InvalidState, NotFound, orNotFound, ValidationFailed } from '../errors.ts';
import { positionHere, transact } from '../events.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeForRequest, continueCharge } from '../payments/charged-request.ts';
import { chargeableMethod } from '../payments/recurring-charge.ts';
import { claimKey, type RepeatableRequest, storeResponse, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { changedBy, lockWithPeriods, store } from './locked-subscription.ts';
import { assertOwedPayable, assertPayable, readWayToCollect } from './payable.ts';
import { lockForRequest, methodMissing, refused } from './subscription-requests.ts';
import {
  type AskedStep,
  begin,
  endCurrentPeriod,
  openRetry,
  type Step,
  save,
  storeResumed,
} from './subscription-steps.ts';
import { endErrors } from './subscription-terms.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Starts a subscription: its trial begins, or its first period is charged now. If the charge is declined, it stays
 * pending and nothing is owed. With a start date to come, it starts automatically then.
 * @throws NotFound
 * @throws InvalidState if it has been started or was canceled, or while the customer's clock is advancing.
 * @throws ValidationFailed if there is no method that can be charged, or its end is no end of a period.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function startSubscription(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  request: RepeatableRequest<ShownSubscriptionRow> = unrepeatable,
): Promise<ShownSubscriptionRow> {
  return collectWithin(pool, charging, { context, id, request }, openStart);
}

async function openStart(step: RequestedStep): Promise<Charge | null> {
  const { tx, locked, at, asked } = step;
  const { row, subscription } = locked;
  const change = respondTo({ name: 'start' }, subscription, at);
  if ('refused' in change) throw refused(row.id, change);
  if (row.customer_deleted_at !== null) throw new InvalidState(`Customer ${row.customer_id} has been deleted.`);
  const fieldErrors = endErrors(row, change.terms?.start_date ?? row.start_date);
  if (fieldErrors.length > 0) throw new ValidationFailed(fieldErrors);
  await assertPayable(tx, locked, at);
  const confirmed = { ...step, asked: { ...asked, isConfirm: true } };
  return change.begins === undefined ? save(confirmed, change) : begin(confirmed, change);
}

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
  if (asked.name === 'resume' && change.events.includes('resumed')) {
    await assertPayable(tx, changedBy(locked, change, at), at);
    const collecting = await readWayToCollect(tx, locked, at, asked.anchorDay);
    if (asked.unpaid !== 'waive') assertOwedPayable(collecting);
    const { anchorDay = null, unpaid = 'collect' } = asked;
    const isOwedApart = collecting.way === 'apart';
    return openResumed(step, resume(locked.subscription, at, { anchorDay, unpaid, isOwedApart }));
  }
  const debit = positionHere(tx);
  const next = { ...step, locked: await store(tx, locked, change, at) };
  if (firstRetry(next.locked.subscription.periods) === null || asked.name === 'uncancel') return endPeriodIfDue(next);
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
  while (firstRetry(after.subscription.periods) !== null) {
    const charge = await openRetry({ ...step, locked: after, asked: { ...asked, requestKey: null, isConfirm: true } });
    if (charge !== null) throw new Error(`what subscription ${locked.row.id} owes apart is no debit`);
    after = orNotFound(await lockWithPeriods(tx, locked.row.id), 'subscription', locked.row.id);
  }
  return endPeriodIfDue({ ...step, locked: after, asked: { ...asked, isConfirm: true } });
}

/** The end of a period that has come does not wait for the workflow: the response must not describe what is over. */
async function endPeriodIfDue(step: RequestedStep): Promise<Charge | null> {
  const { next_period_at: dueAt } = step.locked.row;
  return dueAt !== null && dueAt <= step.at ? endCurrentPeriod(step) : null;
}

/** A step that a request asks for. */
type RequestedStep = Step & { asked: AskedStep };

/** What asks: who, for which subscription, and how a repetition of the request finds what was committed. */
interface CollectingRequest {
  context: RequestContext;
  id: string;
  request: RepeatableRequest<ShownSubscriptionRow>;
}

type Opened = { kind: 'charge'; charge: Charge } | { kind: 'completed'; row: ShownSubscriptionRow };

/**
 * Carries out a request that may collect, and returns the subscription after the collection. Like a confirm, it commits
 * the attempt before the processor is asked, and a repetition of the request continues with that attempt. If the
 * process dies in between, housekeeping finishes the charge.
 * @param open does what is asked in the first transaction. Returns what is to be charged now, or null.
 * @throws NotFound; InvalidState while the customer's clock is advancing; what `open` throws.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
async function collectWithin(
  pool: Pool,
  charging: Charging,
  asking: CollectingRequest,
  open: (step: RequestedStep) => Promise<Charge | null>,
): Promise<ShownSubscriptionRow> {
  const { context, id, request } = asking;
  const opened = await transact(pool, context, (tx) => openRequested(tx, charging, asking, open));
  if (opened.kind === 'completed') return opened.row;
  const { charge } = opened;
  const collected = await chargeForRequest(pool, charging, context, charge, request, async (tx) => {
    const row = await getSubscription(tx, context, id);
    // The hook wakes the workflow, but not after a step that is the subscription's own.
    if (charge.unattended) await wakeWorkflow(tx, row, context.now);
    return row;
  });
  if (collected === null) throw new NotFound('subscription', id);
  return collected;
}

async function openRequested(
  tx: Tx,
  charging: Charging,
  { context, id, request }: CollectingRequest,
  open: (step: RequestedStep) => Promise<Charge | null>,
): Promise<Opened> {
  await claimKey(tx, request);
  const { locked, at } = await lockForRequest(tx, context, id);
  const earlier = await findEarlierTry(tx, { context, id, request });
  if (earlier !== null) return earlier;
  const { requestKey, keyExpiresAt } = request;
  const asked = { requestKey, keyExpiresAt, isConfirm: false };
  const charge = await open({ tx, charging, locked, at, now: context.now, dueAt: at, asked });
  if (charge !== null) return { kind: 'charge', charge };
  const row = await getSubscription(tx, context, id);
  await wakeWorkflow(tx, row, context.now);
  storeResponse(tx, request, row);
  return { kind: 'completed', row };
}

/** The workflow goes on from here. */
async function wakeWorkflow(tx: Tx, row: ShownSubscriptionRow, now: RealInstant): Promise<void> {
  await wake.subscription(tx, row, now, { start: row.state !== 'canceled' });
}

/** Finds the charge that an earlier try of the same request has opened. */
async function findEarlierTry(
  tx: Tx,
  { context, id, request: { requestKey, keyExpiresAt } }: CollectingRequest,
): Promise<Opened | null> {
  if (requestKey === null) return null;
  const attempt = await selectAttemptOfSubscriptionRequest(tx, id, requestKey, context.now);
  if (attempt === null) return null;
  const charge = await continueCharge(tx, attempt, keyExpiresAt);
  if (charge !== null) return { kind: 'charge', charge };
  return { kind: 'completed', row: await getSubscription(tx, context, id) };
}
