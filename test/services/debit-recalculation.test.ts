import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { recalculatePlan } from '../../src/services/plans/plan-recalculation.ts';
import { useDebits } from '../support/debits.ts';
import { tester } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

/** After the dishonour of Wednesday, 09:00 in Sydney. The retry is due on Thursday at 09:00. */
const dishonoured = '2027-03-02T22:00:00.000Z';
const retry = '2027-03-03T22:00:00.000Z';

/** What the constraint of the database refuses is done here without it: the other nets have to hold on their own. */
describe('a plan of bank debits whose rows do not agree', () => {
  const stage = useStage({ isDamaged: true });
  const debits = useDebits(stage);

  before('take the constraint away', async () => {
    await stage.db.sql.unsafe('alter table payment_intents drop constraint payment_intents_slot_fkey');
  });
  afterEach('nothing is left of the damage', async () => {
    assert.deepEqual(await findViolations(stage.db.sql), []);
    assert.equal(await stuckOf(), undefined);
  });

  let planId = '';
  let clockId = '';
  async function makePlan(outcomes: string, until: string) {
    const payer = await debits.payer();
    clockId = payer.clock;
    planId = (await debits.plan(payer, outcomes, { frequency_period: 8 })).id;
    await stage.advance(clockId, until);
  }
  const stuckOf = async () => (await stuckBySubject(stage.db.sql, planId)).plan_inconsistent;
  const damage = (statement: string) => stage.db.sql.unsafe(statement.replaceAll('PLAN', `'${planId}'`));
  const recalculate = () =>
    recalculatePlan(stage.db.sql, planId, { isDryRun: false, overdue: null }, { by: tester, now: realNow() });
  const broken = async () => (await findViolations(stage.db.sql)).filter(({ id }) => id === planId);
  const slotRows = async () => [
    ...(await stage.db.sql`select * from payment_plan_slots where payment_plan_id = ${planId} order by slot`),
  ];
  const retryAt = (at: string) =>
    damage(`
      update payment_plan_slots set next_attempt_at = '${at}' where payment_plan_id = PLAN;
      update payment_plans set next_attempt_at = '${at}' where id = PLAN`);

  it('is retried on the day of its scheme, and by no other date', async () => {
    await makePlan('dishonoured,settled', dishonoured);
    assert.deepEqual([await broken(), await stuckOf()], [[], undefined]);
    await retryAt('2027-03-03T21:00:00Z');
    const wrong = /the retry of payment 1 \(slot 0\) is set to 2027-03-03T21:00.*, but dunning gives 2027-03-03T22:00/;
    assert.match((await broken()).map(({ detail }) => detail).join(), wrong);
    await assert.rejects(stage.collect(planId, retry), wrong);
    assert.match(
      await recalculate(),
      /slots\/0\/next_attempt_at: 2027-03-03T21:00:00\.000Z → 2027-03-03T22:00:00\.000Z/,
    );
    await stage.advance(clockId, '2027-03-07T22:00:00Z');
    assert.deepEqual(await debits.slots(planId), ['0 paid failed,succeeded']);
  });

  it('is stuck with a retry that is far from every rule', async () => {
    await makePlan('dishonoured,settled', dishonoured);
    for (const far of ['2027-03-02T21:00:00Z', '2027-04-01T00:00:00Z']) {
      await retryAt(far);
      assert.match((await stuckOf())?.why ?? '', /but dunning gives 2027-03-03T22:00:00\.000Z/);
      await recalculate();
    }
  });

  it('gets the row of a payment that came back, and its retries begin with the return', async () => {
    await makePlan('late_dishonour', '2027-03-07T22:00:00.000Z');
    const before = await slotRows();
    assert.deepEqual(await debits.slots(planId), ['0 retrying returned']);
    await damage('delete from payment_plan_slots where payment_plan_id = PLAN');
    assert.ok((await broken()).length > 0);
    await recalculate();
    assert.deepEqual(await slotRows(), before);
  });

  it('gets the row of a payment that a bank has, and books its result', async () => {
    await makePlan('settled', '2027-03-02T00:00:00.000Z');
    const before = await slotRows();
    await damage('delete from payment_plan_slots where payment_plan_id = PLAN');
    assert.match((await stuckOf())?.why ?? '', /^payment 1 \(slot 0\) has a payment, but its row is lost$/);
    await recalculate();
    assert.deepEqual(await slotRows(), before);
    await stage.advance(clockId, dishonoured);
    assert.deepEqual(await debits.slots(planId), ['0 paid succeeded']);
  });

  it('gets the instant of its debit’s next step back', async () => {
    await makePlan('settled', '2027-03-02T00:00:00.000Z');
    await damage('update payment_plans set next_debit_at = null where id = PLAN');
    assert.deepEqual(
      (await broken()).map(({ invariant }) => invariant),
      ['a plan wakes for the first step of its debits and the end of its challenges'],
    );
    assert.match(await recalculate(), /next_debit_at: none → 2027-03-02T22:00:00\.000Z/);
    await stage.advance(clockId, dishonoured);
    assert.deepEqual(await debits.slots(planId), ['0 paid succeeded']);
  });
});
