import { type BankDebitRow, selectLastDebit, updateDebit } from '../../db/bank-debits.ts';
import { lockMandate } from '../../db/mandates.ts';
import { markSubmitted, selectLastAttempt } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { dateIn } from '../../domain/calendar.ts';
import { declined, declineMessage } from '../../domain/charge-outcome.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { ReturnReason } from '../../domain/schemes/scheme-profile.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import { noteDebit } from '../mandates/mandates.ts';
import type { ChargeHook } from '../payments/charge.ts';
import { lockIntentForUpdate } from '../payments/payment-intents.ts';
import type { RequestContext } from '../request-context.ts';
import { type DebitReport, recordReport } from './debit-reports.ts';

export type BankResult = 'settled' | 'dishonoured' | 'returned' | 'disputed';

/** The status that a payment must have for each result. */
const statusFor: Record<BankResult, PaymentIntentRow['status']> = {
  settled: 'processing',
  dishonoured: 'processing',
  returned: 'succeeded',
  disputed: 'succeeded',
};

/** The bank's code for a lack of funds, which is what is reported if no other code is named. */
const usualCode = '6';

/**
 * Sandbox: plays the bank, which reports on a debit now instead of at its time. A debit that was not handed over yet is
 * handed over first. Afterwards nothing more is expected of this debit.
 * @throws NotFound
 * @throws InvalidState when the payment is no debit under a mandate, or its status does not allow the result; while the
 * customer's clock is advancing.
 * @throws ValidationFailed for a code that the bank does not have, or that does not fit the result.
 */
export async function reportBankResult(
  db: Writer,
  hook: ChargeHook,
  context: RequestContext,
  id: string,
  { result, bank_code: bankCode }: { result: BankResult; bank_code?: string | undefined },
): Promise<PaymentIntentRow> {
  return atomically(db, async (tx) => {
    const { intent, at } = await lockIntentForUpdate(tx, context, id, hook);
    const debit = await selectLastDebit(tx, id);
    if (debit === null) throw new InvalidState(`Payment intent ${id} is not a bank debit under a mandate.`);
    if (intent.status !== statusFor[result]) {
      throw new InvalidState(
        `Payment intent ${id} is ${intent.status}; the bank reports ${result} while it is ${statusFor[result]}.`,
      );
    }
    const report = reportOf(debit, result, bankCode);
    if (intent.status === 'processing') await handOverNow(tx, debit, at);
    const record = { at, now: context.now, requestId: context.requestId, nextAt: null, isOwnStep: false };
    return (await recordReport(tx, debit.attempt_id, report, record, hook)) ?? intent;
  });
}

function reportOf({ scheme }: BankDebitRow, result: BankResult, bankCode: string | undefined): DebitReport {
  if (result === 'settled' || result === 'disputed') {
    if (bankCode !== undefined) {
      throw ValidationFailed.of('/bank_code', 'invalid_value', `bank_code is not reported with ${result}.`);
    }
    if (result === 'settled') return { kind: 'succeeded' };
    const code = 'debit_disputed';
    return { kind: 'returned', code, message: declineMessage(code), bankCode: null };
  }
  const returnCodes: Readonly<Record<string, ReturnReason>> = schemes[scheme].returnCodes;
  const code = returnCodes[bankCode ?? usualCode];
  if (code === undefined) {
    const known = Object.keys(returnCodes).join(', ');
    throw ValidationFailed.of('/bank_code', 'invalid_value', `bank_code must be one of ${known}.`);
  }
  const reported = { code, message: declineMessage(code), bankCode: bankCode ?? usualCode };
  return result === 'returned' ? { kind: 'returned', ...reported } : { ...declined(code), ...reported, kind: 'failed' };
}

async function handOverNow(tx: Tx, debit: BankDebitRow, at: CustomerInstant): Promise<void> {
  const attempt = await selectLastAttempt(tx, debit.payment_intent_id);
  if (attempt?.outcome !== 'accepted') return;
  await markSubmitted(tx, attempt.id);
  const chargeDate = dateIn(at, schemes[debit.scheme].timeZone);
  await updateDebit(tx, debit, { charge_date: chargeDate, submitted_at: at, lodged_at: at });
  const mandate = await lockMandate(tx, debit.mandate_id);
  if (mandate) await noteDebit(tx, mandate, at);
}
