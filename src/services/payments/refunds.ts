import { addRefunded, type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import {
  completeRefund,
  insertRefund,
  listAbandonedRefunds,
  listOpenRefundsOf,
  listRefunds as listRefundRows,
  listTenantRefunds,
  markPending,
  type RefundFilter,
  type RefundRow,
  selectRefund,
  selectRefundOfRequest,
  updateRefundKeyExpiry,
} from '../../db/refunds.ts';
import { lockSubscriptionOfIntent, type SubscriptionRow } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { dateIn } from '../../domain/calendar.ts';
import { newId } from '../../domain/ids.ts';
import { addMs, type CustomerInstant } from '../../domain/instants.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Milliseconds, MinorUnits } from '../../domain/units.ts';
import type { Db, Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import { afterCommit, pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { RefundCreate } from '../../resources/refund.ts';
import { pass } from '../crash-points.ts';
import { InvalidState, NotFound, orNotFound, ValidationFailed } from '../errors.ts';
import { record, refundEvent, transact } from '../events.ts';
import { type PageQuery, pageOf, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { emit } from '../telemetry.ts';
import { requestRefund } from './ask-refund.ts';
import { allFinished, type ChargeHook, orUnavailable, processorFor } from './charge.ts';
import { moveCredit, unspentCredit } from './credit-cover.ts';
import { assertNotDisputed } from './disputes.ts';
import { amountLeft, sharesOf } from './money-left.ts';
import { getPaymentIntent, lockIntentForUpdate } from './payment-intents.ts';
import { claimKey, type RepeatableRequest, storeResponse, unrepeatable } from './repeatable-request.ts';

/** In milliseconds. No request lives this long, so the process that opened such a refund is dead. */
const abandonedAfterMs: Milliseconds = 60_000;

/**
 * Refunds what remains of an intent, or a part of it. Like a charge, it has three steps: open, ask, record. Refunds
 * under way count as refunded, so two of them never exceed what was paid. Credit of a subscription that came from the
 * payment is paid out first.
 * @throws NotFound
 * @throws InvalidState when the intent has not succeeded or is under dispute, or nothing remains to be refunded.
 * @throws ValidationFailed when the amount exceeds what remains.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The refund stays processing. If the processor has it
 * and decides later, the refund is returned as it is then: processing.
 */
export async function refundPaymentIntent(
  db: Writer,
  processors: Processors,
  context: RequestContext,
  intentId: string,
  input: RefundCreate,
  request: RepeatableRequest<RefundRow> = unrepeatable,
): Promise<RefundRow> {
  const { subscription_id: subscriptionId } = await getPaymentIntent(db, context, intentId);
  const isOfSubscription = subscriptionId !== null;
  const [refund] = await executeRefundRequest(db, processors, context, request, {
    async openedBefore(tx) {
      const before = await openedBefore(tx, context, intentId, request);
      return before === null ? [] : [before];
    },
    open: async (tx) => [await openRefund(tx, processors, context, { intentId, isOfSubscription }, input, request)],
    storeResponse(tx, [completed]) {
      if (completed !== undefined) storeResponse(tx, request, completed);
    },
  });
  return orNotFound(refund ?? null, 'payment intent', intentId);
}

/** How a request opens its refunds, or finds those that an earlier try has opened, and what it stores at the end. */
export interface RefundOpening {
  openedBefore(tx: Tx): Promise<RefundRow[]>;
  open(tx: Tx): Promise<RefundRow[]>;
  storeResponse(tx: Tx, refunds: RefundRow[]): void;
}

/**
 * Opens refunds, all in one transaction. Then, for one after the other, asks the processor and records the outcome.
 * Returns all in the same order. For errors see `refundPaymentIntent`.
 */
export async function executeRefundRequest(
  db: Writer,
  processors: Processors,
  { requestId, now }: RequestContext,
  request: Pick<RepeatableRequest<never>, 'claim'>,
  opening: RefundOpening,
): Promise<RefundRow[]> {
  const opened = await transact(db, { requestId, now }, async (tx) => {
    const [, before] = await pipelined(tx, [claimKey(tx, request), opening.openedBefore(tx)]);
    if (before.length > 0) return { refunds: before, isReopened: true };
    return { refunds: await opening.open(tx), isReopened: false };
  });
  const { isReopened } = opened;
  let { refunds } = opened;
  // An earlier try of this request may have opened the refunds, and their outcomes may already be recorded.
  const open = refunds.filter(({ status }) => status === 'processing');
  if (open.length > 0) pass('refund opened');
  for (const refund of open) {
    const withOutcome = (row: RefundRow) => refunds.map((one) => (one.id === row.id ? row : one));
    const completed = await refundAndRecord(db, processors, refund, { requestId, now, isReopened }, (tx, row) => {
      if (refund === open.at(-1)) opening.storeResponse(tx, withOutcome(row));
    });
    pass('refund completed');
    if (completed === null) throw new NotFound('payment intent', refund.payment_intent_id);
    refunds = withOutcome(completed);
  }
  return refunds;
}

/**
 * Finishes refunds whose process died after opening them. Asks the processor again under the key of the refund.
 * @throws AggregateError with every failure, after all refunds were tried.
 */
export async function recoverRefunds(sql: Pool, processors: Processors, now: RealInstant): Promise<void> {
  const abandoned = await listAbandonedRefunds(sql, addMs(now, -abandonedAfterMs));
  const origin = { requestId: null, now, isReopened: true };
  await allFinished(
    'refunds',
    abandoned.map((refund) => refundAndRecord(sql, processors, refund, origin, () => {})),
  );
}

/**
 * Asks the live processor about the refunds without an outcome of the payment that has this reference there, and
 * records what it says.
 * @throws AggregateError with every failure, after all refunds were tried.
 */
export async function settleRefundsOf(
  sql: Pool,
  processors: Processors,
  reference: string,
  now: RealInstant,
): Promise<void> {
  const open = await listOpenRefundsOf(sql, reference);
  const origin = { requestId: null, now, isReopened: true };
  await allFinished(
    'refunds',
    open.map((refund) => refundAndRecord(sql, processors, refund, origin, () => {})),
  );
}

/** @throws NotFound */
export async function getRefund(db: Db, tenant: Tenant, id: string): Promise<RefundRow> {
  return orNotFound(await selectRefund(db, tenant, id), 'refund', id);
}

/** Returns a page of the refunds of all payments, newest first. */
export async function listAllRefunds(
  db: Db,
  tenant: Tenant,
  filter: RefundFilter,
  query: PageQuery,
): Promise<Rows<RefundRow>> {
  return rowsOfPage(db, 'refunds', tenant, query, (page) => listTenantRefunds(db, tenant, filter, page));
}

/**
 * Returns a page of the refunds of an intent, newest first.
 * @throws NotFound when there is no such intent.
 */
export async function listRefunds(
  db: Db,
  tenant: Tenant,
  intentId: string,
  query: PageQuery,
): Promise<Rows<RefundRow>> {
  await getPaymentIntent(db, tenant, intentId);
  const page = await pageOf(db, 'refunds', tenant, query);
  return { rows: await listRefundRows(db, intentId, page), limit: page.limit };
}

/**
 * Returns the refund that an earlier try of the same request has opened, or null. Its key now expires when the response
 * of this try expires.
 */
async function openedBefore(
  tx: Tx,
  context: RequestContext,
  intentId: string,
  { requestKey, keyExpiresAt }: RepeatableRequest<RefundRow>,
): Promise<RefundRow | null> {
  const refund = requestKey === null ? null : await selectRefundOfRequest(tx, intentId, requestKey, context.now);
  if (refund !== null && keyExpiresAt) await updateRefundKeyExpiry(tx, refund.id, keyExpiresAt);
  return refund;
}

async function openRefund(
  tx: Tx,
  processors: Processors,
  context: RequestContext,
  { intentId, isOfSubscription }: { intentId: string; isOfSubscription: boolean },
  input: RefundCreate,
  request: RepeatableRequest<RefundRow>,
): Promise<RefundRow> {
  let subscription: SubscriptionRow | null = null;
  const lockSubscription: ChargeHook = async () => {
    subscription = await lockSubscriptionOfIntent(tx, intentId);
    return null;
  };
  const locked = await lockIntentForUpdate(tx, context, intentId, isOfSubscription ? lockSubscription : undefined);
  // Another process that also believes it has the key may have opened the refund first.
  const rival = await openedBefore(tx, context, intentId, request);
  if (rival !== null) return rival;
  const unspent = subscription === null ? 0 : await unspentCredit(tx, subscription, intentId);
  const creditIn = (amount: MinorUnits) => Math.min(amount, unspent);
  const refund = await insertRefundOf(tx, processors, context, locked, { ...input, creditIn }, request);
  if (subscription !== null) await moveCredit(tx, subscription, locked.intent.id, 0 - refund.credit_cents, locked.at);
  return refund;
}

/**
 * Opens the refund of a locked intent. `creditIn` says how much of its amount without surcharge is credit of the
 * intent's subscription, which the caller has locked and takes it from. For errors see `refundPaymentIntent`.
 */
export async function insertRefundOf(
  tx: Tx,
  processors: Processors,
  context: RequestContext,
  { intent, at }: { intent: LockedIntentRow; at: CustomerInstant },
  input: RefundCreate & { creditIn(amount: MinorUnits): MinorUnits },
  request: Pick<RepeatableRequest<never>, 'requestKey' | 'keyExpiresAt'>,
): Promise<RefundRow> {
  const { id: intentId } = intent;
  if (intent.status !== 'succeeded') {
    const instead = intent.status === 'returned' ? ' The bank has already given the money back.' : '';
    throw new InvalidState(
      `Payment intent ${intentId} is ${intent.status}; only a succeeded one can be refunded.${instead}`,
    );
  }
  await assertNotDisputed(tx, intentId);
  const amount = await amountToRefund(tx, intent, input.amount);
  const { surcharge, tax } = await sharesOf(tx, intent, amount);
  processorFor(processors, context.livemode);
  const row: RefundRow = {
    id: newId('refund'),
    biller_id: context.billerId,
    livemode: context.livemode,
    payment_intent_id: intentId,
    amount,
    surcharge_amount: surcharge,
    tax_amount: tax,
    currency: intent.currency,
    reason: input.reason ?? null,
    metadata: input.metadata ?? {},
    status: 'processing',
    at_risk: canStillComeBack(intent, at),
    credit_cents: input.creditIn(amount - surcharge),
    request_key: request.requestKey,
    request_key_expires_at: request.keyExpiresAt,
    opened_at: context.now,
    listed_at: null,
    pending_at: null,
    created_at: at,
    updated_at: at,
  };
  await insertRefund(tx, row);
  return row;
}

/** Whether the bank can still take the payment back: the payer would then have the money twice. */
function canStillComeBack(
  { returnable_until: until, mandate_id: mandateId }: LockedIntentRow,
  at: CustomerInstant,
): boolean {
  return mandateId !== null && until !== null && dateIn(at, schemes.au_becs.timeZone) <= until;
}

async function amountToRefund(tx: Tx, intent: LockedIntentRow, asked: MinorUnits | undefined): Promise<MinorUnits> {
  const remaining = await amountLeft(tx, intent);
  if (remaining <= 0) throw new InvalidState(`Payment intent ${intent.id} has been refunded in full.`);
  const amount = asked ?? remaining;
  if (amount <= remaining) return amount;
  const message = `amount must be at most ${remaining}, which is what remains to be refunded.`;
  throw ValidationFailed.of('/amount', 'out_of_range', message);
}

/**
 * Asks the processor and records the outcome once, or that it has not decided; `respond` is called in the transaction
 * that records it. Returns null when the intent was deleted meanwhile.
 */
async function refundAndRecord(
  db: Db,
  processors: Processors,
  refund: RefundRow,
  origin: { requestId: string | null; now: RealInstant; isReopened: boolean },
  respond: (tx: Tx, completed: RefundRow) => void,
): Promise<RefundRow | null> {
  const asked = requestRefund(db, processorFor(processors, refund.livemode), refund, origin);
  const outcome = await orUnavailable('refund', asked);
  pass('refund asked');
  if (outcome.kind === 'pending') {
    return transact(db, origin, async (tx) => {
      const pending = await markPending(tx, refund.id);
      if (pending !== null) respond(tx, pending);
      return pending ?? selectRefund(tx, tenantOf(refund), refund.id);
    });
  }
  return transact(db, origin, async (tx) => {
    // A refund that fails gives the credit back that it took. The subscription is locked before its payment.
    const hasFailed = outcome.kind === 'failed';
    const subscription = hasFailed ? await lockSubscriptionOfIntent(tx, refund.payment_intent_id) : null;
    const intent = await lockPaymentIntent(tx, refund.payment_intent_id);
    const completed = await completeRefund(tx, refund.id, outcome.kind, refund.created_at);
    if (intent === null || completed === null) return selectRefund(tx, tenantOf(refund), refund.id);
    if (completed.status === 'succeeded') await addRefunded(tx, intent.id, completed.amount, completed.updated_at);
    else if (subscription !== null) {
      await moveCredit(tx, subscription, intent.id, completed.credit_cents, completed.updated_at);
    }
    respond(tx, completed);
    const type = completed.status === 'succeeded' ? 'refund.succeeded' : 'refund.failed';
    const eventIds = record(tx, refundEvent(type, completed, intent));
    afterCommit(tx, () =>
      emit({
        kind: 'refund completed',
        ...tenantOf(refund),
        testClockId: intent.test_clock_id,
        refundId: completed.id,
        paymentIntentId: intent.id,
        requestId: origin.requestId,
        outcome: outcome.kind,
        eventIds,
      }),
    );
    return completed;
  });
}
