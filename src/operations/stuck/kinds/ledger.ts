import type { StuckKind } from '../reading/find-stuck.ts';

/** A ledger whose next event cannot be posted. */
interface StoppedLedger {
  stopped_by: string | null;
  posted: number;
}

export const ledgerStopped: StuckKind<StoppedLedger> = {
  kind: 'ledger_stopped',
  meaning: 'An event cannot be posted to the ledger of a biller, and none after it is. Payments go on; payouts wait.',
  after: 10,
  rows: (db, { before }) => db`
    select biller_id as subject_id, biller_id, livemode, stopped_at as since
    from ledger_positions where stopped_at <= ${before}`,
  facts: (db) => db`
    select stopped_by, last_sequence as posted from ledger_positions
    where biller_id = f.subject_id and livemode = f.livemode`,
  say: ({ subject_id: id, stopped_by: why, posted }) => ({
    why: `the books of ${id} are posted up to event ${posted}: ${why ?? 'it goes on now'}`,
    remedy: 'Compare the event with its payment and with a back-up, and restore it. The worker then posts the rest.',
  }),
};
