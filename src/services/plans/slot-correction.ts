import { selectLastDebit } from '../../db/bank-debits.ts';
import { selectLastAttempt } from '../../db/payment-attempts.ts';
import { listIntentsOfPlan, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { slotDate } from '../../domain/calendar.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { cadenceOf, fresh, type KnownSlot, type SlotStatus } from '../../domain/plans/plan.ts';
import { retryDueAt } from '../../domain/schemes/debit-dates.ts';
import type { MinorUnits, SlotNumber } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { withoutBroughtForward, wrongRetry } from './plan-consistency.ts';

/** What a slot is, by the status of its payment. While its plan is active, an unpaid one is `retrying`. */
const statusOf: Record<PaymentIntentRow['status'], SlotStatus> = {
  requires_payment_method: 'failed',
  processing: 'processing',
  requires_action: 'processing',
  succeeded: 'paid',
  failed: 'failed',
  canceled: 'given_up',
  returned: 'returned',
};

/**
 * Returns all slots of a locked plan as they should be, from slot 0 without gaps, and the sum of what its payments have
 * collected. A row that is missing, or does not agree with the slot's payment, is made from the payment. A slot without
 * either was never charged: it counts as skipped. Each retry gets the date that dunning gives. Rows that are right are
 * returned as they are.
 * @param stored the rows as they are.
 */
export async function correctedSlots(
  tx: Tx,
  plan: CollectingPlanRow,
  stored: readonly KnownSlot[],
  at: CustomerInstant,
): Promise<{ slots: KnownSlot[]; collected: MinorUnits }> {
  const intents = await listIntentsOfPlan(tx, plan.id);
  const intentOf = new Map(intents.map((intent) => [intent.payment_plan_slot, intent]));
  const rowOf = new Map(stored.map((row) => [row.slot, row]));
  const last = Math.max(stored.at(-1)?.slot ?? -1, intents.at(-1)?.payment_plan_slot ?? -1);
  const slots: KnownSlot[] = [];
  for (let slot = 0; slot <= last; slot += 1) {
    const [row, intent] = [rowOf.get(slot), intentOf.get(slot)];
    const isRight = row !== undefined && agrees(row, intent);
    const right = isRight ? row : await restoredRow(tx, plan, slot, intent);
    slots.push(withChallengeEnd(await withRetryDate(tx, plan, right, intent, at), intent));
  }
  const paid = intents.filter(({ status }) => status === 'succeeded');
  return { slots, collected: paid.reduce((sum, { amount }) => sum + amount, 0) };
}

function agrees(row: KnownSlot, intent: PaymentIntentRow | undefined): boolean {
  if (intent === undefined) return row.status === 'skipped';
  if (row.payment_intent_id !== intent.id || row.amount !== intent.amount) return false;
  return row.status === 'retrying' ? isUnpaid(intent) : row.status === statusOf[intent.status];
}

function isUnpaid({ status }: PaymentIntentRow): boolean {
  return statusOf[status] === 'failed' || status === 'returned';
}

/**
 * Returns the row that a slot has lost. How often its payment has failed in the present series is lost with the row:
 * the last failure counts as the first.
 */
async function restoredRow(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: SlotNumber,
  intent: PaymentIntentRow | undefined,
): Promise<KnownSlot> {
  const passed = { ...fresh, slot, due_date: slotDate(cadenceOf(plan), slot) };
  if (intent === undefined) return { ...passed, status: 'skipped' };
  const row = { ...passed, status: statusOf[intent.status], amount: intent.amount, payment_intent_id: intent.id };
  if (!isUnpaid(intent)) return row;
  const debit = await selectLastDebit(tx, intent.id);
  const reportedAt = debit && (debit.returned_at ?? debit.result_at);
  const failedAt = reportedAt ?? (await selectLastAttempt(tx, intent.id))?.at ?? intent.updated_at;
  const failed = { ...row, failures: 1, first_failed_at: failedAt, last_result_at: reportedAt };
  return plan.state === 'active'
    ? { ...failed, status: 'retrying', next_attempt_at: retryDueAt(failed, plan.time_zone) }
    : failed;
}

/**
 * The end of a challenge that is lost is counted from when the payment began to wait for it. One at a live processor
 * has none here.
 */
function withChallengeEnd(row: KnownSlot, intent: PaymentIntentRow | undefined): KnownSlot {
  const isWaiting = intent?.status === 'requires_action' && !intent.livemode;
  if (isWaiting === (row.challenge_ends_at !== null)) return row;
  return { ...row, challenge_ends_at: isWaiting ? challengeEnd(intent.updated_at) : null };
}

async function withRetryDate(
  tx: Tx,
  plan: CollectingPlanRow,
  row: KnownSlot,
  intent: PaymentIntentRow | undefined,
  at: CustomerInstant,
): Promise<KnownSlot> {
  if (row.status !== 'retrying') return row;
  if (plan.state !== 'active') return { ...row, status: statusOf[intent?.status ?? 'failed'], next_attempt_at: null };
  const wrong = await withoutBroughtForward(tx, plan, wrongRetry(row, plan.time_zone, at));
  return wrong.length === 0 ? row : { ...row, next_attempt_at: retryDueAt(row, plan.time_zone) ?? at };
}
