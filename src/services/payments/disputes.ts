import { selectDebit } from '../../db/bank-debits.ts';
import {
  type DisputeFilter,
  type DisputeRow,
  endDispute,
  insertDispute,
  listClosingInRealTime,
  listDisputeRows,
  selectDispute,
  selectLastDispute,
  selectOpenDispute,
  updateDisputeResult,
} from '../../db/disputes.ts';
import { selectLastAttempt } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import { tenantOf } from '../../db/tenant.ts';
import { declineMessage } from '../../domain/charge-outcome.ts';
import { type DisputeResult, disputeEnd } from '../../domain/disputes.ts';
import { newId } from '../../domain/ids.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState, orNotFound } from '../errors.ts';
import { disputeEvent, record, transact } from '../events.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import type { ChargeHook } from './charge.ts';
import { amountLeft, sharesOf } from './money-left.ts';
import { getPaymentIntent, lockIntentForUpdate } from './payment-intents.ts';
import { recordReturned } from './returns.ts';

// The sandbox plays the payer who disputes a payment with the bank, and the bank that decides. What is disputed is held
// from the opening on. In real time housekeeping closes disputes, on a test clock the advance does.

/**
 * Sandbox: a payer disputes a payment that has succeeded. All of it that was not refunded is held. With a result it
 * closes ten days later, in the customer's time. A second call gives an open dispute its result.
 * @throws NotFound
 * @throws InvalidState when the payment has not succeeded, is a bank debit under a mandate, was refunded in full, or a
 * dispute of it was won; when its open dispute has a result, or none is given; while the customer's clock is advancing.
 */
export async function disputePayment(
  db: Writer,
  context: RequestContext,
  paymentIntentId: string,
  result: DisputeResult | undefined,
): Promise<DisputeRow> {
  return transact(db, context, async (tx) => {
    const { intent, at } = await lockIntentForUpdate(tx, context, paymentIntentId);
    const last = await selectLastDispute(tx, intent.id);
    return last?.status === 'needs_response'
      ? sayResult(tx, last, result, at)
      : openDispute(tx, intent, last, result, at);
  });
}

/** @throws InvalidState unless the dispute has no result and gets one now. */
async function sayResult(tx: Tx, dispute: DisputeRow, result: DisputeResult | undefined, at: CustomerInstant) {
  const { id, payment_intent_id: paymentId, result: before } = dispute;
  if (before !== null) {
    throw new InvalidState(`Payment intent ${paymentId} is under dispute ${id}, which has its result: ${before}.`);
  }
  if (result === undefined) {
    throw new InvalidState(`Payment intent ${paymentId} is under dispute ${id}. Give it a result: won or lost.`);
  }
  return updateDisputeResult(tx, id, { result, closes_at: disputeEnd(at), updated_at: at });
}

async function openDispute(
  tx: Tx,
  intent: LockedIntentRow,
  last: DisputeRow | null,
  result: DisputeResult | undefined,
  at: CustomerInstant,
): Promise<DisputeRow> {
  const { id: paymentId, status } = intent;
  if (status !== 'succeeded') {
    throw new InvalidState(`Payment intent ${paymentId} is ${status}; only a succeeded one can be disputed.`);
  }
  if (last?.status === 'won')
    throw new InvalidState(`Payment intent ${paymentId} was disputed before: ${last.id}, won.`);
  await assertNoDebit(tx, paymentId);
  const amount = await amountToHold(tx, intent);
  const { tax } = await sharesOf(tx, intent, amount);
  const dispute: DisputeRow = {
    id: newId('dispute'),
    biller_id: intent.biller_id,
    livemode: intent.livemode,
    payment_intent_id: paymentId,
    customer_id: intent.customer_id,
    test_clock_id: intent.test_clock_id,
    currency: intent.currency,
    amount,
    tax_amount: tax,
    status: 'needs_response',
    result: result ?? null,
    closes_at: result === undefined ? null : disputeEnd(at),
    closed_at: null,
    created_at: at,
    updated_at: at,
  };
  await insertDispute(tx, dispute);
  record(tx, disputeEvent('dispute.opened', dispute, at));
  return dispute;
}

