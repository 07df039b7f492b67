import assert from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { type Ran, runScript } from '../../lab/run-program.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { signals } from '../../src/messages/signals.ts';
import { commands } from '../../src/messages/updates.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { startOver } from '../../src/operations/operator-commands.ts';
import type { VersionRow } from '../../src/operations/worker-versions.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { paymentLines } from '../support/merchant.ts';
import type { ServiceProcess } from '../support/process.ts';
import { type OwnService, useService } from '../support/service.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace, workflowBundle } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const frozen = '2027-01-04T00:00:00.000Z';
const afterWeeks = (weeks: number): string => new Date(Date.parse(frozen) + weeks * 7 * 86_400_000).toISOString();
const terms = { start_date: '2027-01-11' };
/** The lines of payments that were made week after week, each with one attempt. */
const paidWeekly = (weeks: number): string[] =>
  Array.from({ length: weeks }, (_, slot) => `${slot} paid ${afterWeeks(slot + 1)}`);

/** Workers of several versions for the tests of the calling `describe`, in a deployment of this service alone. */
function useVersions(service: OwnService) {
  const workers = new Map<string, ServiceProcess>();
  afterEach('end the workers', async () => {
    await Promise.all([...workers.values()].map((worker) => worker.end()));
    workers.clear();
  });

  /** The namespace is that of all tests, so the deployment has the name of the task queue. */
  const versionOf = (buildId: string) => ({ WORKER_DEPLOYMENT_NAME: service.taskQueue, WORKER_BUILD_ID: buildId });

  async function versions(...args: string[]): Promise<Ran> {
    return runScript('src/processes/cli/main.ts', ['versions', ...args], {
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
      ...versionOf('of-the-operator'),
    });
  }

  async function listed(): Promise<VersionRow[]> {
    const { stdout } = await versions('list', '--json');
    return JSON.parse(stdout).versions;
  }

  /** Starts a worker of this version, unless it runs, and makes it the current one. */
  async function rollOut(buildId: string): Promise<void> {
    if (!workers.has(buildId)) workers.set(buildId, await service.startWorkerProcess(versionOf(buildId)));
    const { stdout } = await eventually(`${buildId} becomes current`, async () => {
      const ran = await versions('set-current', buildId);
      return ran.code === 0 && ran;
    });
    assert.equal(stdout, `${buildId} is now the current version of ${service.taskQueue}.\n`);
  }

  /** Ends a worker in order. */
  async function end(buildId: string): Promise<void> {
    assert.equal(await workers.get(buildId)?.end(), 0);
    workers.delete(buildId);
  }

  const handleOf = (workflowId: string) => service.temporal.workflow.getHandle(workflowId);
  /** The version that the latest run of a workflow is on; null if it has none, or there is no such workflow yet. */
  async function buildOf(workflowId: string): Promise<string | null> {
    const described = await handleOf(workflowId)
      .describe()
      .catch(() => null);
    return described?.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
  }
  const isOn = (buildId: string, workflowId: string) =>
    eventually(`${workflowId} is on ${buildId}`, async () => (await buildOf(workflowId)) === buildId);

  return { workers, versions, listed, rollOut, end, handleOf, buildOf, isOn };
}

