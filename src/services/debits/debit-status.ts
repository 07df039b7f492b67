import { type DebitStatusRow, ownerOf, selectDebitStatus } from '../../db/subject-statuses.ts';
import { deletedSubject, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db } from '../../platform/postgres/connection.ts';

/**
 * Returns the status of the debit of a single payment. It counts as ended once nothing more is expected of it, or when
 * it was deleted.
 */
export async function bankDebitStatus(db: Db, attemptId: string): Promise<SubjectStatus> {
  const row = await selectDebitStatus(db, attemptId);
  if (row === null) return deletedSubject;
  const nextAt = row.next_at?.getTime() ?? null;
  return {
    ...ownerOf(row),
    ended: nextAt === null,
    state: row.outcome,
    nextAt,
    nextDueAt: nextAt,
    failedAttempts: 0,
    next: stepOfDebit(row),
    lastError: row.message,
    story: {
      waitsFor: stepOfDebit(row),
      since: row.since.getTime(),
      unpaid: null,
      lastFailure: row.code === null ? null : { code: row.code, at: row.since.getTime() },
      paymentIntentId: row.payment_intent_id,
    },
  };
}

/** What a payment waits for while its payer has not passed the challenge of the bank. */
export const endOfChallenge = 'the payer, or the end of the time for the challenge of the bank';

/** Returns the next step of a debit, as a noun phrase. */
export function stepOfDebit({ outcome }: Pick<DebitStatusRow, 'outcome'>): string {
  if (outcome === 'accepted') return 'the hand-over to the bank';
  return outcome === 'submitted' ? 'the result from the bank' : 'what may still come back from the bank';
}
