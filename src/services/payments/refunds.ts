import { addRefunded, type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import {
  amountBeingRefunded,
  completeRefund,
  findAbandonedRefunds,
  findRefund,
  findRefundOfRequest,
  insertRefund,
  type RefundRow,
  listRefunds as selectRefunds,
  setRefundKeyExpiry,
} from '../../db/refunds.ts';
import { newId } from '../../domain/ids.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { afterCommit, atomically } from '../../platform/postgres/transaction.ts';
import { emit } from '../../platform/telemetry.ts';
import type { Processors } from '../../processors/processor.ts';
import { presentRefund, type RefundCreate } from '../../resources/refund.ts';
import { InvalidState, NotFound, ValidationFailed } from '../errors.ts';
import { recordEvents } from '../events.ts';
import { pageOf } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { processorFor } from './charge.ts';
import { lockIntentForUpdate } from './intent-locks.ts';
import { fetchPaymentIntent } from './payment-intents.ts';

/** How a refund with an Idempotency-Key finds what an earlier try of it has done, and keeps its answer. */
export interface RepeatableRefund {
  requestKey: string | null;
  /** When the key expires, real time: after it the same key is a new request. */
  keyExpiresAt?: Date | null;
  /** Called first in the transaction that opens the refund: takes the key, or throws when another request has it. */
  hold(tx: Db): Promise<void>;
  /** Called in the transaction that records the outcome. */
  remember(tx: Db, refund: RefundRow): Promise<void>;
}

const once: RepeatableRefund = { requestKey: null, async hold() {}, async remember() {} };

/** Longer than any request lives: whoever opened such a refund is dead. */
const abandonedAfterMilliseconds = 60_000;

/**
 * Gives back an intent's money, all that remains of it or a part, in three steps like a charge: open, ask, record. Refunds
 * under way count as given back, so that two of them never pass what was paid.
 * @throws NotFound; InvalidState when the intent has not succeeded; ValidationFailed for more than remains;
 * ProcessorNotConfigured in live mode, and then nothing has changed.
 */
export async function refundPaymentIntent(
  db: Db,
  processors: Processors,
  call: RequestContext,
  intentId: string,
  input: RefundCreate,
  request: RepeatableRefund = once,
): Promise<RefundRow> {
  await fetchPaymentIntent(db, call, intentId);
  const opened = await atomically(db, async (tx) => {
    // Sent together, run in this order.
    const [, before] = await Promise.all([request.hold(tx), openedBefore(tx, call, intentId, request)]);
    return before ?? openRefund(tx, processors, call, intentId, input, request);
  });
  // Somebody else has finished what this very request began; what it came to is its answer.
  if (opened.status !== 'processing') return opened;
  pass('refund opened');
  const settled = await carryOut(db, processors, opened, call, request.remember);
  pass('refund settled');
  if (settled === null) throw new NotFound('payment intent', intentId);
  return settled;
}

/**
 * Finishes refunds whose process died after opening them, by asking again under their own key.
 * @param now real time.
 */
export async function recoverRefunds(sql: Pool, processors: Processors, now: Date): Promise<void> {
  const abandoned = await findAbandonedRefunds(sql, new Date(now.getTime() - abandonedAfterMilliseconds));
  const results = await Promise.allSettled(
    abandoned.map((refund) => carryOut(sql, processors, refund, { requestId: null, now }, once.remember)),
  );
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} abandoned refunds could not be finished`);
}

/**
 * The refund.
 * @throws NotFound
 */
export async function fetchRefund(db: Db, tenant: Tenant, id: string): Promise<RefundRow> {
  const refund = await findRefund(db, tenant, id);
  if (refund === null) throw new NotFound('refund', id);
  return refund;
}

/** A page of the refunds of an intent, newest first. */
export async function listRefunds(
  db: Db,
  tenant: Tenant,
  intentId: string,
  query: { limit?: number | undefined; starting_after?: string | undefined },
): Promise<{ rows: RefundRow[]; limit: number }> {
  await fetchPaymentIntent(db, tenant, intentId);
  const page = await pageOf(db, 'refunds', tenant, query);
  return { rows: await selectRefunds(db, intentId, page), limit: page.limit };
}

/** The refund that an earlier try of the same request has opened; the key lives from now on as long as this try's answer. */
async function openedBefore(
  tx: Db,
  call: RequestContext,
  intentId: string,
  { requestKey, keyExpiresAt }: RepeatableRefund,
): Promise<RefundRow | null> {
  const refund = requestKey === null ? null : await findRefundOfRequest(tx, intentId, requestKey, call.now);
  if (refund !== null && keyExpiresAt) await setRefundKeyExpiry(tx, refund.id, keyExpiresAt);
  return refund;
}

async function openRefund(
  tx: Db,
  processors: Processors,
  call: RequestContext,
  intentId: string,
  input: RefundCreate,
  request: RepeatableRefund,
): Promise<RefundRow> {
  const { intent, at } = await lockIntentForUpdate(tx, call, intentId);
  // Another process may take itself for the one that has the key, and have been faster.
  const rival = await openedBefore(tx, call, intentId, request);
  if (rival !== null) return rival;
  if (intent.status !== 'succeeded') {
    throw new InvalidState(`Payment intent ${intentId} is ${intent.status}; only a succeeded one can be refunded.`);
  }
  const amount = await amountToRefund(tx, intent, input.amount);
  processorFor(processors, call.livemode);
  const row: RefundRow = {
    id: newId('refund'),
    biller_id: call.billerId,
    livemode: call.livemode,
    payment_intent_id: intentId,
    amount,
    currency: intent.currency,
    reason: input.reason ?? null,
    metadata: input.metadata ?? {},
    status: 'processing',
    request_key: request.requestKey,
    request_key_expires_at: request.keyExpiresAt ?? null,
    opened_at: call.now,
    created_at: at,
    updated_at: at,
  };
  await insertRefund(tx, row);
  return row;
}

async function amountToRefund(tx: Db, intent: LockedIntentRow, asked: number | undefined): Promise<number> {
  const remaining = intent.total_amount - intent.total_refunded_amount - (await amountBeingRefunded(tx, intent.id));
  if (remaining <= 0) throw new InvalidState(`Payment intent ${intent.id} has been refunded in full.`);
  const amount = asked ?? remaining;
  if (amount <= remaining) return amount;
  const message = `amount must be at most ${remaining}, which is what remains to be refunded.`;
  throw ValidationFailed.of('/amount', 'out_of_range', message);
}

/** Asks the processor and records its answer, once; null when the intent was deleted meanwhile. */
async function carryOut(
  db: Db,
  processors: Processors,
  refund: RefundRow,
  origin: { requestId: string | null; now: Date },
  remember: RepeatableRefund['remember'],
): Promise<RefundRow | null> {
  const outcome = await processorFor(processors, refund.livemode).refund({
    idempotencyKey: refund.id,
    paymentIntentId: refund.payment_intent_id,
    amount: refund.amount,
    currency: refund.currency,
    metadata: refund.metadata,
  });
  pass('refund asked');
  return atomically(db, async (tx) => {
    const intent = await lockPaymentIntent(tx, refund.payment_intent_id);
    const settled = await completeRefund(tx, refund.id, outcome.kind, refund.created_at);
    if (intent === null || settled === null) return findRefund(tx, tenantOf(refund), refund.id);
    if (settled.status === 'succeeded') await addRefunded(tx, intent.id, settled.amount, settled.updated_at);
    await remember(tx, settled);
    const eventIds = await recordEvents(tx, { ...tenantOf(refund), ...origin }, [
      {
        type: settled.status === 'succeeded' ? 'refund.succeeded' : 'refund.failed',
        subjectId: settled.id,
        customerId: intent.customer_id,
        testClockId: intent.test_clock_id,
        at: settled.updated_at,
        data: presentRefund(settled),
      },
    ]);
    afterCommit(tx, () =>
      emit({
        kind: 'refund settled',
        ...tenantOf(refund),
        testClockId: intent.test_clock_id,
        refundId: settled.id,
        paymentIntentId: intent.id,
        requestId: origin.requestId,
        outcome: outcome.kind,
        eventIds,
      }),
    );
    return settled;
  });
}

function tenantOf(refund: RefundRow): Tenant {
  return { billerId: refund.biller_id, livemode: refund.livemode };
}
