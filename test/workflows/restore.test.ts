import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { after, afterEach, beforeEach, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type RunningTemporal, startTemporal } from '../../dev/temporal.ts';
import { letRetryFallDue } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { webhookTaskQueue } from '../../src/messages/task-queues.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import type { Mismatch } from '../../src/operations/reconciler/mismatches.ts';
import { findMismatches } from '../../src/operations/reconciler/reconciler.ts';
import { repair } from '../../src/operations/reconciler/repair.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type BackUp, backUp } from '../support/back-up.ts';
import { atEndOfRun } from '../support/endings.ts';
import { type Merchant, paymentLines } from '../support/merchant.ts';
import { type Service, useService } from '../support/service.ts';
import { LedgerProcessor } from '../support/stage.ts';
import { prepareNamespace, serverStartTimeoutMs } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const today = dateIn(withoutClock(realNow()), 'UTC');

/** A plan on a clock of its own, weekly from 5 January, whose first payment was made on the 6th. */
async function planOnAClock(merchant: Merchant) {
  const { clock, payer, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
  await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
  return { clock: clock.id, payer: payer.id, plan: plan.id };
}

const find = (service: Service): Promise<Mismatch[]> => findMismatches(service.db.sql, service.sides[0]);

/** Compares and mends until both agree; answers what was wrong at first. */
async function reconcile(service: Service): Promise<string[]> {
  const first = await find(service);
  await repair(service.db.sql, service.sides, first);
  await eventually('both agree', async () => (await find(service)).length === 0);
  return first.map(({ problem, workflowType, subjectId }) => `${problem} ${workflowType} ${subjectId}`).sort();
}

describe('a database restored from a back-up, beside a Temporal that has gone on', function () {
  this.timeout(90_000);
  const ledger = new LedgerProcessor();
  const receiver = useReceiver();
  const service = useService({ processors: { sandbox: ledger, live: null } });
  let taken: BackUp | undefined;

  beforeEach(() => ledger.reset());
  afterEach(() => taken?.discard());

  /** Once Temporal was told all that was staged, or the copy would tell it again. */
  async function takeBackUp(): Promise<void> {
    await eventually(
      'nothing is staged',
      async () => (await service.db.sql`select 1 from workflow_intents`).length === 0,
    );
    taken = await backUp(service.db);
  }
  /** Whether no workflow has anything to do, and Temporal lists each as it is: it hears of changes a little later. */
  async function isAtRest(): Promise<boolean> {
    const queues = [service.taskQueue, webhookTaskQueue(service.taskQueue)].map((name) => `'${name}'`);
    const query = `ExecutionStatus = 'Running' and TaskQueue in (${queues})`;
    for await (const { workflowId, searchAttributes } of service.temporal.workflow.list({ query })) {
      const now = await service.temporal.workflow.getHandle(workflowId).describe();
      const { pendingActivities, pendingWorkflowTask } = now.raw;
      if (now.status.name !== 'RUNNING' || pendingActivities?.length || pendingWorkflowTask) return false;
      if (!isDeepStrictEqual(now.searchAttributes, searchAttributes)) return false;
    }
    return true;
  }
  /**
   * With the service down, as one does it. A workflow that is stopped in the middle would go on on its own afterwards.
   */
  async function restore(): Promise<void> {
    await eventually('Temporal is at rest', isAtRest);
    await service.stopDispatcher();
    await service.stopWorkers();
    await taken?.restore();
    service.startDispatcher();
    await service.startWorkers();
  }

  it('sets plans and clock back, and repeats the lost advances at their own instants, charging nothing twice', async () => {
    const merchant = await service.merchant();
    const { clock, payer, plan } = await planOnAClock(merchant);
    await takeBackUp();
    await merchant.advance(clock, '2027-01-20T00:00:00Z');
    const lost = await merchant.activePlan({ customer_id: payer, start_date: '2027-02-01' });
    assert.equal(ledger.taken.size, 3);
    await restore();

    const asked = ledger.requests.length;
    assert.deepEqual(await reconcile(service), [`orphaned paymentPlan ${lost.id}`, `stale paymentPlan ${plan}`]);
    assert.equal((await merchant.getClock(clock)).frozen_time, '2027-01-06T00:00:00.000Z');
    assert.equal((await merchant.payments(plan)).length, 1);
    assert.equal(ledger.requests.length, asked, 'nothing is charged by a reconciliation');

    await merchant.advance(clock, '2027-01-13T00:00:00Z');
    await merchant.advance(clock, '2027-01-27T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
      '2 paid 2027-01-19T00:00:00.000Z',
      '3 paid 2027-01-26T00:00:00.000Z',
    ]);
    assert.deepEqual(
      (await merchant.manifests(clock)).map(({ payment_intents_enqueued }) => payment_intents_enqueued),
      [1, 1, 2],
    );
    assert.deepEqual([ledger.requests.length, ledger.taken.size], [6, 4]);
  });

  for (const { been, target, dates } of [
    { been: '2027-01-20T00:00:00Z', target: '2027-01-13T00:00:00Z', dates: ['2027-01-12'] },
    { been: '2027-01-13T00:00:00Z', target: '2027-01-20T00:00:00Z', dates: ['2027-01-12', '2027-01-19'] },
  ]) {
    it(`advances to ${target} plans that have been at ${been}, before a comparison`, async () => {
      const merchant = await service.merchant();
      const { clock, plan } = await planOnAClock(merchant);
      await takeBackUp();
      await merchant.advance(clock, been);
      await restore();
      await merchant.advance(clock, target);
      assert.deepEqual(
        paymentLines(await merchant.payments(plan)).slice(1),
        dates.map((date, index) => `${index + 1} paid ${date}T00:00:00.000Z`),
      );
      assert.equal(ledger.taken.size, 3);
    });
  }

  it('carries out an advance again that was open then, though Temporal knows its Update as done', async () => {
    const merchant = await service.merchant();
    const { clock, plan } = await planOnAClock(merchant);
    await service.stopWorkers();
    await merchant.beginAdvance(clock, '2027-01-13T00:00:00Z');
    await takeBackUp();
    await service.startWorkers();
    assert.equal((await merchant.stopped(clock)).status, 'ready');
    await merchant.advance(clock, '2027-01-20T00:00:00Z');
    await restore();

    assert.equal((await merchant.getClock(clock)).status, 'advancing');
    assert.ok((await reconcile(service)).includes(`stale testClock ${clock}`));
    assert.equal((await merchant.stopped(clock)).frozen_time, '2027-01-13T00:00:00.000Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
    await merchant.advance(clock, '2027-01-20T00:00:00Z');
    assert.deepEqual([ledger.requests.length, ledger.taken.size], [5, 3]);
  });

  it('asks for a lost payment of a live plan, and for a lost confirm, under the keys that the processor knows', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const payment_method = await merchant.card(payer.id);
    const intent = await merchant.intent({ customer_id: payer.id, payment_method });
    await service.stopWorkers();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: today });
    const isPaid = () =>
      eventually('the plan is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await takeBackUp();
    await service.startWorkers();
    await isPaid();
    await merchant.client.paymentIntents.confirm(intent.id, {});
    await restore();

    assert.equal((await merchant.getIntent(intent.id)).status, 'requires_payment_method');
    assert.deepEqual(await reconcile(service), [`stale paymentPlan ${plan.id}`]);
    await isPaid();
    assert.equal((await merchant.client.paymentIntents.confirm(intent.id, {})).status, 'succeeded');
    assert.deepEqual([ledger.requests.length, ledger.taken.size], [4, 2]);
  });

  it('finds a plan whose retry is open again, though its next date is the same', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      start_date: today,
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    const status = async () => (await merchant.payments(plan.id))[0]?.status;
    const retryNow = async (): Promise<void> => {
      await letRetryFallDue(service.db.sql, plan.id, 0, realNow());
      await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id)).signal('recheck');
      await eventually('it is paid', async () => (await status()) === 'paid');
    };
    await eventually('it has failed once', async () => (await status()) === 'retrying');
    await takeBackUp();
    await retryNow();
    await restore();
    assert.deepEqual(await reconcile(service), [`stale paymentPlan ${plan.id}`]);
    await retryNow();
    assert.deepEqual([ledger.requests.length, ledger.taken.size], [3, 1]);
  });

  it('delivers again, as the same event, what was delivered meanwhile', async () => {
    const merchant = await service.merchant();
    receiver.reset();
    // The next try on its own is an hour away, so that no slow copy or restore runs into it.
    receiver.answer = (_, response) => response.writeHead(500, { 'Retry-After': '3600' }).end();
    const endpoint = await merchant.endpoint(receiver.url);
    const ping = await merchant.ping(endpoint.id);
    const isDelivered = () =>
      eventually('it is delivered', async () => (await merchant.delivery(ping.id)).status === 'delivered');
    await eventually('it was refused', async () => (await merchant.delivery(ping.id)).attempts.length === 1);
    await takeBackUp();
    receiver.reset();
    await service.temporal.workflow.getHandle(workflowIdOf('webhookDelivery', ping.id)).signal('retryNow');
    await isDelivered();
    await restore();
    assert.equal((await merchant.delivery(ping.id)).status, 'pending');
    await service.db.sql`update webhook_deliveries set next_attempt_at = ${realNow()} where id = ${ping.id}`;
    assert.deepEqual(await reconcile(service), [`missing webhookDelivery ${ping.id}`]);
    await isDelivered();
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      [ping.event_id, ping.event_id],
    );
  });
});

