import assert from 'node:assert/strict';
import { after, before } from 'mocha';
import { type Link, openLink } from '../../faults/net/link.ts';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { claimDeliveries } from '../../src/db/webhook-batches.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { newId } from '../../src/domain/ids.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf, workflowTypes } from '../../src/messages/workflow-types.ts';
import { sendCommand, startOver } from '../../src/operations/operator-commands.ts';
import type { Mismatch } from '../../src/operations/reconciler/mismatches.ts';
import { reconcile } from '../../src/operations/reconciler/reconciler.ts';
import { repair } from '../../src/operations/reconciler/repair.ts';
import type { WorkflowSide } from '../../src/operations/sides/workflow-sides.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { claimBatch, enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createClockMover } from '../../src/processes/temporal/clock-mover.ts';
import { canSkipTime } from '../../src/processes/temporal/time-skipping.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { startEntry } from '../../src/services/wake.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller } from '../support/factories.ts';
import { type Merchant, paymentLines } from '../support/merchant.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { type Service, useService } from '../support/service.ts';
import {
  needsGo,
  prepareNamespace,
  serverAt,
  serverStartTimeoutMs,
  startTemporalOfCompose,
} from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const tester = { kind: 'command_line', id: 'tester' } as const;
const today = () => dateIn(withoutClock(realNow()), 'UTC');
/** Stands for a processor of live mode too: what is charged here is no money. */
const processors = { sandbox: sandboxProcessor, live: sandboxProcessor };
/** As in `temporal/compose.yaml`. */
const [liveNamespace, sandboxNamespace] = ['payments', 'payments-sandbox'];

let address = '';
let links: { live: Link; sandbox: Link };

const addressOf = (link: Link) => `127.0.0.1:${link.port}`;

/** A merchant with a live key, who has a payer with a card. */
async function liveMerchant(service: Service): Promise<{ merchant: Merchant; payer: string; card: string }> {
  const merchant = await service.merchant({}, { livemode: true });
  const { id: payer } = await merchant.customer();
  const { payment_method: card } = await merchant.client.paymentMethods.create({
    type: 'card',
    customer_reference: payer,
    payment_method_data: {
      expiry_month: 12,
      expiry_year: 2099,
      token_metadata: { type: 'vault', token: 'x', data: '' },
    },
  });
  return { merchant, payer, card: card.id };
}

/** The differences at all sides, and which side could not be compared. */
async function compareSides(sql: Service['db']['sql'], sides: Service['sides']) {
  const mismatches: Mismatch[] = [];
  const { failures } = await reconcile(sql, sides, { check: true, onMismatches: (found) => mismatches.push(...found) });
  return { mismatches, failures };
}

async function livePlan(service: Service, startDate = today()) {
  const { merchant, payer, card } = await liveMerchant(service);
  const plan = await merchant.activePlan({ customer_id: payer, payment_instrument_id: card, start_date: startDate });
  return { merchant, plan };
}

const isPaid = async (merchant: Merchant, planId: string) => (await merchant.payments(planId))[0]?.status === 'paid';

/** The status of a workflow at a side; null if there is none. */
const statusAt = async ({ temporal }: WorkflowSide, workflowId: string): Promise<string | null> =>
  temporal.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      ({ status }) => status.name,
      () => null,
    );

