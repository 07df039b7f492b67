import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

describe('a test clock when parts of the service are away', () => {
  const service = useService({ isAlone: true });

  it('waits while no worker is there, and goes on when one is back', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await service.stopWorkers();
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    await eventually('Temporal has been told', async () => {
      const [row] = await service.db.sql`select count(*)::integer as left from workflow_intents`;
      return row?.left === 0;
    });
    assert.equal((await merchant.getClock(clock.id)).status, 'advancing');
    assert.deepEqual(await merchant.payments(plan.id), []);

    await service.startWorkers();
    const ready = await merchant.stopped(clock.id);
    assert.deepEqual([ready.status, ready.frozen_time], ['ready', '2027-01-12T00:00:00.000Z']);
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
  });

  it('charges nothing more when it is deleted in an advance that no worker has carried out', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await service.stopWorkers();
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    await merchant.deleteClock(clock.id);
    await service.startWorkers();
    for (const id of [workflowIdOf('paymentPlan', plan.id), workflowIdOf('testClock', clock.id)]) {
      const handle = service.temporal.workflow.getHandle(id);
      await eventually(`${id} has completed`, async () => (await handle.describe()).status.name === 'COMPLETED');
    }
    const types = (await merchant.events({ test_clock: clock.id })).map(({ event_type }) => event_type);
    assert.deepEqual(types, [
      'test_clock.created',
      'payment_plan.activated',
      'test_clock.advancing',
      'test_clock.deleted',
    ]);
  });

  it('collects at the right instants when a plan hears of its resumption only after the advance began', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      failure_behaviour: 'stop',
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    await merchant.advance(clock.id, '2027-01-08T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-20T06:00:00Z');
    await service.stopDispatcher();
    await merchant.move(plan.id, 'resume');
    const anHourLater = new Date(Date.now() + 3_600_000);
    await service.db.sql`update workflow_intents set available_at = ${anHourLater} where subject_id = ${plan.id}`;
    service.startDispatcher();
    await merchant.advance(clock.id, '2027-01-25T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z 2027-01-20T06:00:00.000Z',
      '1 skipped',
      '2 skipped',
    ]);
  });
});

describe('a test clock that is advanced while a payment is under way', () => {
  const service = useService({ isAlone: true });
  const anyLock = 7_001;

  it('is ready only when that payment, and the retry that follows from it, are done', async () => {
    const { sql } = service.db;
    await sql.unsafe(`
      create function wait_for_test() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${anyLock});
        return new;
      end $$;
      create trigger wait_for_test before update on payment_attempts for each row execute function wait_for_test()`);
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T06:00:00Z');
    const held = await sql.reserve();
    await held`select pg_advisory_lock(${anyLock})`;
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      start_date: '2027-01-04',
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    try {
      await eventually('it is under way', async () => (await merchant.payments(plan.id))[0]?.status === 'processing');
      await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
      const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
      await eventually('the advance has come to the plan, or is over', async () => {
        if ((await merchant.getClock(clock.id)).status !== 'advancing') return true;
        const { events } = await handle.fetchHistory();
        return events?.some(({ workflowExecutionOptionsUpdatedEventAttributes: changed }) => changed);
      });
      assert.equal((await merchant.getClock(clock.id)).status, 'advancing');
    } finally {
      await held`select pg_advisory_unlock(${anyLock})`;
      held.release();
    }
    assert.equal((await merchant.stopped(clock.id)).status, 'ready');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-04T06:00:00.000Z 2027-01-05T06:00:00.000Z',
    ]);
  });
});

describe('workflows that are disturbed from outside', () => {
  const service = useService({ isAlone: true });

  const terminate = (workflowId: string): Promise<unknown> =>
    eventually(`${workflowId} is terminated`, () =>
      service.temporal.workflow
        .getHandle(workflowId)
        .terminate('a slip of the hand')
        .then(
          () => true,
          () => false,
        ),
    );

  it('start anew when a plan’s was terminated and its clock advances, or the plan is resumed', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await terminate(workflowId);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await terminate(workflowId);
    await merchant.move(plan.id, 'suspend');
    await merchant.move(plan.id, 'resume');
    const handle = service.temporal.workflow.getHandle(workflowId);
    await eventually('it runs again', async () => (await handle.describe()).status.name === 'RUNNING');
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
  });

  it('wait, and do not fail, while their rows can neither be read nor written', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    await service.stopDispatcher();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-04' });
    // As when a worker is older or newer than the schema.
    await service.db.sql`alter table payment_plans rename column state_reason to renamed`;
    await service.db.sql`alter table clock_advances rename column failure_reason to renamed`;
    service.startDispatcher();
    const stallOf = async (workflowId: string): Promise<string> => {
      const handle = service.temporal.workflow.getHandle(workflowId);
      const status = await handle.query(statusQuery).catch(() => null);
      return status?.stalled?.reason ?? '';
    };
    const ofPlan = workflowIdOf('paymentPlan', plan.id);
    const ofClock = workflowIdOf('testClock', clock.id);
    await eventually('the plan is stalled', async () => /state_reason/.test(await stallOf(ofPlan)));
    await service.db.sql`alter table payment_plans rename column renamed to state_reason`;
    await service.temporal.workflow.getHandle(ofPlan).signal('recheck');
    await eventually('the plan goes on', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');

    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    await eventually('the clock is stalled', async () => /failure_reason/.test(await stallOf(ofClock)));
    assert.equal((await merchant.getClock(clock.id)).status, 'advancing');
    await service.db.sql`alter table clock_advances rename column renamed to failure_reason`;
    await service.temporal.workflow.getHandle(ofClock).signal('recheck');
    assert.equal((await merchant.stopped(clock.id)).status, 'ready');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-04T00:00:00.000Z',
      '1 paid 2027-01-11T00:00:00.000Z',
    ]);
  });
});

