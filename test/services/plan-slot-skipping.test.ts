import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type Actor, listAudit } from '../../src/services/accounts/audit.ts';
import { CommandRefused } from '../../src/services/command-refused.ts';
import { retryPlanNow } from '../../src/services/plans/plan-operations.ts';
import { skipPlanSlot } from '../../src/services/plans/plan-slot-skipping.ts';
import { paymentLines } from '../support/merchant.ts';
import { refusal, useStage } from '../support/stage.ts';

const by: Actor = { kind: 'operator', id: 'ada' };

describe('a slot that an operator skips', () => {
  const stage = useStage();
  afterEach('every promise holds', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  const skip = (planId: string, slot: number): Promise<string> =>
    skipPlanSlot(stage.db.sql, planId, slot, { by, now: realNow() });
  /** Why a slot is not skipped. */
  const refused = (planId: string, slot: number): Promise<string> => whyRefused(skip(planId, slot));

  /** An active weekly plan on a clock, whose slot 0 came at 2027-01-05 and slot 1 comes at 2027-01-12. */
  async function planOf(outcomes: string, terms: Partial<Parameters<typeof stage.merchant.plan>[0]> = {}) {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-04T00:00:00Z');
    const metadata = { _sandbox_outcome: outcomes };
    const plan = await stage.merchant.activePlan({
      customer_id: payer.id,
      start_date: '2027-01-05',
      metadata,
      ...terms,
    });
    await stage.advance(clock.id, '2027-01-05T12:00:00Z');
    return { clock: clock.id, plan: plan.id };
  }

  it('stays failed, with its attempts, and its payment is canceled for good', async () => {
    const { clock, plan } = await planOf('decline');
    await skip(plan, 0);
    const [slot] = await stage.merchant.payments(plan);
    assert.ok(slot?.payment_intent_id);
    assert.deepEqual(paymentLines([slot]), ['0 failed 2027-01-05T00:00:00.000Z']);
    const intent = await stage.merchant.getIntent(slot.payment_intent_id);
    assert.equal(intent.status, 'canceled');
    const [event, ...others] = await stage.merchant.events({ event_type: 'payment_intent.canceled' });
    assert.deepEqual([event?.data.id, event?.created_at, others], [intent.id, '2027-01-05T12:00:00.000Z', []]);
    const path = `/payment_intents/${intent.id}/confirm`;
    refusal(await stage.request('POST', path, { payment_method: intent.payment_method_id }), 422, 'invalid_state');
    const { state, next_attempt_at, next_payment_date } = await stage.merchant.getPlan(plan);
    assert.deepEqual([state, next_attempt_at, next_payment_date], ['active', null, '2027-01-12']);
    await stage.advance(clock, '2027-01-11T00:00:00Z');
    assert.equal(stage.ledger.requests.length, 1, 'it was charged again');
  });

  it('is not tried again when the plan is resumed, though another unpaid one is', async () => {
    const { clock, plan } = await planOf('requires_action');
    assert.equal((await stage.merchant.getPlan(plan)).state, 'suspended');
    assert.match(await skip(plan, 0), /The plan stays suspended; none of its payments is unpaid\.$/);
    await stage.merchant.move(plan, 'resume');
    await stage.advance(clock, '2027-01-12T12:00:00Z');
    assert.equal((await stage.merchant.getPlan(plan)).state, 'suspended');
    await stage.merchant.move(plan, 'resume');
    await stage.collectAll(plan, '2027-01-12T12:00:00Z');
    assert.deepEqual(paymentLines(await stage.merchant.payments(plan)), [
      '0 failed 2027-01-05T00:00:00.000Z',
      '1 failed 2027-01-12T00:00:00.000Z 2027-01-12T12:00:00.000Z',
    ]);
  });

  it('is made up for by a slot at the end of a capped plan, also when the calendar had come to its end', async () => {
    const { clock, plan } = await planOf('decline', { total_amount_cents: 1000, recurring_amount_cents: 1000 });
    assert.equal((await stage.merchant.getPlan(plan)).next_payment_date, null);
    await skip(plan, 0);
    assert.equal((await stage.merchant.getPlan(plan)).next_payment_date, '2027-01-12');
    await stage.db.sql`update payment_plans set metadata = '{}' where id = ${plan}`;
    await stage.advance(clock, '2027-01-12T12:00:00Z');
    const { state, collected_amount_cents } = await stage.merchant.getPlan(plan);
    assert.deepEqual([state, collected_amount_cents], ['closed', 1000]);
  });

  it('is skipped without a trace of a payment when it is due and was never charged', async () => {
    const { plan } = await stage.merchant.planOnClock('2027-01-05T00:00:00Z', { start_date: '2027-01-05' });
    assert.match(
      await skip(plan.id, 0),
      /^Payment 1 \(slot 0\), due 2027-01-05, is skipped; it was never charged\. The calendar continues\.$/,
    );
    assert.match(
      await refused(plan.id, 0),
      /^Nothing to skip: payment 1 \(slot 0\), due 2027-01-05, was skipped before/,
    );
    assert.match(await refused(plan.id, 1), /^Nothing to skip: payment 2 \(slot 1\) has not come yet/);
    await stage.collectAll(plan.id, '2027-01-05T00:00:00Z');
    assert.equal(stage.ledger.requests.length, 0);
    assert.deepEqual(paymentLines(await stage.merchant.payments(plan.id)), ['0 skipped']);
    assert.equal((await stage.merchant.getPlan(plan.id)).next_payment_date, '2027-01-12');
  });

  it('is left alone while it is being charged, and can then be given up', async () => {
    const { clock, plan } = await planOf('decline');
    let answer = '';
    stage.ledger.beforeAnswer = async () => {
      answer = await refused(plan, 0);
    };
    await stage.merchant.beginAdvance(clock, '2027-01-06T00:00:00Z');
    stage.ledger.beforeAnswer = async () => {};
    assert.match(await refused(plan, 0), /^Nothing was done: Test clock clk_\w+ is advancing/);
    await stage.carryOut(clock);
    stage.ledger.beforeAnswer = async () => {
      answer = await refused(plan, 0);
    };
    const [slot] = await stage.merchant.payments(plan);
    const intent = await stage.merchant.getIntent(slot?.payment_intent_id ?? '');
    await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: intent.payment_method_id });
    assert.match(answer, /^Not skipped: payment 1 \(slot 0\), due 2027-01-05, is being charged, and may succeed/);
    assert.match(await skip(plan, 0), /^Payment 1 \(slot 0\), due 2027-01-05, is given up/);
  });

  it('is skipped once by two who press at the same time, and recorded once', async () => {
    const { plan } = await planOf('decline');
    const answers = await Promise.allSettled([skip(plan, 0), skip(plan, 0), skip(plan, 0)]);
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    const entries = (await listAudit(stage.db.sql, { limit: 100 })).filter(({ subject_id }) => subject_id === plan);
    assert.deepEqual(
      entries.map(({ action, actor, changes }) => [action, actor, changes]),
      [
        [
          'payment_plan.slot_skipped',
          by,
          {
            'slots/0/status': { from: 'retrying', to: 'given_up' },
            'slots/0/next_attempt_at': { from: '2027-01-06T00:00:00.000Z', to: null },
          },
        ],
      ],
    );
  });

  it('finds nothing on a plan that has ended or was deleted', async () => {
    const { clock, plan } = await planOf('decline');
    await stage.merchant.move(plan, 'close');
    assert.equal(await refused(plan, 0), 'Nothing to skip: the plan is closed.');
    assert.equal(
      await whyRefused(retryPlanNow(stage.db.sql, plan, { by, now: realNow() })),
      'Nothing to retry: the plan is closed.',
    );
    await stage.merchant.deleteClock(clock);
    assert.equal(await refused(plan, 0), 'Nothing was done: the plan was deleted.');
  });

  it('cannot be taken up again by a process that does not know of it', async () => {
    const { plan } = await planOf('decline');
    await skip(plan, 0);
    await stage.db.sql`
      update payment_plan_slots set status = 'retrying', next_attempt_at = now(), failures = 0, first_failed_at = null
      where payment_plan_id = ${plan} and status in ('retrying', 'failed')`;
    const [slot] = await stage.db.sql`select status from payment_plan_slots where payment_plan_id = ${plan}`;
    assert.equal(slot?.status, 'given_up');
  });
});

/** Why an operator command was refused. */
async function whyRefused(command: Promise<string>): Promise<string> {
  const error = await command.then(
    (result) => assert.fail(`it was executed: ${result}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CommandRefused, String(error));
  return error.message;
}
