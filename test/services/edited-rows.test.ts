import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { recalculatePlan } from '../../src/services/plans/plan-recalculation.ts';
import { tester } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

const day = (date: string) => `2027-${date}T00:00:00.000Z`;
const declining = { metadata: { _sandbox_outcome: 'decline' } };

/** Done by SQL, behind the back of the service. Constraints refuse none of it. */
describe('a row that decides what is charged and was edited by hand', () => {
  const stage = useStage({ isDamaged: true });
  const { db } = stage;

  afterEach('nothing is left of the damage', async () => {
    assert.deepEqual(await findViolations(db.sql), []);
  });

  /** A weekly plan of 10.00 AUD on a clock, whose first payment, due on 10 January, was attempted. */
  async function makePlan(terms: object = {}): Promise<string> {
    const { plan } = await stage.merchant.planOnClock(day('01-10'), { start_date: '2027-01-10', ...terms });
    await stage.collect(plan.id, day('01-10'));
    stage.ledger.requests.length = 0;
    return plan.id;
  }
  const recalculate = (id: string, isDryRun = false) =>
    recalculatePlan(db.sql, id, { isDryRun, overdue: null }, { by: tester, now: realNow() });
  const charged = () => stage.ledger.requests.map(({ amount }) => amount);
  const brokenRules = async (id: string) =>
    (await findViolations(db.sql)).filter((violation) => violation.id === id).map(({ invariant }) => invariant);
  const dueOn = (id: string, at: string) => stage.collect(id, at);

  /** A plan is named at once, breaks an invariant, and charges nothing while that is so. */
  async function assertPlanHeld(id: string, at: string, why: string, invariant: string) {
    const { plan_inconsistent: stuck } = await stuckBySubject(db.sql, id);
    assert.ok(stuck?.why.includes(why), stuck?.why ?? 'ops stuck does not name it');
    assert.ok(stuck?.remedy.startsWith(`npm run --silent ops -- recalculate ${id} `), stuck?.remedy);
    assert.ok((await brokenRules(id)).includes(invariant), (await brokenRules(id)).join() || 'no invariant is broken');
    await assert.rejects(dueOn(id, at), (error: Error) => {
      assert.ok(error.message.includes(why), error.message);
      assert.match(error.message, /Nothing is charged before that is corrected/);
      return true;
    });
    assert.deepEqual(stage.ledger.requests, [], 'the processor is not asked');
  }
  const asWritten = 'a plan that can collect has the amounts and the state that the service has given it';

  for (const [name, column, why] of [
    ['recurring amount', 'recurring_amount_cents', 'its recurring amount is 100.00 AUD, but 10.00 AUD was agreed'],
    ['total', 'total_amount_cents', 'its total is 500.00 AUD, but 50.00 AUD was agreed'],
  ] as const) {
    it(`charges nothing while the ${name} of a plan is ten times what was agreed, until it is set back`, async () => {
      const id = await makePlan({ total_amount_cents: 5000 });
      await db.sql`update payment_plans set ${db.sql(column)} = 10 * ${db.sql(column)} where id = ${id}`;
      await assertPlanHeld(id, day('01-17'), why, asWritten);
      assert.match(await recalculate(id), new RegExp(`^Corrected:\n  ${column}: (\\d+)0 → \\1\nNext: payment 2 `));
      await dueOn(id, day('01-17'));
      assert.deepEqual(charged(), [1000]);
    });
  }

  it('charges a plan by the new amount once its biller has set it', async () => {
    const id = await makePlan();
    const changed = await stage.request('PUT', `/payment_plans/${id}`, { recurring_amount_cents: 10_000 });
    assert.equal(changed.status, 200);
    assert.deepEqual(await stuckBySubject(db.sql, id), {});
    await dueOn(id, day('01-17'));
    assert.deepEqual(charged(), [10_000]);
  });

  it('keeps what was agreed of the others when a biller sets one amount of an edited plan', async () => {
    const id = await makePlan({ total_amount_cents: 5000 });
    await db.sql`update payment_plans set recurring_amount_cents = 10000 where id = ${id}`;
    await stage.request('PUT', `/payment_plans/${id}`, { total_amount_cents: 6000 });
    await assertPlanHeld(id, day('01-17'), 'its recurring amount is 100.00 AUD, but 10.00 AUD was agreed', asWritten);
    await stage.request('PUT', `/payment_plans/${id}`, { recurring_amount_cents: 2000 });
    await dueOn(id, day('01-17'));
    assert.deepEqual(charged(), [2000]);
  });

  it('does not collect for a closed plan that was made active again, and closes it again on command', async () => {
    const id = await makePlan();
    await stage.merchant.move(id, 'close');
    await db.sql`
      update payment_plans set state = 'active', state_reason = null, next_due_at = ${day('01-17')} where id = ${id}`;
    await assertPlanHeld(
      id,
      day('01-17'),
      'it is active, but it was closed, and a plan that has ended stays so',
      asWritten,
    );
    assert.match(
      await recalculate(id),
      /^Corrected:\n {2}state: active → closed\n(.*\n)*The plan is closed: nothing is charged\.$/,
    );
    assert.equal((await stage.merchant.getPlan(id)).state, 'closed');
    await dueOn(id, day('01-17'));
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('does not collect for a suspended plan that was made active while its reason was left', async () => {
    const id = await makePlan();
    await stage.merchant.move(id, 'suspend');
    await db.sql`update payment_plans set state = 'active', next_due_at = ${day('01-17')} where id = ${id}`;
    await assertPlanHeld(id, day('01-17'), 'it is active, but it was suspended (requested)', asWritten);
    assert.match(await recalculate(id), /^Corrected:\n {2}state: active → suspended\n/);
    await stage.merchant.move(id, 'resume');
    await dueOn(id, day('01-17'));
    assert.deepEqual(charged(), [1000]);
  });

  it('does not retry a payment whose slot has another amount', async () => {
    const id = await makePlan(declining);
    await db.sql`update payment_plan_slots set amount = 10000 where payment_plan_id = ${id}`;
    const why = 'payment 1 (slot 0) is of 100.00 AUD, but its payment of 10.00 AUD';
    await assertPlanHeld(
      id,
      day('01-11'),
      why,
      'a slot is paid exactly when its payment intent has succeeded, and has its amount',
    );
    await recalculate(id);
    await dueOn(id, day('01-11'));
    assert.deepEqual(charged(), [1000]);
  });

  /** An intent is named at once, breaks an invariant, and is not charged until its amount is what it was made with. */
  async function assertIntentHeld(intentId: string, charge: () => Promise<unknown>) {
    const { rows_broken: stuck } = await stuckBySubject(db.sql, intentId);
    assert.match(stuck?.why ?? '', /^its amount is 10000, it was made with 1000; but a payment intent has the amount/);
    assert.ok(stuck?.remedy.includes(`update payment_intents set amount = agreed_amount where id = '${intentId}'`));
    assert.deepEqual(await brokenRules(intentId), ['a payment intent has the amount that it was made with']);
    stage.ledger.requests.length = 0;
    await assert.rejects(charge(), /its amount is 100\.00 AUD, but it was made with 10\.00 AUD: the row was changed/);
    assert.deepEqual(stage.ledger.requests, [], 'the processor is not asked');
    await db.sql`update payment_intents set amount = agreed_amount where id = ${intentId}`;
  }

  it('does not retry a payment of a plan that was changed together with its slot', async () => {
    const id = await makePlan(declining);
    const [row] = await db.sql<{ id: string }[]>`
      update payment_intents set amount = 10000 where payment_plan_id = ${id} returning id`;
    await db.sql`update payment_plan_slots set amount = 10000 where payment_plan_id = ${id}`;
    await assertIntentHeld(row?.id ?? '', () => dueOn(id, day('01-11')));
    await recalculate(id);
    await dueOn(id, day('01-11'));
    assert.deepEqual(charged(), [1000]);
  });

  async function intent(more: object = {}) {
    const { payer } = await stage.merchant.payerOnClock(day('01-10'));
    const payment_method = await stage.merchant.card(payer.id);
    return stage.merchant.intent({ customer_id: payer.id, payment_method, amount: 1000, ...more });
  }

  it('does not charge a scheduled payment with another amount', async () => {
    const { id } = await intent({ scheduled_payment_date: '2027-01-17' });
    await db.sql`update payment_intents set amount = 10000 where id = ${id}`;
    await assertIntentHeld(id, () => stage.collectScheduled(id, day('01-17')));
    await stage.collectScheduled(id, day('01-17'));
    assert.equal((await stage.merchant.getIntent(id)).status, 'succeeded');
  });

  it('does not charge a payment with another amount for a request, which is refused', async () => {
    const { id } = await intent();
    await db.sql`update payment_intents set amount = 10000 where id = ${id}`;
    const confirm = () => stage.request('POST', `/payment_intents/${id}/confirm`, {});
    await assertIntentHeld(id, async () => {
      const { status, text, body } = await confirm();
      assert.equal(`${status} ${body.error.code}`, '422 invalid_state', text);
      throw new Error(body.error.message);
    });
    assert.equal((await confirm()).status, 200);
  });
});
