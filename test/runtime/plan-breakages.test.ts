import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { runScript } from '../../lab/run-program.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { temporalServer, testNamespace } from '../support/temporal.ts';

const hour = 3_600_000;
const today = () => realNow().toISOString().slice(0, 10);

/** Done by SQL or in Temporal, behind the back of the service. The constraints that refuse it are taken away. */
describe('a plan that is damaged is found within a minute, and freed by the command that `ops stuck` names', function () {
  this.timeout(120_000); // each run of the command line loads the program anew
  const service = useService({ isAlone: true });
  before('take the constraints away', async () => {
    await service.db.sql.unsafe(`
      alter table payment_plans drop constraint payment_plans_has_next_date,
        drop constraint payment_plans_next_date_of_calendar;
      alter table payment_intents drop constraint payment_intents_slot_fkey`);
  });

  const handleOf = (id: string) => service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', id));
  const nextAt = async (id: string) => (await handleOf(id).query(statusQuery)).nextAt;
  const about = async (id: string): Promise<Stuck[]> => {
    const reports = await lookForStuck(service.db.sql, service.sides, realNow());
    return reports.flatMap(({ found }) => found).filter(({ subject_id }) => subject_id === id);
  };
  const found = (id: string, kind: string) =>
    eventually(`${kind} is found`, async () => (await about(id)).find((stuck) => stuck.kind === kind), {
      timeoutMs: 60_000,
    });
  const isFree = (id: string) => eventually(`${id} is free`, async () => (await about(id)).length === 0);

  /** Runs the first command that a remedy names, with more arguments. */
  async function follow(remedy: string | undefined, ...more: string[]): Promise<string> {
    const command = /npm run --silent ops -- (\S+) (\S+)/.exec(remedy ?? '')?.slice(1);
    assert.ok(command, remedy);
    const { code, stdout, stderr } = await runScript('src/processes/cli/main.ts', ['ops', ...command, ...more], {
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
    });
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  }

  async function waitingPlan() {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    await eventually('its workflow waits', () => nextAt(plan.id).catch(() => null));
    return { merchant, id: plan.id };
  }

  it('its next date is null', async () => {
    const { id } = await waitingPlan();
    await service.db.sql`update payment_plans set next_due_at = null where id = ${id}`;
    const { why, remedy } = await found(id, 'plan_inconsistent');
    assert.equal(
      why,
      'its next date is missing: payment 1 (slot 0) falls due at 2099-01-01T00:00:00.000Z by its calendar',
    );
    const looked = await handleOf(id).executeUpdate<string, [null]>('recheck', { args: [null] });
    assert.match(looked, /^Read again: active; waits for its next date, which is missing: .* ops -- recalculate/);
    const stalled = await found(id, 'workflow_stalled');
    assert.match(stalled.why, /stalled: .*its next date is missing/);

    assert.match(
      await follow(remedy, '--dry-run'),
      /^Nothing was changed\. The correction would be:\n {2}next_due_at: none → /,
    );
    assert.match(
      await follow(remedy),
      /^Corrected:\n {2}next_due_at: none → 2099-01-01T00:00:00\.000Z\nNext: payment 1 /,
    );
    await isFree(id);
    assert.equal(await nextAt(id), Date.parse('2099-01-01T00:00:00Z'));
  });

  it('its next date is in the past, years before its calendar has one: nothing is charged', async () => {
    const { merchant, id } = await waitingPlan();
    const past = new Date(realNow().getTime() - hour);
    await service.db.sql`update payment_plans set next_due_at = ${past} where id = ${id}`;
    const { remedy } = await found(id, 'plan_inconsistent');
    await handleOf(id).executeUpdate('recheck', { args: [null] });
    const { why } = await found(id, 'workflow_stalled');
    assert.ok(
      why.includes(
        `its next date is ${past.toISOString()}, but payment 1 (slot 0) falls due at 2099-01-01T00:00:00.000Z by its ` +
          `calendar. Nothing is charged before that is corrected: npm run --silent ops -- recalculate ${id}.`,
      ),
      why,
    );
    assert.match(await follow(remedy), /charged at 2099-01-01T00:00:00\.000Z and not before/);
    await isFree(id);
    assert.equal(await nextAt(id), Date.parse('2099-01-01T00:00:00Z'));
    assert.deepEqual(await merchant.payments(id), []);
  });

  it('a slot between retries has lost its row: the retry waits until the slot has it back', async () => {
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: today(), metadata: { _sandbox_outcome: 'decline' } });
    const retryAt = await eventually(
      'it waits for the retry',
      async () => (await merchant.getPlan(id)).next_attempt_at,
    );
    await service.db.sql`delete from payment_plan_slots where payment_plan_id = ${id}`;
    const { why, remedy } = await found(id, 'plan_inconsistent');
    assert.match(why, /^it waits for a retry at .*; payment 1 \(slot 0\) has a payment, but its row is lost$/);
    // By its date, the retry is due now. Without its row it would be looked for again and again.
    const due = new Date(realNow().getTime() - 1000);
    await service.db.sql`update payment_plans set next_attempt_at = ${due} where id = ${id}`;
    await handleOf(id).signal('poke');
    assert.match((await found(id, 'workflow_stalled')).why, /but none of its payments is to be retried/);

    const text = await follow(remedy);
    assert.match(text, /slots\/0\/status: none → retrying/);
    await isFree(id);
    const [payment] = await merchant.payments(id);
    assert.deepEqual([payment?.status, payment?.attempts.length], ['retrying', 1]);
    assert.equal((await merchant.getPlan(id)).next_attempt_at, retryAt);
  });

  it('its amount is ten times what was agreed when it falls due: nothing is charged until it is set back', async () => {
    const { merchant, id } = await waitingPlan();
    await service.db.sql`
      update payment_plans
      set recurring_amount_cents = 10 * recurring_amount_cents, ${fallsDueAt(service.db.sql, realNow())}
      where id = ${id}`;
    const { why, remedy } = await found(id, 'plan_inconsistent');
    assert.equal(why, 'its recurring amount is 100.00 AUD, but 10.00 AUD was agreed');
    await handleOf(id).executeUpdate('recheck', { args: [null] });
    assert.match(
      (await found(id, 'workflow_stalled')).why,
      /stalled: .*but 10\.00 AUD was agreed\. Nothing is charged/,
    );
    assert.deepEqual(await merchant.payments(id), []);
    assert.match(await follow(remedy), /recurring_amount_cents: 10000 → 1000\n.*, charged at once\.\n$/);
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    assert.deepEqual(
      (await merchant.payments(id)).map(({ amount }) => amount),
      [1000],
    );
    await isFree(id);
  });

  it('it was closed, and is made active again on its clock: the advance collects nothing and says why', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const [{ next_due_at: dueAt } = {}] = await service.db
      .sql`select next_due_at from payment_plans where id = ${plan.id}`;
    await merchant.move(plan.id, 'close');
    await service.db.sql`
      update payment_plans set state = 'active', state_reason = null, next_due_at = ${dueAt} where id = ${plan.id}`;
    const { why, remedy } = await found(plan.id, 'plan_inconsistent');
    assert.equal(why, 'it is active, but it was closed, and a plan that has ended stays so');
    await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
    const { status } = await merchant.stopped(clock.id);
    assert.equal(status, 'failed');
    assert.match((await found(clock.id, 'clock_failed')).why, /it is active, but it was closed/);
    assert.deepEqual(await merchant.payments(plan.id), []);
    assert.match(await follow(remedy), /^Corrected:\n {2}state: active → closed\n/);
    assert.equal((await merchant.getPlan(plan.id)).state, 'closed');
    await isFree(plan.id);
  });

  it('its workflow is terminated: found before anything is due, and started again; not once the plan has ended', async () => {
    const { merchant, id } = await waitingPlan();
    const { id: ended } = await waitingPlan();
    await Promise.all([id, ended].map((plan) => handleOf(plan).terminate('by hand')));
    await service.db.sql`
      update payment_plans set state = 'closed', next_due_at = null where id = ${ended}`;
    const { why, remedy, since } = await found(id, 'workflow_ended');
    assert.equal(why, 'its workflow was terminated and does not run: nothing is done for it');
    assert.ok(since !== null && Date.parse(since) > realNow().getTime() - 60_000);
    assert.deepEqual(await about(ended), []);
    assert.match(await follow(remedy), /did not run: it is started/);
    await isFree(id);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, realNow())} where id = ${id}`;
    await handleOf(id).signal('poke');
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    await service.db.sql`update payment_plans set state = 'active', next_due_at = '2099-01-01' where id = ${ended}`;
  });
});
