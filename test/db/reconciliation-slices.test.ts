import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { subjectsWantingWorkflow } from '../../src/operations/reconciler/reconciliations.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { useDatabase } from '../support/database.ts';

describe('a slice of the plans that need a workflow', () => {
  const db = useDatabase();

  /** How often the index is read for a slice. */
  const scansFor = (isDated: boolean) =>
    atomically(db.sql, async (tx) => {
      // An empty table would be read whole, and sorted.
      await tx`set local enable_seqscan = off`;
      await tx`set local enable_sort = off`;
      await subjectsWantingWorkflow(tx, 'paymentPlan', { livemode: null, isDated, after: undefined, limit: 500 });
      const [row] = await tx<{ scans: number }[]>`
        select pg_stat_get_xact_numscans('payment_plans_wanting_workflow'::regclass)::integer as scans`;
      return row?.scans;
    });

  it('is read in the order of an index if they have a date, so that a million of them are not sorted', async () => {
    assert.equal(await scansFor(true), 1);
  });

  it('is found by the same index if they have none', async () => {
    assert.equal(await scansFor(false), 1);
  });
});
