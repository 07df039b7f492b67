import { type LinkStatusRow, selectLinkStatus, selectSessionStatus } from '../../db/link-statuses.ts';
import { ownerOf } from '../../db/subject-statuses.ts';
import { deletedSubject, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db } from '../../platform/postgres/connection.ts';

/**
 * Returns the status of a payment link for its workflow. It counts as ended once nothing more falls due, or when it was
 * deleted; and on a test clock, where the advance lets it expire (`services/test-clocks/expiry.ts`).
 */
export async function linkStatus(db: Db, id: string): Promise<SubjectStatus> {
  const row = await selectLinkStatus(db, id);
  if (row === null) return deletedSubject;
  const isOpen = row.status === 'open' && row.expires_at !== null;
  return statusOf(row, isOpen, row.wake_at === null ? 'the outcome of a payment that was begun in time' : 'its expiry');
}

/** Returns the status of a checkout session, as `linkStatus`. */
export async function sessionStatus(db: Db, id: string): Promise<SubjectStatus> {
  const row = await selectSessionStatus(db, id);
  if (row === null) return deletedSubject;
  const isChallenge = row.wake_at !== null && row.expires_at !== null && row.wake_at < row.expires_at;
  const waitsFor =
    row.wake_at === null
      ? 'the outcome of its payment'
      : isChallenge
        ? 'the payer, to pass the challenge'
        : 'its expiry';
  return statusOf(row, row.status === 'open' || row.status === 'processing', waitsFor);
}

function statusOf(row: LinkStatusRow, isOpen: boolean, waitsFor: string): SubjectStatus {
  const nextAt = isOpen ? (row.wake_at?.getTime() ?? null) : null;
  return {
    ...ownerOf(row),
    ended: !isOpen || row.test_clock_id !== null,
    state: row.status_reason === null ? row.status : `${row.status} (${row.status_reason})`,
    nextAt,
    nextDueAt: nextAt,
    failedAttempts: row.failed_attempts,
    next: waitsFor,
    lastError: null,
    story: { waitsFor, since: row.updated_at.getTime(), unpaid: null, lastFailure: null },
  };
}