describe('Worker Versioning', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  const { versions, listed, rollOut, end, handleOf, buildOf, isOn } = useVersions(service);

  it('leaves a workflow on the version of its run, until it continues as new after its next payment, and back', async () => {
    await rollOut('a');
    const { merchant, clock, plan } = await service.planOnClock(frozen, terms);
    const later = await merchant.activePlan({ start_date: '2099-01-01' });
    const left = await merchant.activePlan({ start_date: '2099-01-01' });
    const [ofPlan, ofClock] = [workflowIdOf('paymentPlan', plan.id), workflowIdOf('testClock', clock.id)];
    const [ofLater, ofLeft] = [workflowIdOf('paymentPlan', later.id), workflowIdOf('paymentPlan', left.id)];
    for (const workflowId of [ofPlan, ofClock, ofLater, ofLeft]) await isOn('a', workflowId);
    await merchant.advance(clock.id, afterWeeks(2));
    const { runId } = await handleOf(ofPlan).describe();

    await rollOut('b');
    const young = await service.planOnClock(frozen, terms);
    await isOn('b', workflowIdOf('paymentPlan', young.plan.id));
    assert.equal((await handleOf(ofPlan).describe()).runId, runId, 'it waits in its run');
    assert.deepEqual([await buildOf(ofPlan), await buildOf(ofClock), await buildOf(ofLater)], ['a', 'a', 'a']);

    // Its time is skipped on a run that stays on its version.
    await merchant.advance(clock.id, afterWeeks(4));
    for (const workflowId of [ofPlan, ofClock]) await isOn('b', workflowId);
    // A plan that has no payment for long is moved by a signal.
    await handleOf(ofLater).signal(signals.startFreshRun);
    await isOn('b', ofLater);
    await eventually('one is left on a', async () => (await listed())[1]?.running === 1);
    await end('a');
    // One that is left on a version whose workers have gone has nothing that it remembers: it begins anew.
    await startOver({ sql: service.db.sql, sides: service.sides, by: { kind: 'command_line', id: 'test' } }, left.id);
    await isOn('b', ofLeft);
    const rows = await eventually('none is left on a', async () => {
      const all = await listed();
      return all[1]?.running === 0 && all;
    });
    assert.deepEqual(
      rows.map(({ build_id, running }) => [build_id, running]),
      [
        ['b', 6],
        ['a', 0],
        ['(without a version)', 0],
      ],
    );
    assert.equal(rows[0]?.status, 'current');
    await merchant.advance(clock.id, afterWeeks(6));
    await rollOut('a'); // back to the former version
    await merchant.advance(clock.id, afterWeeks(8));
    await isOn('a', ofPlan);
    await merchant.advance(clock.id, afterWeeks(10));
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), paidWeekly(10));
    // One run on each version, and each of them can be replayed.
    const builds: (string | undefined)[] = [];
    for (let run: string | null | undefined = runId; run; ) {
      const history = await service.temporal.workflow.getHandle(ofPlan, run).fetchHistory();
      await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history);
      const done = history.events?.findLast((event) => event.workflowTaskCompletedEventAttributes);
      builds.push(done?.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId ?? undefined);
      run = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    }
    assert.deepEqual(builds, ['a', 'b', 'a']);
  });

  it('moves a plan that is stalled at its next look, so that a version with the remedy reaches it', async () => {
    await rollOut('stalling');
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await isOn('stalling', workflowId);
    const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
    const due = new Date(realNow().getTime() - 60_000);
    await service.db
      .sql`update payment_plans set metadata = ${poison}, ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    await handleOf(workflowId).signal(signals.poke);
    await eventually('it is stalled', async () => (await handleOf(workflowId).query(statusQuery)).stalled);
    await rollOut('mended');
    await handleOf(workflowId).executeUpdate(commands.recheck, { args: [null] });
    await isOn('mended', workflowId);
    await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${plan.id}`;
    await handleOf(workflowId).executeUpdate(commands.recheck, { args: [null] });
    const payments = await eventually('it is paid', async () => {
      const all = await merchant.payments(plan.id);
      return all[0]?.status === 'paid' && all;
    });
    assert.deepEqual([payments.length, payments[0]?.attempts.length], [1, 1]);
  });

  it('makes no version current that has no workers: the command says so and ends with 1', async () => {
    const { code, stderr } = await versions('set-current', 'never-built');
    assert.equal(code, 1);
    assert.match(stderr, /^Temporal refuses to make never-built the current version of \S+ \(.+\)\. Start its workers/);
    const { code: misuse } = await versions('set-current');
    assert.equal(misuse, 2);
  });
});

describe('Worker Versioning that begins while workflows run', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true, live: true });
  const receiver = useReceiver();
  const { workers, listed, rollOut, end, buildOf, isOn } = useVersions(service);

  it('takes over the workflows without a version at their next step, with live charges and webhooks', async () => {
    workers.set('none', await service.startWorkerProcess());
    const { merchant, clock, plan } = await service.planOnClock(frozen, terms);
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, afterWeeks(1));
    assert.equal(await buildOf(workflowId), null);
    const count = await eventually('they are counted', async () => {
      const rest = (await listed()).at(-1);
      return rest?.running === 2 && rest;
    });
    assert.equal(count.build_id, '(without a version)');

    await rollOut('c');
    await end('none');
    await merchant.endpoint(receiver.url, ['payment_intent.succeeded']);
    await merchant.advance(clock.id, afterWeeks(3));
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), paidWeekly(3));
    await isOn('c', workflowId);
    const live = await service.liveMerchant();
    const { id } = await live.activePlan({ start_date: dateIn(withoutClock(realNow()), 'UTC') });
    await isOn('c', workflowIdOf('paymentPlan', id));
    await eventually('the live plan is paid', async () => (await live.payments(id))[0]?.status === 'paid');
    assert.deepEqual(
      (await live.payments(id)).map(({ status, attempts }) => [status, attempts.length]),
      [['paid', 1]],
    );
    await eventually('the webhooks of both payments are delivered', () => receiver.received.length === 2);
  });
});