/** A debit under a mandate is not disputed with a card's rules: its bank takes it back at once. @throws InvalidState */
async function assertNoDebit(tx: Tx, paymentIntentId: string): Promise<void> {
  const attempt = await selectLastAttempt(tx, paymentIntentId);
  if (attempt === null || (await selectDebit(tx, attempt.id)) === null) return;
  throw new InvalidState(
    `Payment intent ${paymentIntentId} is a bank debit, which the bank takes back at once. ` +
      `Use POST /test_helpers/payment_intents/${paymentIntentId}/bank_result with result disputed.`,
  );
}

/** @throws InvalidState when nothing remains: refunds under way count as made. */
async function amountToHold(tx: Tx, intent: LockedIntentRow): Promise<MinorUnits> {
  const amount = await amountLeft(tx, intent);
  if (amount > 0) return amount;
  throw new InvalidState(`Payment intent ${intent.id} has been refunded in full, so it cannot be disputed.`);
}

/**
 * Checks that a locked payment is under no dispute, before money of it is given back in another way.
 * @throws InvalidState
 */
export async function assertNotDisputed(tx: Tx, paymentIntentId: string): Promise<void> {
  const last = await selectLastDispute(tx, paymentIntentId);
  if (last?.status !== 'needs_response') return;
  throw new InvalidState(
    `Payment intent ${paymentIntentId} is under dispute ${last.id}: it cannot be refunded before that is closed.`,
  );
}

/**
 * Closes the disputes in real time whose end has come at `now`. Any number of processes may call it. One that cannot be
 * closed does not hold up the others.
 * @param now by the database's clock.
 * @throws AggregateError with every failure, after all were tried.
 */
export async function closeDisputesInRealTime(sql: Pool, hook: ChargeHook, now: RealInstant): Promise<void> {
  const failures: unknown[] = [];
  for (const id of await listClosingInRealTime(sql, now)) {
    await transact(sql, { requestId: null, now }, (tx) =>
      closeDispute(tx, hook, id, { at: withoutClock(now), now }),
    ).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} disputes could not be closed`);
}

/**
 * Closes a dispute whose end has come, with its events. A payment whose dispute is lost came back, as a debit that its
 * bank takes back. Does nothing if the dispute is closed, or was deleted.
 */
export async function closeDispute(tx: Tx, hook: ChargeHook, id: string, { at, now }: Instants): Promise<void> {
  const found = await selectOpenDispute(tx, id);
  if (found?.result == null) return;
  const { payment_intent_id: paymentIntentId, result } = found;
  const { payment_plan_id: paymentPlanId } = await getPaymentIntent(tx, tenantOf(found), paymentIntentId);
  // What the payment is for is locked before it.
  const recorder = result === 'lost' ? await hook(tx, { paymentIntentId, paymentPlanId }) : null;
  const intent = await lockPaymentIntent(tx, paymentIntentId);
  const dispute = await selectOpenDispute(tx, id);
  const attempt = await selectLastAttempt(tx, paymentIntentId);
  if (intent === null || dispute === null || attempt === null) return;
  record(tx, disputeEvent(`dispute.${result}`, await endDispute(tx, id, result, at), at));
  if (result === 'won') return;
  const code = 'payment_disputed';
  await recordReturned(
    tx,
    { attempt, intent, recorder },
    {
      code,
      message: declineMessage(code),
      returned: dispute.amount,
      refundedBefore: intent.total_amount - dispute.amount,
      scheme: null,
      isOwnStep: false,
      at,
      now,
      requestId: null,
      told: {
        bank_code: null,
        dispute_id: dispute.id,
        returned_amount: dispute.amount,
        returned_tax_amount: dispute.tax_amount,
      },
    },
  );
}

/**
 * Returns the dispute, on any test clock or none.
 * @throws NotFound
 */
export async function getDispute(db: Db, tenant: Tenant, id: string): Promise<DisputeRow> {
  return orNotFound(await selectDispute(db, tenant, id), 'dispute', id);
}

/**
 * Returns a page of disputes, newest first by `created_at`.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function listDisputes(
  db: Db,
  tenant: Tenant,
  filter: DisputeFilter,
  query: Pick<PageQuery, 'limit' | 'starting_after'>,
): Promise<Rows<DisputeRow>> {
  return rowsOfPage(db, 'disputes', tenant, query, (page) => listDisputeRows(db, tenant, filter, page));
}
