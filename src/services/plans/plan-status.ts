import { ownerOf, type PlanStatusRow, selectPlanStatus } from '../../db/subject-statuses.ts';
import { dateIn, earliestInstant } from '../../domain/calendar.ts';
import { inMoney } from '../../domain/currencies.ts';
import { retryDays } from '../../domain/dunning.ts';
import { customerInstant } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import type { MinorUnits } from '../../domain/units.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import { deletedSubject, type StatusDetails, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { endOfChallenge, stepOfDebit } from '../debits/debit-status.ts';

/**
 * Returns the status of a plan. A plan that was deleted counts as ended, and so does one in a final state, once it has
 * no open debit.
 */
export async function planStatus(db: Db, id: string): Promise<SubjectStatus> {
  const row = await selectPlanStatus(db, id);
  if (row === null) return deletedSubject;
  const nextAt = earliestInstant([row.next_due_at, row.next_attempt_at, row.next_debit_at])?.getTime() ?? null;
  return {
    ...ownerOf(row),
    ended: hasEnded(row.state) && row.next_debit_at === null,
    state: row.state_reason === null ? row.state : `${row.state} (${row.state_reason})`,
    nextAt,
    nextDueAt: row.next_due_at?.getTime() ?? null,
    failedAttempts: row.failures ?? 0,
    next: nextOfPlan(row, nextAt),
    lastError: row.retry_slot === null ? null : row.last_error_message,
    story: detailsOfPlan(row, nextAt),
  };
}

function detailsOfPlan(row: PlanStatusRow, nextAt: number | null): StatusDetails {
  const { retry_slot: slot, payment_intent_id: intentId, last_error_code: code, last_attempt_at: lastAt } = row;
  return {
    waitsFor: whatPlanWaitsFor(row, nextAt),
    since: row.updated_at.getTime(),
    unpaid:
      slot === null || intentId === null
        ? null
        : {
            slot,
            dueDate: row.retry_due_date ?? '',
            intentId,
            isUnderWay: row.slot_status === 'processing',
            nextCharge: chargeInWords(row.total_amount ?? 0, row.currency, row.failures ?? 0),
          },
    lastFailure: code === null || lastAt === null ? null : { code, at: lastAt.getTime() },
  };
}

/** The next charge of a payment that has failed so often in its series: "25.00 AUD, attempt 2 of 4". */
export function chargeInWords(amount: MinorUnits, currency: string, failures: number): string {
  return `${inMoney(amount, currency)}, attempt ${failures + 1} of ${retryDays.length + 1}`;
}

function whatPlanWaitsFor(row: PlanStatusRow, nextAt: number | null): string {
  const { state, retry_slot: slot, slot_status: status } = row;
  const debit = isDebitNext(row, nextAt) ? debitInWords(row) : null;
  if (debit !== null) return debit;
  if (state === 'suspended') {
    const retried = slot === null || status === 'processing' ? '' : `, which tries ${slotInWords(slot)} again at once`;
    return `the biller, to resume the plan${retried}, or to close it`;
  }
  if (state !== 'active') return 'nothing';
  if (nextAt === null) {
    const isUnderWay = slot !== null && status === 'processing';
    return isUnderWay ? `the outcome of the charge of ${slotInWords(slot)}` : dateMissing;
  }
  if (slot !== null && row.next_attempt_at?.getTime() === nextAt) return `the retry of ${slotInWords(slot)}`;
  return `the due date of ${slotInWords(row.next_slot)}`;
}

/** A plan of which everything is collected is closed. So an active plan that charges nothing has a next date. */
const dateMissing =
  'its next date, which is missing: `npm run --silent ops -- recalculate`, with the plan’s id, restores it';

/** Returns the next step in the domain's words. Operators read it on the timer that waits for this step. */
function nextOfPlan(row: PlanStatusRow, nextAt: number | null): string {
  if (nextAt === null) return 'nothing is due';
  if (isDebitNext(row, nextAt)) return debitInWords(row);
  if (row.retry_slot !== null && row.next_attempt_at?.getTime() === nextAt) {
    return `${slotInWords(row.retry_slot)}, due ${row.retry_due_date}, attempt ${(row.failures ?? 0) + 1}`;
  }
  return `${slotInWords(row.next_slot)}, due ${dateIn(customerInstant(nextAt), row.time_zone)}, attempt 1`;
}

/** Whether the next step is that of a debit or the end of a challenge. At the same instant, it precedes a payment. */
function isDebitNext({ next_debit_at: at }: PlanStatusRow, nextAt: number | null): boolean {
  return at !== null && at.getTime() === nextAt;
}

function debitInWords({ debit_slot: slot, debit_outcome: outcome }: PlanStatusRow): string {
  if (outcome === null) return endOfChallenge;
  const step = stepOfDebit({ outcome });
  return slot === null ? step : `${step}: the debit of ${slotInWords(slot)}`;
}
