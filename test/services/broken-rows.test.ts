import assert from 'node:assert/strict';
import { createInvariantChecks } from '../../src/operations/invariants/checks.ts';
import { invariants } from '../../src/operations/invariants/invariants.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

describe('a row that housekeeping finds broken', () => {
  const stage = useStage({ isDamaged: true });
  const { db } = stage;

  async function checkAll() {
    await db.sql`update invariant_checks set tried_at = tried_at - interval '1 minute'`;
    const isDue = async () => {
      const rows = await db.sql`
        select from invariant_checks where tried_at > clock_timestamp() - interval '30 seconds'`;
      return rows.length < invariants.length;
    };
    while (await isDue()) await createInvariantChecks(db.sql).checkSome();
  }
  const count = (id: string, cents: number) =>
    db.sql`update payment_plans set collected_amount_cents = ${cents} where id = ${id}`;
  const since = async (id: string) => (await stuckBySubject(db.sql, id)).rows_broken?.since;

  it('is broken since it was found, however long another row has broken the same rule', async () => {
    const first = (await stage.merchant.activePlan({ start_date: '2099-01-01' })).id;
    const second = (await stage.merchant.activePlan({ start_date: '2099-01-01' })).id;
    await count(first, 999);
    await checkAll();
    const ofFirst = await since(first);
    assert.ok(ofFirst);
    const between = (await databaseNow(db.sql)).toISOString();
    await count(second, 999);
    await count(first, 998);
    await checkAll();
    assert.equal(await since(first), ofFirst, 'it is the same row, whatever is wrong with it now');
    const ofSecond = await since(second);
    assert.ok(ofSecond && ofSecond > between, `${ofSecond} is before ${between}`);

    await count(first, 0);
    await checkAll();
    assert.equal(await since(first), undefined);
    await count(first, 999);
    await checkAll();
    assert.ok(((await since(first)) ?? '') > ofSecond, 'it was whole in the meantime');
  });
});
