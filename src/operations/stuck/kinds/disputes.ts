import type { CustomerInstant } from '../../../domain/instants.ts';
import { minute, type StuckKind } from '../reading/find-stuck.ts';

/** A dispute whose end has come. */
interface OverdueDispute {
  payment_intent_id: string;
  result: string | null;
  closes_at: CustomerInstant | null;
}

/** Housekeeping closes disputes every five seconds. On a test clock an advance does: what waits for one is not late. */
export const disputeOverdue: StuckKind<OverdueDispute> = {
  kind: 'dispute_overdue',
  meaning: 'A dispute in real time should have closed, and is open.',
  after: 5 * minute,
  rows: (db, { before }) => db`
    select id as subject_id, biller_id, livemode, closes_at as since
    from disputes where test_clock_id is null and status = 'needs_response' and closes_at <= ${before}`,
  facts: (db) => db`select payment_intent_id, result, closes_at from disputes where id = f.subject_id`,
  say: ({ subject_id: id, payment_intent_id: payment, result, closes_at: at }) => ({
    why: `dispute ${id} of ${payment} is open, and was to be ${result} at ${at?.toISOString()}`,
    remedy: 'Is a worker running? Its log says "close disputes" and why. Once that is mended, the worker closes it.',
  }),
};
