import { type BankDebitRow, hasOwnWorkflow, insertDebit } from '../../db/bank-debits.ts';
import { insertAttempt } from '../../db/payment-attempts.ts';
import { markAccepted, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { lodgementReferenceOf } from '../../domain/schemes/bank-debit.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { afterCommit, queued } from '../../platform/postgres/transaction.ts';
import { intentEvent, record } from '../events.ts';
import { start, wake } from '../wake.ts';
import { emitOpened, type NewCharge, nextAttempt } from './charge-records.ts';
import type { Rail } from './rail.ts';
import type { DecidedIntent } from './surcharges.ts';

type DebitRail = Extract<Rail, { kind: 'debit' }>;

/**
 * Accepts a debit of a locked intent: its attempt, its course, and the event that promises the date of the result. The
 * processor is not asked before the hand-over. A single payment gets a workflow of its own; a plan or a subscription
 * takes the steps of its debits itself. Returns the intent as it is now.
 */
export async function acceptDebit(
  tx: Tx,
  intent: DecidedIntent,
  method: PaymentMethodRow,
  { mandate, dates }: DebitRail,
  newCharge: NewCharge,
): Promise<PaymentIntentRow> {
  const attempt = nextAttempt(intent, method.id, newCharge);
  const { at, now, source } = newCharge;
  const lodgementReference = lodgementReferenceOf(attempt.id);
  const accepted: PaymentIntentRow = {
    ...intent,
    status: 'processing',
    attempt_count: attempt.number,
    payment_method_id: method.id,
    customer_id: intent.customer_id ?? mandate.customer_id,
    scheduled_at: null,
    mandate_id: mandate.id,
    lodgement_reference: lodgementReference,
    expected_result_date: dates.resultDate,
    returnable_until: null,
    last_error_code: null,
    last_error_message: null,
    updated_at: at,
  };
  const debit: BankDebitRow = {
    attempt_id: attempt.id,
    biller_id: intent.biller_id,
    livemode: intent.livemode,
    payment_intent_id: intent.id,
    payment_plan_id: intent.payment_plan_id,
    subscription_id: intent.subscription_id,
    test_clock_id: mandate.test_clock_id,
    mandate_id: mandate.id,
    scheme: mandate.scheme,
    lodgement_reference: lodgementReference,
    charge_date: dates.chargeDate,
    hand_over_at: dates.handOverAt,
    submitted_at: null,
    lodged_at: null,
    expected_result_at: dates.resultAt,
    result_at: null,
    returnable_until: null,
    returned_at: null,
    bank_code: null,
    next_at: dates.handOverAt,
  };
  queued(tx, [insertAttempt(tx, attempt, 'accepted'), markAccepted(tx, accepted), insertDebit(tx, debit)]);
  const { livemode, payment_plan_id: planId, subscription_id: subscriptionId } = intent;
  if (hasOwnWorkflow(debit)) await start.bankDebit(tx, { id: attempt.id, livemode }, now);
  // Its owner's loop continues on its own after its own charge. It may have ended when a payer confirms what is unpaid.
  else if (source === 'confirm') {
    if (planId !== null) await wake.paymentPlan(tx, { id: planId, livemode }, now, { start: true });
    if (subscriptionId !== null) await wake.subscription(tx, { id: subscriptionId, livemode }, now, { start: true });
  }
  record(tx, intentEvent('payment_intent.processing', accepted, { testClockId: mandate.test_clock_id, at }));
  afterCommit(tx, () => emitOpened(intent, newCharge));
  return accepted;
}