describe('a test clock with a plan that cannot be collected', () => {
  const service = useService({ isAlone: true });

  it('fails and says why, its neighbour is collected, and an operator can free the plan', async () => {
    const {
      merchant,
      clock,
      payer,
      plan: neighbour,
    } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const poisoned = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-05' });
    const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
    await service.db.sql`update payment_plans set metadata = ${poison} where id = ${poisoned.id}`;

    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    const failed = await merchant.stopped(clock.id);
    assert.equal(failed.status, 'failed');
    assert.equal(failed.frozen_time, '2027-01-04T00:00:00.000Z');
    assert.ok(failed.failure_reason?.includes(poisoned.id), failed.failure_reason ?? '');
    assert.match(failed.failure_reason ?? '', /payment 1 \(slot 0\), .*no such word/);
    const both = ['0 paid 2027-01-05T00:00:00.000Z', '1 paid 2027-01-12T00:00:00.000Z'];
    assert.deepEqual(paymentLines(await merchant.payments(neighbour.id)), both);
    const again = await merchant.request('POST', `/test_helpers/test_clocks/${clock.id}/advance`, {
      frozen_time: '2027-01-06T00:00:00Z',
    });
    assert.deepEqual([again.status, again.body.error.code], [422, 'invalid_state']);
    const ready = await merchant.events({ event_type: 'test_clock.ready' });
    assert.deepEqual(ready, []);

    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', poisoned.id));
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    assert.match(currentDetails, /\*\*Stalled:\*\* payment 1 \(slot 0\), .*no such word/);
    assert.match(currentDetails, /`recheck`/);

    await service.db.sql`update payment_plans set metadata = '{}' where id = ${poisoned.id}`;
    await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${poisoned.id}`;
    await handle.signal('recheck');
    await handle.signal('recheck');
    await eventually('the freed plan is where its neighbour is', async () => {
      return paymentLines(await merchant.payments(poisoned.id)).join() === both.join();
    });
  });
});

describe('a test clock whose worker is killed', () => {
  const service = useService({ idle: true });

  it('completes its advance with another worker, every payment made once', async function () {
    this.timeout(90_000);
    const plans = 40;
    const firstWorker = await service.startWorkerProcess();
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    const ids: string[] = [];
    for (let n = 0; n < plans; n++) {
      ids.push((await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-05' })).id);
    }
    const attempts = async (): Promise<number> => {
      const [row] = await service.db.sql`select count(*)::integer as made from payment_attempts`;
      return row?.made;
    };
    await merchant.beginAdvance(clock.id, '2027-01-18T00:00:00Z');
    await eventually('a third of it is done', async () => (await attempts()) >= (plans * 2) / 3, { everyMs: 2 });
    await firstWorker.end('SIGKILL');
    const before = await attempts();
    assert.ok(before < plans * 2, 'the worker was killed too late to prove anything');
    assert.equal((await merchant.getClock(clock.id)).status, 'advancing');

    await service.startWorkerProcess();
    const back = performance.now();
    const since = () => `${((performance.now() - back) / 1000).toFixed(1)} s`;
    await eventually('the first payment after it', async () => (await attempts()) > before, { timeoutMs: 40_000 });
    const firstPayment = since();
    const ready = await merchant.stopped(clock.id, 40_000);
    console.log(
      `      killed at ${before} of ${plans * 2}; worker back: payment after ${firstPayment}, ready after ${since()}`,
    );
    assert.equal(ready.status, 'ready');
    for (const id of ids) {
      assert.deepEqual(paymentLines(await merchant.payments(id)), [
        '0 paid 2027-01-05T00:00:00.000Z',
        '1 paid 2027-01-12T00:00:00.000Z',
      ]);
      assert.equal((await merchant.getPlan(id)).collected_amount_cents, 2000);
    }
    const manifests = await merchant.manifests(clock.id);
    assert.deepEqual(
      manifests.map((manifest) => [manifest.payment_intents_enqueued, manifest.plans_recalculated]),
      [[plans * 2, plans]],
    );
  });
});
