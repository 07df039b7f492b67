import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { addMs } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { CommandRefused } from '../../src/services/command-refused.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { retryPlanNow } from '../../src/services/plans/plan-operations.ts';
import { type OverdueChoice, recalculatePlan } from '../../src/services/plans/plan-recalculation.ts';
import { tester } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

const day = (date: string) => `2027-${date}T00:00:00.000Z`;
const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** What the constraints of the database refuse is done here without them: the other nets have to hold on their own. */
describe('a plan whose rows do not agree', () => {
  const stage = useStage({ isDamaged: true });
  const origin = () => ({ by: tester, now: realNow() });

  before('take the constraints away', async () => {
    await stage.db.sql.unsafe(`
      alter table payment_plans drop constraint payment_plans_has_next_date,
        drop constraint payment_plans_next_date_of_calendar;
      alter table payment_intents drop constraint payment_intents_slot_fkey`);
  });
  afterEach('nothing is left of the damage', async () => {
    assert.deepEqual(await findViolations(stage.db.sql), []);
    assert.deepEqual(await stuckOf(), undefined);
  });

  let planId = '';
  let clockId = '';
  /** A weekly plan of 10.00 AUD on a clock, whose first payment, due on 10 January, is collected. */
  async function makePlan(terms: { total_amount_cents?: number; metadata?: Record<string, string> } = {}) {
    const made = await stage.merchant.planOnClock(day('01-10'), { start_date: '2027-01-10', ...terms });
    [planId, clockId] = [made.plan.id, made.clock.id];
    await stage.collect(planId, day('01-10'));
    return planId;
  }
  const damage = (statement: string) => stage.db.sql.unsafe(statement.replaceAll('PLAN', `'${planId}'`));
  const stuckOf = async () => (await stuckBySubject(stage.db.sql, planId)).plan_inconsistent;
  const recalculate = (overdue: OverdueChoice = null, isDryRun = false) =>
    recalculatePlan(stage.db.sql, planId, { isDryRun, overdue }, origin());
  const taken = () => stage.ledger.taken.size;
  async function planRow() {
    const [row] = await stage.db.sql`select * from payment_plans where id = ${planId}`;
    return row ?? assert.fail('no plan');
  }
  const slotRows = async () => [
    ...(await stage.db.sql`select * from payment_plan_slots where payment_plan_id = ${planId} order by slot`),
  ];
  const refusal = async (command: Promise<string>): Promise<string> => {
    const error = await command.then(
      (text) => assert.fail(`it was carried out: ${text}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof CommandRefused, String(error));
    return error.message;
  };

  /** The three nets: what is stuck, the invariants, and a charge, which takes nothing and says why. */
  async function assertFound(why: RegExp, at: string, { charge = why } = {}) {
    const stuck = await stuckOf();
    assert.match(stuck?.why ?? '', why);
    assert.ok(stuck?.remedy.startsWith(`npm run --silent ops -- recalculate ${planId} `), stuck?.remedy);
    assert.equal(stuck?.workflow_id, `payment-plan/${planId}`);
    const violations = (await findViolations(stage.db.sql)).filter(({ id }) => id === planId);
    assert.ok(violations.length > 0, 'the invariants do not hold');
    for (const { remedy } of violations) assert.ok(remedy.includes(`ops -- recalculate ${planId} `), remedy);
    const before = taken();
    await assert.rejects(stage.collect(planId, at), (error: Error) => {
      assert.match(error.message, charge);
      assert.ok(error.message.endsWith(`npm run --silent ops -- recalculate ${planId}.`), error.message);
      return true;
    });
    assert.equal(taken(), before, 'nothing is charged');
  }

  it('is found without a next date, and collects by its calendar once that is recalculated', async () => {
    await makePlan();
    await damage('update payment_plans set next_due_at = null where id = PLAN');
    const missing =
      /^its next date is missing: payment 2 \(slot 1\) falls due at 2027-01-17T00:00:00.000Z by its calendar/;
    await assertFound(missing, day('01-10'));
    assert.equal(
      await recalculate(null, true),
      'Nothing was changed. The correction would be:\n' +
        '  next_due_at: none → 2027-01-17T00:00:00.000Z\n' +
        'Next: payment 2 (slot 1) of 10.00 AUD, charged at 2027-01-17T00:00:00.000Z and not before.',
    );
    assert.equal((await planRow()).next_due_at, null);
    assert.match(await recalculate(), /^Corrected:\n {2}next_due_at: none → 2027-01-17T00:00:00.000Z\n/);
    const [entry] = await listAudit(stage.db.sql, { limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.subject_id, entry?.actor, entry?.changes],
      ['payment_plan.recalculated', planId, tester, { next_due_at: { from: null, to: day('01-17') } }],
    );
    assert.equal(taken(), 1, 'the command charges nothing');
    const woken = await stage.db.sql`select 1 from workflow_intents where subject_id = ${planId} and signal = 'poke'`;
    assert.ok(woken.length > 0, 'its workflow reads the database again');
    await stage.collectAll(planId, day('01-17'));
    assert.deepEqual(
      (await stage.merchant.payments(planId)).map(({ slot, due_date, status }) => [slot, due_date, status]),
      [
        [0, '2027-01-10', 'paid'],
        [1, '2027-01-17', 'paid'],
      ],
    );
    assert.match(await refusal(recalculate()), /^Nothing to correct/);
  });

  it('charges nothing by a next date that its calendar does not give, in the past or years ahead', async () => {
    await makePlan();
    for (const date of ['2027-01-10T00:00:00Z', '2026-12-17T00:00:00Z', '2099-01-17T00:00:00Z']) {
      await damage(`update payment_plans set next_due_at = '${date}' where id = PLAN`);
      const wrong = `its next date is ${iso(new Date(date))}, but payment 2 \\(slot 1\\) falls due at ${day('01-17')}`;
      await assertFound(new RegExp(`^${wrong}`), day('01-10'));
      await recalculate();
      assert.equal(iso((await planRow()).next_due_at), day('01-17'));
    }
  });

  it('is found in real time too, and with a total: what is left of it says whether a date is missing', async () => {
    const { merchant, db } = stage;
    planId = (await merchant.activePlan({ start_date: '2099-01-01', total_amount_cents: 1500 })).id;
    await db.sql`update payment_plans set ${fallsDueAt(db.sql, realNow())} where id = ${planId}`;
    await stage.collect(planId, realNow());
    await damage(`update payment_plans set next_due_at = now() - interval '1 hour' where id = PLAN`);
    await assertFound(/^its next date is .*, but payment 2 \(slot 1\) falls due at /, iso(realNow()) ?? '');
    await damage('update payment_plans set next_due_at = null where id = PLAN');
    await assertFound(/^its next date is missing/, iso(realNow()) ?? '');
    assert.match(await recalculate(), /Next: payment 2 \(slot 1\) of 5\.00 AUD, charged at .* and not before\.$/);
  });

  it('charges an overdue payment at once, or skips it, only if the operator says which', async () => {
    for (const choice of ['charge', 'skip'] as const) {
      await makePlan();
      await damage('update payment_plans set next_due_at = null where id = PLAN');
      await stage.advance(clockId, day('01-24'));
      await stage.advance(clockId, day('02-02'));
      const question =
        /payment 2 \(slot 1\) of 10\.00 AUD is overdue since 2027-01-17T00:00:00\.000Z, and 2 more after it\. Add --overdue charge/i;
      assert.match(await refusal(recalculate()), question);
      assert.match(await recalculate(null, true), question);
      assert.equal((await planRow()).next_due_at, null);
      const text = await recalculate(choice);
      assert.equal(taken(), 1, 'the command charges nothing');
      await stage.collectAll(planId, day('02-02'));
      const statuses = (await stage.merchant.payments(planId)).map(({ status }) => status);
      assert.equal(iso((await planRow()).next_due_at), day('02-07'));
      if (choice === 'charge') {
        assert.match(text, /Next: payment 2 \(slot 1\) of 10\.00 AUD, charged at once\.$/);
        assert.deepEqual(statuses, ['paid', 'paid', 'paid', 'paid']);
      } else {
        assert.match(
          text,
          /Next: payment 5 \(slot 4\) of 10\.00 AUD, charged at 2027-02-07T00:00:00\.000Z and not before/,
        );
        assert.deepEqual(statuses, ['paid', 'skipped', 'skipped', 'skipped']);
      }
      stage.ledger.reset();
    }
  });

  it('retries by no date that dunning does not give', async () => {
    await makePlan({ metadata: { _sandbox_outcome: 'decline' } });
    for (const date of [day('01-09'), day('01-10'), day('01-14')]) {
      await damage(`
        update payment_plan_slots set next_attempt_at = '${date}' where payment_plan_id = PLAN;
        update payment_plans set next_attempt_at = '${date}' where id = PLAN`);
      const wrong = `the retry of payment 1 \\(slot 0\\) is set to ${date}, but dunning gives ${day('01-11')}`;
      await assertFound(new RegExp(`^${wrong}`), day('01-10'));
      assert.match(await recalculate(), /Next: the retry of payment 1 \(slot 0\) of 10\.00 AUD, charged at 2027-01-11/);
      assert.equal(iso((await planRow()).next_attempt_at), day('01-11'));
    }
    await damage(`update payment_plans set next_attempt_at = null where id = PLAN`);
    await assertFound(/^it waits for no retry, but its earliest retry is at 2027-01-11/, day('01-10'));
    await recalculate();
    await stage.advance(clockId, day('01-12'));
    assert.equal(stage.ledger.requests.length, 2);
  });

  it('retries what an operator has brought forward: the audit log has the date', async () => {
    await makePlan({ metadata: { _sandbox_outcome: 'decline,succeed' } });
    await stage.db.sql`
      update payment_attempts set opened_at = opened_at - interval '5 minutes', settled_at = settled_at - interval '5 minutes'`;
    await retryPlanNow(stage.db.sql, planId, origin());
    assert.equal(iso((await planRow()).next_attempt_at), day('01-10'));
    assert.equal(await stuckOf(), undefined);
    assert.deepEqual(await findViolations(stage.db.sql), []);
    await stage.collect(planId, day('01-10'));
    assert.deepEqual([stage.ledger.requests.length, taken()], [2, 1]);
  });

  it('gets the row of a paid slot back, and charges the slot no second time', async () => {
    await makePlan();
    const before = await slotRows();
    await damage('delete from payment_plan_slots where payment_plan_id = PLAN');
    const broken = (await findViolations(stage.db.sql)).filter(({ id }) => id === planId);
    assert.deepEqual(
      broken.map(({ invariant }) => invariant),
      [
        'a slot of a plan has one payment intent, and no other slot has it',
        'every slot that has come has a row, and none that has not',
      ],
    );
    for (const { remedy } of broken) assert.ok(remedy.includes(`ops -- recalculate ${planId} `), remedy);
    assert.match(await recalculate(), /slots\/0\/status: none → paid/);
    assert.deepEqual(await slotRows(), before);
    await stage.advance(clockId, day('01-12'));
    assert.equal(taken(), 1);
  });

  it('gets the row of a slot between retries back, and its retries begin anew with the last failure', async () => {
    await makePlan({ metadata: { _sandbox_outcome: 'decline' } });
    const before = await slotRows();
    await damage('delete from payment_plan_slots where payment_plan_id = PLAN');
    const found = /it waits for a retry at 2027-01-11T00:00:00\.000Z, but none of its payments is to be retried/;
    await assertFound(found, day('01-11'));
    assert.match((await stuckOf())?.why ?? '', /payment 1 \(slot 0\) has a payment, but its row is lost$/);
    await recalculate();
    assert.deepEqual(await slotRows(), before);
  });

  it('records no outcome of a charge under way while its slot has lost its row, and does so once the row is back', async () => {
    await makePlan();
    stage.ledger.beforeAnswer = () => Promise.reject(new Error('the worker dies'));
    await stage.merchant.beginAdvance(clockId, day('01-18'));
    await assert.rejects(stage.collect(planId, day('01-17')), /the worker dies/);
    stage.ledger.beforeAnswer = async () => {};
    const before = await slotRows();
    const [{ id: attemptId }] = (await stage.db.sql`select id from payment_attempts where outcome = 'processing'`) as [
      { id: string },
    ];
    await damage('delete from payment_plan_slots where payment_plan_id = PLAN and slot = 1');
    assert.match((await stuckOf())?.why ?? '', /^payment 2 \(slot 1\) has a payment, but its row is lost$/);
    const later = addMs(realNow(), 120_000);
    const recovering = recoverCharges(stage.db.sql, stage.charging, later);
    await assert.rejects(recovering, ({ errors: [error] }: AggregateError) => {
      assert.match(
        error.message,
        new RegExp(`has no row, so no outcome is recorded.* ops -- recalculate ${planId}\\.$`),
      );
      return true;
    });
    const [attempt] = await stage.db.sql`select outcome from payment_attempts where id = ${attemptId}`;
    assert.equal(attempt?.outcome, 'processing');

    assert.match(await refusal(recalculate()), /is advancing/);
    await stage.db.sql`update test_clocks set status = 'ready', target_time = null where id = ${clockId}`;
    await recalculate();
    assert.deepEqual(await slotRows(), before);
    await stage.db.sql`
      update test_clocks set status = 'advancing', target_time = ${day('01-18')} where id = ${clockId}`;
    await stage.carryOut(clockId);
    assert.deepEqual(
      (await stage.merchant.payments(planId)).map(({ status }) => status),
      ['paid', 'paid'],
    );
    assert.equal(taken(), 2, 'asked again under the same key');
  });

  it('charges no paid payment again, though its slot says that it is to be retried', async () => {
    await makePlan();
    await damage(`
      update payment_plan_slots set status = 'retrying', next_attempt_at = '${day('01-10')}' where payment_plan_id = PLAN;
      update payment_plans set next_attempt_at = '${day('01-10')}' where id = PLAN`);
    await assert.rejects(
      stage.collect(planId, day('01-10')),
      /the retry of payment 1 \(slot 0\) is due, but its payment pi_\w+ is succeeded/,
    );
    assert.equal(stage.ledger.requests.length, 1);
    const found = await findViolations(stage.db.sql);
    assert.ok(found.some(({ invariant }) => invariant.startsWith('a slot is paid exactly when')));
    await recalculate();
    assert.deepEqual(
      (await stage.merchant.payments(planId)).map(({ status }) => status),
      ['paid'],
    );
  });

  it('gets its next slot and what it has collected from its payments', async () => {
    await makePlan();
    await damage(
      'update payment_plans set next_slot = 0, next_due_at = start_date, collected_amount_cents = 0 where id = PLAN',
    );
    await assert.rejects(stage.collect(planId, day('01-10')), /payment_intents_of_plan/);
    assert.equal(taken(), 1, 'a slot has one payment, ever');
    await recalculate();
    const { next_slot, next_due_at, collected_amount_cents } = await planRow();
    assert.deepEqual([next_slot, iso(next_due_at), collected_amount_cents], [1, day('01-17'), 1000]);
  });

  it('is not corrected where only its biller can decide: it has collected its total, or does not exist', async () => {
    await makePlan({ total_amount_cents: 2000 });
    await damage('update payment_plans set total_amount_cents = 1000, agreed_total_cents = 1000 where id = PLAN');
    assert.match(
      await refusal(recalculate()),
      /10\.00 AUD of a total of 10\.00 AUD are collected\. Have its biller close/,
    );
    await damage('update payment_plans set total_amount_cents = 2000, agreed_total_cents = 2000 where id = PLAN');
    const { id: other } = await stage.merchant.customer();
    const asked = recalculatePlan(stage.db.sql, other, { isDryRun: false, overdue: null }, origin());
    await assert.rejects(asked, /No such payment plan/);
    await stage.merchant.deleteClock(clockId);
    assert.equal(await refusal(recalculate()), 'Nothing was done: the plan was deleted.');
  });
});
