import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { runScript } from '../../lab/run-program.ts';
import { newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { enableByOperator, replayByOperator } from '../../src/operations/endpoint-recovery.ts';
import { sendCommand, startOver } from '../../src/operations/operator-commands.ts';
import { startReconciliations } from '../../src/operations/reconciler/schedule.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentProcessor } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { backUp } from '../support/back-up.ts';
import { clockWithoutSignal } from '../support/clock-without-signal.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';
import { temporalServer, testLogger, testNamespace } from '../support/temporal.ts';
import { waitsForItsDate } from '../support/waiting-workflow.ts';
import { useReceiver } from '../support/webhooks.ts';

const hour = 3_600_000;
const day = 24 * hour;
const ago = (milliseconds: number) => addMs(realNow(), -milliseconds);
const today = () => realNow().toISOString().slice(0, 10);
const inAYear = ago(-365 * day)
  .toISOString()
  .slice(0, 10);

describe('what breaks is found by `ops stuck`, and freed by what it says', function () {
  this.timeout(120_000);
  let isDown = false;
  const faltering: PaymentProcessor = {
    ...sandboxProcessor,
    charge: (request, reference) => {
      if (isDown) throw new Error('the processor is down');
      return sandboxProcessor.charge(request, reference);
    },
  };
  const unknown = newId('payment_plan');
  const service = useService({ processors: { sandbox: faltering, live: null } });
  const receiver = useReceiver();
  const operations = () => ({ sql: service.db.sql, sides: service.sides, by: tester });

  async function look(now = realNow()): Promise<Stuck[]> {
    const reports = await lookForStuck(service.db.sql, service.sides, now);
    return reports.flatMap(({ found }) => found);
  }
  const about = async (subjectId: string | null) => (await look()).filter(({ subject_id }) => subject_id === subjectId);
  const kindsOf = async (subjectId: string) => (await about(subjectId)).map(({ kind }) => kind).sort();
  const isFree = (subjectId: string) =>
    eventually(`${subjectId} is free`, async () => (await kindsOf(subjectId)).length === 0);
  async function intentOf(planId: string): Promise<string> {
    const slot = async () => {
      const [row] = await service.db.sql<{ payment_intent_id: string }[]>`
        select payment_intent_id from payment_plan_slots where payment_plan_id = ${planId}`;
      return row?.payment_intent_id;
    };
    return eventually('the slot is open', slot);
  }
  const audited = async (subjectId: string) =>
    (await listAudit(service.db.sql, { limit: 100 }))
      .filter(({ subject_id }) => subject_id === subjectId)
      .map(({ action, actor }) => [action, actor.kind, actor.id]);

  it('finds nothing where nothing is broken', async () => {
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: today() });
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    assert.deepEqual(await look(), []);
    // Found by the last test: the server counts five tries, which take half a minute.
    const options = { taskQueue: service.taskQueue, workflowId: `payment-plan/${unknown}`, args: [] };
    await service.temporal.workflow.start('workflowOfAnotherVersion', options);
  });

  it('a processor that is down for an hour: the payment without an answer, and what its plan says', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    isDown = true;
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today() });
    const intentId = await intentOf(id);
    await service.db.sql`update payment_attempts set opened_at = ${ago(hour)} where payment_intent_id = ${intentId}`;
    const stuck = await eventually('its plan has stalled', async () => {
      const found = (await about(intentId)).find(({ kind }) => kind === 'payment_processing');
      return found?.why.includes('stalled') && found;
    });
    assert.match(stuck.why, /^attempt 1 \(plan\) has no outcome.*the processor is down/);
    assert.ok(
      stuck.remedy.includes(`npm run --silent ops -- recheck ${id}. If it never knows the outcome`),
      stuck.remedy,
    );
    await eventually('the plan itself is found', async () => (await kindsOf(id)).includes('workflow_stalled'));

    isDown = false;
    await sendCommand(operations(), id, { name: 'recheck' });
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    await Promise.all([isFree(intentId), isFree(id)]);
    assert.deepEqual(await audited(id), [['payment_plan.rechecked', tester.kind, tester.id]]);
  });

  it('a plan that cannot be collected: why it stalls, and that the others go on', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const poisoned = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await service.db.sql.unsafe(`
      create function poison() returns trigger language plpgsql as $$
      begin
        if new.payment_plan_id = '${poisoned.id}' then raise exception 'poison'; end if;
        return new;
      end $$;
      create trigger poison before insert on payment_plan_slots for each row execute function poison()`);
    await service.db
      .sql`update payment_plans set activated_at = ${ago(day)}, ${fallsDueAt(service.db.sql, ago(hour))} where id = ${poisoned.id}`;
    assert.match((await sendCommand(operations(), poisoned.id, { name: 'recheck' })) ?? '', /./);
    const stuck = await eventually('it has stalled', async () => {
      const found = (await about(poisoned.id)).find(({ kind }) => kind === 'plan_overdue');
      return found?.why.includes('stalled') && found;
    });
    assert.match(stuck.why, /^payment 1 \(slot 0\) is due and was not attempted; stalled: .*poison/);
    assert.ok(stuck.remedy.includes(`npm run --silent ops -- recheck ${poisoned.id} `), stuck.remedy);
    const healthy = await merchant.activePlan({ customer_id: payer.id, start_date: today() });
    await eventually('another is paid', async () => (await merchant.payments(healthy.id))[0]?.status === 'paid');

    await service.db.sql.unsafe('drop trigger poison on payment_plan_slots; drop function poison()');
    await sendCommand(operations(), poisoned.id, { name: 'recheck' });
    await eventually('it is paid', async () => (await merchant.payments(poisoned.id))[0]?.status === 'paid');
    await isFree(poisoned.id);
  });

  it('a worker that is missing: which task queues it does not poll, and the plans that wait for it', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    await service.stopWorkers();
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await service.db
      .sql`update payment_plans set activated_at = ${ago(day)}, ${fallsDueAt(service.db.sql, ago(hour))} where id = ${id}`;
    const missing = (await look(ago(-2 * 60_000))).filter(({ kind }) => kind === 'worker_missing');
    const queues = [service.taskQueue, `${service.taskQueue}-webhooks`];
    assert.equal(missing.length, queues.length);
    for (const [index, { since, why, remedy }] of missing.entries()) {
      assert.ok(
        why.startsWith(`no worker polls the task queue ${queues[index]}, the last one was ${process.pid}@`),
        why,
      );
      assert.ok(why.endsWith(': it has ended, or it hangs'), why);
      assert.ok(since !== null && Date.parse(since) > ago(5 * 60_000).getTime());
      assert.match(
        remedy,
        new RegExp(`^If process ${process.pid}@\\S+ is gone, .*npm run worker.*it hangs: end it with kill -9`),
      );
    }
    assert.ok((await kindsOf(id)).includes('plan_overdue'));

    await service.startWorkers();
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    await isFree(id);
    assert.equal((await look()).filter(({ kind }) => kind === 'worker_missing').length, 0);
  });

  it('a receiver that is dead for days: disabled with what it has missed, and sent that when it is enabled', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it has failed', async () => (await merchant.delivery(id)).attempts.length === 1);
    await sql`update webhook_endpoints set failing_since = ${ago(2 * day)} where id = ${endpoint.id}`;
    const [failing] = await about(endpoint.id);
    assert.equal(failing?.kind, 'endpoint_failing');
    assert.match(
      failing.why,
      /^1 waiting: to http:\/\/127\.0\.0\.1:\d+; the last attempt, at \S+Z: status 500; the next /,
    );

    await sql`update webhook_endpoints set failing_since = ${ago(6 * day)} where id = ${endpoint.id}`;
    assert.match((await sendCommand(operations(), id, { name: 'retryNow' })) ?? '', /./);
    await eventually('it is disabled', async () => (await merchant.getEndpoint(endpoint.id)).status === 'disabled');
    const [disabled] = await about(endpoint.id);
    assert.ok(disabled?.remedy.includes(`npm run --silent ops -- enable-endpoint ${endpoint.id}`), disabled?.remedy);
    await assert.rejects(replayByOperator(sql, endpoint.id, { by: tester, now: realNow() }), /enable it first/);

    receiver.reset();
    const sent = await enableByOperator(sql, endpoint.id, { by: tester, now: realNow() });
    assert.deepEqual(sent, { deliveries: 2, hasMore: false }, 'the ping, and the word that it was disabled');
    await eventually('it is delivered', async () => (await merchant.delivery(id)).status === 'delivered');
    await isFree(endpoint.id);
    assert.equal(await enableByOperator(sql, endpoint.id, { by: tester, now: realNow() }), null, 'safe to send twice');
    assert.deepEqual(
      (await audited(endpoint.id)).slice(0, 2).map(([action]) => action),
      ['webhook_endpoint.replayed', 'webhook_endpoint.updated'],
    );
  });

  it('refuses to enable what its biller has disabled', async () => {
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    await merchant.request('PUT', `/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    const enabling = enableByOperator(service.db.sql, endpoint.id, { by: tester, now: realNow() });
    await assert.rejects(enabling, /disabled by its biller/);
  });

  it('a clock that stays advancing: what it still has to do, and ready when the advance is resumed', async () => {
    const { sql } = service.db;
    const { merchant, clock, plan } = await clockWithoutSignal(service);
    await sql`update clock_advances set requested_at = ${ago(hour)} where test_clock_id = ${clock.id}`;
    const [stuck] = await about(clock.id);
    assert.equal(stuck?.kind, 'advance_slow');
    assert.equal(stuck.why, `on its way to 2027-01-06T00:00:00.000Z: still to collect: 1, such as ${plan.id}`);
    assert.ok(stuck.remedy.startsWith(`npm run --silent ops -- retry-advance ${clock.id} `));

    await sendCommand(operations(), clock.id, { name: 'retryAdvance' });
    assert.equal((await merchant.stopped(clock.id)).status, 'ready');
    await isFree(clock.id);
    await assert.rejects(
      sendCommand(operations(), clock.id, { name: 'retryAdvance' }),
      /Nothing to advance: the clock is ready/,
      'safe to send twice',
    );
  });

  it('a database that was restored from yesterday: the comparison that is late, and what it then repairs', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const kept = await merchant.activePlan({ start_date: inAYear });
    await sql`
      insert into reconciliations (started_at, finished_at, missing, orphaned, stale, examples)
      values (${ago(day)}, ${ago(day)}, 0, 0, 0, '{}')`;
    await eventually('the outbox is empty', async () => (await sql`select 1 from workflow_intents`).length === 0);
    const yesterday = await backUp(service.db);
    try {
      await merchant.move(kept.id, 'close');
      await eventually('its workflow has ended', async () => {
        const handle = service.temporal.workflow.getHandle(`payment-plan/${kept.id}`);
        return (await handle.describe()).status.name === 'COMPLETED';
      });
      await yesterday.restore();
    } finally {
      await yesterday.discard();
    }
    const late = await eventually('PostgreSQL answers again', () => look().catch(() => null));
    assert.deepEqual(
      late.filter(({ kind }) => kind === 'comparison_late').map(({ remedy }) => remedy),
      ['Start a worker: npm run worker; or compare once: npm run --silent reconcile.'],
    );

    const comparing = startReconciliations(sql, service.sides, testLogger());
    const differ = await eventually(
      'it has compared',
      async () => (await look()).find(({ kind }) => kind === 'workflows_differ'),
      { timeoutMs: 60_000 },
    );
    await comparing.close();
    assert.match(differ.why, /^[1-9]\d* missing/);
    assert.equal(
      (await look()).some(({ kind }) => kind === 'comparison_late'),
      false,
    );
    await eventually('the plan has its workflow again', async () => {
      const handle = service.temporal.workflow.getHandle(`payment-plan/${kept.id}`);
      return (await handle.describe()).status.name === 'RUNNING';
    });
    assert.match(differ.remedy, /to compare now: npm run --silent reconcile\.$/);
    const env = {
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
    };
    const compare = () => runScript('src/processes/cli/main.ts', ['reconcile'], env);
    await eventually('a comparison by hand finds nothing', async () => (await compare()).stdout.includes('agree'));
    assert.equal(
      (await look()).some(({ kind }) => kind === 'workflows_differ'),
      false,
      'the comparison by hand counts',
    );
  });

  it('starts a workflow over, which goes on from PostgreSQL, and says so in the audit log', async () => {
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: inAYear });
    const handle = service.temporal.workflow.getHandle(`payment-plan/${id}`);
    const { runId } = await eventually('it runs', () => handle.describe().catch(() => null));
    assert.match(await startOver(operations(), id), /was ended, and is started again/);
    await eventually('another run', async () => {
      const now = await handle.describe();
      return now.status.name === 'RUNNING' && now.runId !== runId;
    });
    await merchant.move(id, 'close');
    await eventually('it has ended', async () => (await handle.describe()).status.name === 'COMPLETED');
    await assert.rejects(startOver(operations(), id), /There is nothing to do/);
    assert.equal(await sendCommand(operations(), id, { name: 'recheck' }), null);
    assert.deepEqual(await audited(id), [['workflow.started_over', tester.kind, tester.id]]);
  });

  it('starts a workflow that Temporal has lost when a command is sent to it', async () => {
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: inAYear });
    await waitsForItsDate(service.temporal, `payment-plan/${id}`);
    await service.temporal.workflow.getHandle(`payment-plan/${id}`).terminate();
    await service.db
      .sql`update payment_plans set activated_at = ${ago(day)}, ${fallsDueAt(service.db.sql, ago(hour))} where id = ${id}`;
    assert.match((await about(id))[0]?.why ?? '', /its workflow does not run: recheck starts it again/);
    assert.match((await sendCommand(operations(), id, { name: 'recheck' })) ?? '', /did not run: it is started/);
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
  });

  it('a workflow whose code fails: why it fails, and free once it is started over from PostgreSQL', async () => {
    const [stuck] = await eventually(
      'the server has seen it fail five times',
      async () => {
        const found = await about(unknown);
        return found.length > 0 && found;
      },
      { timeoutMs: 90_000, everyMs: 500 },
    );
    assert.deepEqual([stuck?.kind, stuck?.workflow_id], ['workflow_task_failing', `payment-plan/${unknown}`]);
    assert.match(stuck?.why ?? '', /^its code fails: .*WorkflowWorkerUnhandledFailure.*; .*workflowOfAnotherVersion/s);
    assert.ok(stuck?.remedy.includes(`npm run --silent ops -- start-over ${unknown}`), stuck?.remedy);
    assert.match(await startOver(operations(), unknown), /was ended: there is nothing for it to do/);
    await isFree(unknown);
  });
});