describe('a Temporal restored from a back-up, beside a database that has gone on', function () {
  this.timeout(serverStartTimeoutMs);
  const ledger = new LedgerProcessor();
  let dataDir = '';
  let port = 0;
  let server: RunningTemporal | undefined;
  const start = async (): Promise<string> => {
    server = await startTemporal({ dataDir, frontendPort: port, uiPort: null, log: () => {} });
    await prepareNamespace(server.address);
    return server.address;
  };
  const service = useService({
    idle: true,
    processors: { sandbox: ledger, live: null },
    async temporal() {
      dataDir = await mkdtemp(join(tmpdir(), 'payments-temporal-'));
      [port = 0] = await findFreePorts(1);
      atEndOfRun(async () => server?.stop());
      return start();
    },
  });
  after('end the server', async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Does it to the files of the server while neither it nor the service runs. */
  async function meanwhile(work: () => Promise<void>): Promise<void> {
    await service.stopDispatcher();
    await service.stopWorkers();
    await server?.stop();
    await work();
    await start();
    service.startDispatcher();
    await service.startWorkers();
  }

  it('is mended from PostgreSQL: plans go on from where they are, what is over ends, and nothing is charged twice', async () => {
    service.startDispatcher();
    await service.startWorkers();
    const merchant = await service.merchant();
    const { clock, plan } = await planOnAClock(merchant);
    const payer = await merchant.payer();
    const closed = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    await eventually('both agree', async () => (await find(service)).length === 0);
    const files = join(dataDir, 'temporal');
    await meanwhile(() => cp(files, join(dataDir, 'copy'), { recursive: true }));
    await merchant.advance(clock, '2027-01-13T00:00:00Z');
    await merchant.move(closed.id, 'close');
    const made = await merchant.activePlan({ customer_id: payer.id, start_date: today });
    await eventually('it is paid', async () => (await merchant.payments(made.id))[0]?.status === 'paid');
    await meanwhile(async () => {
      await rm(files, { recursive: true });
      await cp(join(dataDir, 'copy'), files, { recursive: true });
    });

    const wrong = await reconcile(service);
    for (const mismatch of [
      `orphaned paymentPlan ${closed.id}`,
      `missing paymentPlan ${made.id}`,
      `stale paymentPlan ${plan}`,
    ]) {
      assert.ok(wrong.includes(mismatch), `${mismatch} is not among ${wrong.join(', ')}`);
    }
    await merchant.advance(clock, '2027-01-20T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
      '2 paid 2027-01-19T00:00:00.000Z',
    ]);
    assert.equal((await merchant.payments(made.id)).length, 1);
    assert.deepEqual([ledger.requests.length, ledger.taken.size], [4, 4]);
  });
});