describe('live mode and the sandbox on Temporals of their own', () => {
  needsGo();
  before('start a server with two namespaces, and a way to each', async function () {
    this.timeout(serverStartTimeoutMs);
    const server = await startTemporalOfCompose();
    address = server.address;
    await Promise.all([liveNamespace, sandboxNamespace].map((namespace) => prepareNamespace(address, namespace)));
    const port = Number(address.split(':')[1]);
    links = { live: await openLink('live', port), sandbox: await openLink('sandbox', port) };
  });
  after('close the ways', async () => {
    await links?.live.close();
    await links?.sandbox.close();
  });

  describe('in a namespace each', function () {
    this.timeout(60_000);
    const receiver = useReceiver();
    const service = useService({
      temporal: () => address,
      namespace: liveNamespace,
      sandboxTemporal: () => serverAt(address, sandboxNamespace),
      processors,
    });
    const sides = () => service.sides;
    const [live, sandbox] = [() => sides()[0], () => sides()[1] ?? assert.fail('the sandbox has no side')];

    it('run each workflow in the Temporal of its mode, and nowhere else', async () => {
      const { merchant, plan } = await livePlan(service);
      const sandboxed = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
      await sandboxed.merchant.advance(sandboxed.clock.id, '2027-01-06T00:00:00Z');
      assert.deepEqual(paymentLines(await sandboxed.merchant.payments(sandboxed.plan.id)), [
        '0 paid 2027-01-05T00:00:00.000Z',
      ]);
      await eventually('the live plan is paid', () => isPaid(merchant, plan.id));
      const clock = workflowIdOf('testClock', sandboxed.clock.id);
      const [ofLive, ofSandbox] = [plan.id, sandboxed.plan.id].map((id) => workflowIdOf('paymentPlan', id));
      assert.ok(ofLive && ofSandbox);
      for (const [workflowId, own, other] of [
        [ofLive, live(), sandbox()],
        [ofSandbox, sandbox(), live()],
        [clock, sandbox(), live()],
      ] as const) {
        assert.equal(await statusAt(own, workflowId), 'RUNNING', workflowId);
        assert.equal(await statusAt(other, workflowId), null, workflowId);
      }
      const { typedSearchAttributes } = await live().temporal.workflow.getHandle(ofLive).describe();
      assert.equal(typedSearchAttributes.get(attributes.livemode), true);
    });

    it('deliver the webhooks of the sandbox from its own Temporal', async () => {
      const merchant = await service.merchant();
      const endpoint = await merchant.endpoint(receiver.url);
      const { id } = await merchant.ping(endpoint.id);
      await eventually('it is delivered', async () => (await merchant.delivery(id)).status === 'delivered');
      const workflowId = workflowIdOf('webhookDelivery', id);
      assert.ok(await statusAt(sandbox(), workflowId));
      assert.equal(await statusAt(live(), workflowId), null);
    });

    it('let time be skipped in the namespace of the sandbox, and not in that of live mode', async () => {
      assert.equal(await canSkipTime(sandbox().temporal), true);
      assert.equal(await canSkipTime(live().temporal), false);
      const advance = { id: 'none' } as never;
      await assert.rejects(
        createClockMover(live())({ kind: 'paymentPlan', id: 'pp_none', at: withoutClock(realNow()) }, advance, {
          from: withoutClock(realNow()),
          to: withoutClock(realNow()),
          again: false,
        }),
        /Temporal of live mode moves no test clock/,
      );
    });

    it('show operators what is stuck in both, each with its reason, and take commands in both', async () => {
      const stalled: { id: string; merchant: Merchant }[] = [];
      for (const { merchant, plan } of [
        await livePlan(service, '2099-01-01'),
        await service.merchant().then(async (merchant) => {
          return { merchant, plan: await merchant.activePlan({ start_date: '2099-01-01' }) };
        }),
      ]) {
        const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
        const due = new Date(realNow().getTime() - 1000);
        await service.db.sql`
        update payment_plans set metadata = ${poison}, ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
        const operations = { sql: service.db.sql, sides: sides(), by: tester };
        await eventually('it looks', () => sendCommand(operations, plan.id, { name: 'recheck' }).catch(() => null));
        stalled.push({ merchant, id: plan.id });
      }
      const found = await eventually('both are found', async () => {
        const reports = await lookForStuck(service.db.sql, sides(), realNow());
        const all = reports.flatMap((report) => report.found).filter(({ kind }) => kind === 'workflow_stalled');
        return stalled.every(({ id }) => all.some(({ subject_id }) => subject_id === id)) && all;
      });
      for (const [index, { id, merchant }] of stalled.entries()) {
        const stuck = found.find(({ subject_id }) => subject_id === id);
        assert.equal(stuck?.livemode, index === 0);
        assert.match(stuck?.why ?? '', /stalled: payment 1 \(slot 0\), due \S+, attempt 1: .*no such word/);
        await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${id}`;
        const result = await sendCommand({ sql: service.db.sql, sides: sides(), by: tester }, id, { name: 'recheck' });
        assert.match(result ?? '', /^Read again/);
        await eventually('it is paid', () => isPaid(merchant, id));
        const over = await startOver({ sql: service.db.sql, sides: sides(), by: tester }, id);
        assert.match(over, /was ended, and is started again/);
        const own = index === 0 ? live() : sandbox();
        await eventually(
          'it runs again',
          async () => (await statusAt(own, workflowIdOf('paymentPlan', id))) === 'RUNNING',
        );
      }
    });

    it('are compared with PostgreSQL each on its own: what is missing is started where it belongs', async () => {
      const { plan: ofLive } = await livePlan(service, '2099-01-01');
      const ofSandbox = await (await service.merchant()).activePlan({ start_date: '2099-01-01' });
      const plans = [
        { id: ofLive.id, side: live() },
        { id: ofSandbox.id, side: sandbox() },
      ];
      for (const { id, side } of plans) {
        const workflowId = workflowIdOf('paymentPlan', id);
        await eventually('it runs', async () => (await statusAt(side, workflowId)) === 'RUNNING');
        await side.temporal.workflow.getHandle(workflowId).terminate('lost, says the test');
      }
      const { mismatches, failures } = await eventually('both are missing', async () => {
        const compared = await compareSides(service.db.sql, sides());
        return compared.mismatches.length >= 2 && compared;
      });
      assert.deepEqual(failures, []);
      assert.deepEqual(
        mismatches.map(({ subjectId, problem, livemode }) => [subjectId, problem, livemode]).sort(),
        [
          [ofLive.id, 'missing', true],
          [ofSandbox.id, 'missing', false],
        ].sort(),
      );
      await repair(service.db.sql, sides(), mismatches);
      for (const { id, side } of plans) {
        const workflowId = workflowIdOf('paymentPlan', id);
        await eventually('it runs again', async () => (await statusAt(side, workflowId)) === 'RUNNING');
      }
      assert.deepEqual((await compareSides(service.db.sql, sides())).mismatches, []);
    });

    it('end a workflow of the sandbox that still runs with live mode, as after the two were separated', async () => {
      const plan = await (await service.merchant()).activePlan({ start_date: '2099-01-01' });
      const workflowId = workflowIdOf('paymentPlan', plan.id);
      const { taskQueue, temporal } = live();
      await temporal.workflow.start('paymentPlan', { taskQueue, workflowId, args: [plan.id] });
      await eventually('it runs in both', async () => {
        return (await statusAt(live(), workflowId)) && (await statusAt(sandbox(), workflowId)) === 'RUNNING';
      });
      const mismatches = await eventually('it is found', async () => {
        const compared = await compareSides(service.db.sql, sides());
        return compared.mismatches.length > 0 && compared.mismatches;
      });
      assert.deepEqual(
        mismatches.map(({ subjectId, problem, detail }) => [subjectId, problem, detail]),
        [[plan.id, 'orphaned', 'its workflow runs in Temporal of live mode, and is ended there']],
      );
      await repair(service.db.sql, sides(), mismatches);
      assert.equal(await statusAt(live(), workflowId), 'TERMINATED');
      assert.equal(await statusAt(sandbox(), workflowId), 'RUNNING');
      assert.deepEqual((await compareSides(service.db.sql, sides())).mismatches, []);
    });
  });

  describe('of two Temporals, one that is away', function () {
    // Looking, comparing and a command each wait for the one that is away until they give up: some 50 s in all.
    this.timeout(120_000);
    const service = useService({
      temporal: () => addressOf(links.live),
      namespace: liveNamespace,
      sandboxTemporal: () => serverAt(addressOf(links.sandbox), sandboxNamespace),
      processors,
    });
    const workers: ServiceProcess[] = [];
    after('end the worker', () => Promise.all(workers.map((worker) => worker.end('SIGKILL'))));
    afterEach('open the ways', () => {
      links.live.heal();
      links.sandbox.heal();
    });

    it('leaves the other one working: live mode while the sandbox is away, however much waits for the sandbox', async () => {
      links.sandbox.refuse();
      const merchant = await service.merchant();
      const payer = await merchant.payer();
      const plan = await merchant.activePlan({ customer_id: payer.id, start_date: today() });
      // Several batches of a dispatcher, each of which takes seconds to fail.
      await service.db.sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, signal, created_at, available_at)
      select 'payment-plan/' || ${plan.id}, 'paymentPlan', ${plan.id}, false, false, 'poke', now(), now() - interval '1 hour'
      from generate_series(1, 200)`;
      const begun = performance.now();
      const other = await livePlan(service);
      await eventually('the live plan is paid', () => isPaid(other.merchant, other.plan.id));
      const seconds = (performance.now() - begun) / 1000;
      assert.ok(seconds < 10, `paid after ${seconds} s`);
      assert.deepEqual(await merchant.payments(plan.id), []);
      const reports = await lookForStuck(service.db.sql, service.sides, realNow());
      const away = reports.find(({ kind }) => kind === 'temporal_unreachable')?.found;
      assert.deepEqual(
        away?.map(({ livemode }) => livemode),
        [false],
      );
      assert.match(away?.[0]?.why ?? '', /^Temporal of the sandbox /);
      assert.match(away?.[0]?.remedy ?? '', /SANDBOX_TEMPORAL_ADDRESS/);
      assert.ok(
        reports.some(({ kind }) => kind === 'workflow_stalled'),
        'what the other one knows is there',
      );
      const { mismatches, failures } = await compareSides(service.db.sql, service.sides);
      assert.deepEqual([mismatches, failures.map(({ side }) => side)], [[], ['Temporal of the sandbox']]);
      await assert.rejects(
        sendCommand({ sql: service.db.sql, sides: service.sides, by: tester }, plan.id, { name: 'recheck' }),
      );
      links.sandbox.heal();
      await eventually('the plan of the sandbox is paid', () => isPaid(merchant, plan.id));
    });

    it('leaves the other one working: advances of the sandbox while that of live mode is away', async () => {
      links.live.refuse();
      const { merchant, plan } = await livePlan(service);
      const sandboxed = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
      await sandboxed.merchant.advance(sandboxed.clock.id, '2027-01-06T00:00:00Z');
      assert.ok(await isPaid(sandboxed.merchant, sandboxed.plan.id));
      assert.deepEqual(await merchant.payments(plan.id), []);
      links.live.heal();
      await eventually('the live plan is paid', () => isPaid(merchant, plan.id));
    });

    it('does not keep a worker process from its start, nor from its live work, if it is that of the sandbox', async () => {
      await service.stopDispatcher();
      await service.stopWorkers();
      links.sandbox.refuse();
      const worker = spawnProcess(
        'worker',
        {
          DATABASE_URL: service.db.url,
          TEMPORAL_ADDRESS: addressOf(links.live),
          TEMPORAL_NAMESPACE: liveNamespace,
          SANDBOX_TEMPORAL_ADDRESS: addressOf(links.sandbox),
          SANDBOX_TEMPORAL_NAMESPACE: sandboxNamespace,
          TEMPORAL_TASK_QUEUE: service.taskQueue,
          ENCRYPTION_KEYS: service.encryptionKeys,
          SANDBOX_LEDGER: '',
        },
        { isHeard: true },
      );
      workers.push(worker);
      await worker.ready();
      const merchant = await service.merchant();
      const plan = await merchant.activePlan({ start_date: today() });
      const { plan: ofLive } = await livePlan(service, '2099-01-01');
      const [live] = service.sides;
      const workflowId = workflowIdOf('paymentPlan', ofLive.id);
      await eventually('the live plan has its workflow', async () => (await statusAt(live, workflowId)) === 'RUNNING');
      await eventually('and has been read', async () => {
        const { typedSearchAttributes } = await live.temporal.workflow.getHandle(workflowId).describe();
        return typedSearchAttributes.get(attributes.livemode) === true;
      });
      assert.deepEqual(await merchant.payments(plan.id), []);
      links.sandbox.heal();
      await eventually('the sandbox works too', () => isPaid(merchant, plan.id));
      assert.equal(await worker.end(), 0);
    });
  });
});

describe('the outbox', () => {
  const db = useDatabase();

  it('gives a dispatcher the entries of its mode alone, and one of both modes all of them', async () => {
    const { id } = await makeBiller(db.sql);
    await db.sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      select 'payment-plan/' || ${id}, 'paymentPlan', ${id}, livemode, true, now(), now()
      from unnest(array[true, false, false]) livemode`;
    const claimed = async (livemode: boolean | null) =>
      (await claimBatch(db.sql, { limit: 10, claimMs: 0, livemode, types: workflowTypes })).length;
    assert.deepEqual([await claimed(true), await claimed(false), await claimed(null)], [1, 2, 3]);
    await db.sql`delete from workflow_intents`;
  });

  it('has a lane for deliveries of webhooks, so that what moves money is claimed before thousands of them', async () => {
    await db.sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      select 'webhook-delivery/' || id, 'webhookDelivery', id, false, true, now(), now() - interval '1 minute'
      from unnest(${Array.from({ length: 5000 }, () => newId('webhook_delivery'))}::text[]) id`;
    await atomically(db.sql, (tx) =>
      enqueue(tx, [startEntry('paymentPlan', { id: newId('payment_plan'), livemode: false })], realNow()),
    );
    const { entries } = await claimDeliveries(db.sql, 0, { livemode: null, after: '' });
    const claimed = [
      await claimBatch(db.sql, { limit: 50, claimMs: 0, livemode: null, types: workflowTypes }),
      entries,
    ];
    assert.deepEqual(
      claimed.map((entries) => [entries.length, ...new Set(entries.map((entry) => entry.workflow_type))]),
      [
        [1, 'paymentPlan'],
        [100, 'webhookDelivery'],
      ],
    );
  });
});
