import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { customerInstant } from '../../src/domain/instants.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { collectDuePayment } from '../../src/services/plans/plan-collection.ts';
import { collectSubject } from '../../src/services/subjects/kinds.ts';
import { useCountedWay } from '../support/counted-way.ts';
import { useStage } from '../support/stage.ts';

describe('a plan’s charge and its round trips to PostgreSQL', () => {
  const stage = useStage();
  const way = useCountedWay(stage.db);
  let sql: Pool;
  before('open one connection', () => {
    sql = openPool(way.url, { max: 1, name: 'counted' });
  });
  after('end it', () => sql.end());

  const weekOf = (week: number) => customerInstant(Date.parse('2027-01-04T00:00:00Z') + week * 7 * 86_400_000);
  async function roundTrips(planId: string, week: number): Promise<number> {
    const from = way.count().statements;
    const time = { at: weekOf(week), now: realNow(), maxAheadMs: Infinity };
    await collectDuePayment(sql, stage.charging, planId, time);
    return way.count().statements - from;
  }

  /** The round trips of what the workflows of new plans have their worker do, each at its first date. */
  async function roundTripsOfNew(count: number, more: object = {}): Promise<number[]> {
    const at = '2027-01-04T00:00:00Z';
    const { payer } = await stage.merchant.payerOnClock(at);
    const counts: number[] = [];
    for (let made = 0; made < count; made += 1) {
      const terms = { customer_id: payer.id, start_date: '2027-01-04', ...more };
      const { id } = await stage.merchant.activePlan(terms);
      const from = way.count().statements;
      await collectSubject(sql, stage.processors, { kind: 'paymentPlan', id }, { at: customerInstant(at) });
      counts.push(way.count().statements - from);
    }
    return counts;
  }

  it('are five if nothing is unpaid: whether a payout comes first, then it is read, opened and recorded, and the status is read', async () => {
    assert.deepEqual((await roundTripsOfNew(5)).slice(2), [5, 5, 5], 'the first charges also prepare the statements');
    assert.equal(stage.ledger.taken.size, 5);
  });

  it('are five also for the payment that closes the plan', async () => {
    assert.deepEqual((await roundTripsOfNew(4, { total_amount_cents: 1000 })).slice(2), [5, 5]);
    assert.equal(stage.ledger.taken.size, 4);
  });

  it('are nine with locks: comparing its dates with its calendar adds none', async () => {
    const { plan } = await stage.merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-04' });
    const counts: number[] = [];
    for (let week = 0; week < 6; week += 1) counts.push(await roundTrips(plan.id, week));
    assert.deepEqual(counts.slice(2), [9, 9, 9, 9], 'the first charges also prepare the statements');
    assert.equal(stage.ledger.taken.size, 6);
  });
});
