import assert from 'node:assert/strict';
import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import { mock } from 'node:test';
import { afterEach } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { forgetLostSubjects } from '../../src/db/lost-subjects.ts';
import { newId } from '../../src/domain/ids.ts';
import { webhookTaskQueue } from '../../src/messages/task-queues.ts';
import { replayByOperator } from '../../src/operations/endpoint-recovery.ts';
import { createInvariantChecks } from '../../src/operations/invariants/checks.ts';
import { invariants } from '../../src/operations/invariants/invariants.ts';
import { watchLostDeliveries, watchLostSubjects } from '../../src/operations/lost-deliveries.ts';
import { sendCommand } from '../../src/operations/operator-commands.ts';
import { findMismatches, reconcile } from '../../src/operations/reconciler/reconciler.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { findStuckWorkflows } from '../../src/operations/stuck/workflows.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { jsonb } from '../../src/platform/postgres/types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { readConfig } from '../../src/processes/config/config.ts';
import { watchSelf } from '../../src/processes/self-watch.ts';
import { openTemporal } from '../../src/processes/temporal/client.ts';
import { clockWithoutSignal } from '../support/clock-without-signal.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';
import { temporalServer, testLogger, testNamespace } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const hour = 3_600_000;

describe('what stops says so, and what is said is true', function () {
  this.timeout(120_000);
  const service = useService({ isAlone: true });
  const receiver = useReceiver();
  const operations = () => ({ sql: service.db.sql, sides: service.sides, by: tester });
  afterEach(() => mock.timers.reset());

  async function look(kind: string): Promise<Stuck[]> {
    const { sql } = service.db;
    const reports = await lookForStuck(sql, service.sides, await databaseNow(sql));
    return reports.flatMap(({ found }) => found).filter((stuck) => stuck.kind === kind);
  }

  it('a clock that is advancing without the row of its advance is named, and freed by the command that is named', async () => {
    const { sql } = service.db;
    const { merchant, clock, plan } = await clockWithoutSignal(service);
    await sql`delete from clock_advances where test_clock_id = ${clock.id} and status = 'advancing'`;
    const [stuck] = (await look('advance_slow')).filter(({ subject_id }) => subject_id === clock.id);
    assert.equal(stuck?.why, 'it is advancing, but the row of its advance is lost: nothing moves it');
    assert.ok(stuck.remedy.startsWith(`npm run --silent ops -- retry-advance ${clock.id} `));

    assert.match((await sendCommand(operations(), clock.id, { name: 'retryAdvance' })) ?? '', /is resumed/);
    const { status, frozen_time } = await merchant.stopped(clock.id);
    assert.deepEqual([status, frozen_time], ['ready', '2027-01-06T00:00:00.000Z']);
    assert.deepEqual(
      (await merchant.payments(plan.id)).map((payment) => payment.status),
      ['paid'],
    );
    assert.deepEqual(await look('advance_slow'), []);
  });

  it('a process whose clock is two days ahead is named, and its open attempts are found at once', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const [attempt] = await sql<{ id: string }[]>`select id from payment_attempts limit 1`;
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 48 * hour });
    const watching = watchSelf({ sql, databaseUrl: service.db.url, vault: service.vault }, 'worker', testLogger());
    const named = await eventually('it is named', async () => (await look('clock_wrong'))[0]);
    await watching.close();
    mock.timers.reset();
    assert.match(named.why, new RegExp(`^worker ${process.pid}@.*: its clock is 48 h ahead of PostgreSQL’s`));
    assert.ok(merchant && attempt);

    await sql`update payment_attempts set outcome = 'processing', settled_at = null, opened_at = now() + interval '2 days'
      where id = ${attempt.id}`;
    const open = await look('payment_processing');
    assert.deepEqual(
      open.map(({ since }) => since),
      [null],
      'its age is unknown',
    );
    await sql`update payment_attempts set outcome = 'succeeded', settled_at = now(), opened_at = now() where id = ${attempt.id}`;

    const again = watchSelf({ sql, databaseUrl: service.db.url, vault: service.vault }, 'worker', testLogger());
    await eventually('its report is taken back or forgotten', async () => {
      await sql`update process_reports set reported_at = reported_at - interval '1 minute'`;
      return (await look('clock_wrong')).length === 0;
    });
    await again.close();
  });

  it('a row that was changed by hand is found by housekeeping, named with its remedy, and gone once it is restored', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: new Date().toISOString().slice(0, 10) });
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    const change = (outcome: string, code: string | null) => sql`
      update payment_attempts a set outcome = ${outcome}, code = ${code}, message = ${code} from payment_intents i
      where i.id = a.payment_intent_id and i.payment_plan_id = ${id}`;
    const intentId = (await merchant.payments(id))[0]?.payment_intent_id ?? '';
    await change('failed', 'card_declined');
    const checkAll = async () => {
      await sql`update invariant_checks set tried_at = tried_at - interval '1 minute'`;
      for (let round = 0; round < 20; round++) await createInvariantChecks(sql).checkSome();
    };
    await checkAll();
    const broken = (await look('rows_broken')).filter(({ subject_id }) => subject_id === intentId);
    assert.ok(
      broken.some(({ why }) => why.startsWith('0 successes and 1 failures, events report 1 and 0; but ')),
      `${broken.map(({ why }) => why)}`,
    );
    for (const { remedy } of broken) assert.ok(remedy.includes(intentId), remedy);
    const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
      select count(*)::integer as count from invariant_checks where checked_at is not null`;
    assert.ok(count > 60, `${count} were checked`);

    await change('succeeded', null);
    await checkAll();
    assert.deepEqual(
      (await look('rows_broken')).filter(({ subject_id }) => subject_id === intentId),
      [],
    );
  });

  it('a row that breaks an invariant in two ways is named for both, and what another version has found is not', async () => {
    const { sql } = service.db;
    const id = newId('payment_plan');
    const ofBoth = ['one', 'another'].map((detail) => ({ id, detail, remedy: `restore ${detail}` }));
    const recorded = (name: string) => sql`
      insert into invariant_checks (invariant, tried_at, violations, since) values (${name}, now(), ${jsonb(sql, ofBoth)}, now())
      on conflict (invariant) do update set tried_at = now(), violations = excluded.violations, since = now()`;
    const name = invariants[0]?.name ?? '';
    await recorded(name);
    await recorded('an invariant that has another name now');
    const named = (await look('rows_broken')).filter(({ subject_id }) => subject_id === id);
    assert.deepEqual(named.map(({ why }) => why).sort(), [`another; but ${name}`, `one; but ${name}`]);
    await sql`delete from invariant_checks`;
  });

  it('an endpoint that its biller deletes while it fails is no difference to Temporal; a delivery without a row is, by its id', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const endpoint = await merchant.endpoint(receiver.url);
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it has failed', async () => (await merchant.delivery(id)).attempts.length === 1);
    const runs = () => service.temporal.workflow.getHandle(`webhook-delivery/${id}`).describe();
    await eventually(
      'it waits for its next attempt',
      async () => (await runs().catch(() => null))?.status.name === 'RUNNING',
    );
    await merchant.request('DELETE', `/webhook_endpoints/${endpoint.id}`);
    const mismatches = async () =>
      (await findMismatches(sql, service.sides[0])).filter(({ subjectId }) => subjectId === id);
    assert.deepEqual(await mismatches(), []);
    await sql`delete from webhook_delivery_attempts where delivery_id = ${id}`;
    await sql`delete from webhook_deliveries where id = ${id}`;
    assert.deepEqual(
      (await mismatches()).map(({ problem, detail }) => [problem, detail]),
      [['orphaned', 'its workflow runs, and it has no row']],
    );
    await service.temporal.workflow.getHandle(`webhook-delivery/${id}`).terminate();
  });

  it('finds a delivery that has lost its row within a minute, and the command that is named sends it', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const endpoint = await merchant.endpoint(receiver.url);
    const { id } = await merchant.ping(endpoint.id);
    const handle = service.temporal.workflow.getHandle(`webhook-delivery/${id}`);
    await eventually('it waits for its next attempt', async () => {
      const { attempts } = await merchant.delivery(id);
      return attempts.length === 1 && (await handle.describe().catch(() => null))?.status.name === 'RUNNING';
    });
    await sql`delete from webhook_deliveries where id = ${id}`;
    const watching = watchLostDeliveries(sql, service.sides, testLogger());
    const lost = async () => (await look('delivery_lost')).filter(({ subject_id }) => subject_id === id);
    const named = await eventually('it is named', async () => (await lost())[0], { timeoutMs: 60_000 });
    await watching.close();
    assert.match(named.why, /^its workflow found no row, so its event is no longer sent/);
    assert.deepEqual([named.biller_id === null, named.livemode], [false, false]);
    assert.ok(named.remedy.includes(`npm run --silent ops -- retry-delivery ${endpoint.id} makes the row anew`));

    receiver.answer = (_request, response) => response.writeHead(204).end();
    await replayByOperator(sql, endpoint.id, { by: tester, now: realNow() });
    await eventually('it is delivered', async () => (await merchant.delivery(id)).status === 'delivered');
    assert.deepEqual(await lost(), [], 'it has a row again');
  });

  it('finds a lost delivery by its next attempt too, before anything has looked, and none for an endpoint that is gone', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const endpoint = await merchant.endpoint(receiver.url);
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it is delivered', async () => (await merchant.delivery(id)).status === 'delivered');
    const { workflow } = service.temporal;
    const workflowId = `webhook-delivery/${id}`;
    await workflow.result(workflowId);
    await sql`delete from webhook_deliveries where id = ${id}`;
    await workflow.start('webhookDelivery', { workflowId, taskQueue: webhookTaskQueue(service.taskQueue), args: [id] });
    const lost = async () => (await look('delivery_lost')).map(({ subject_id }) => subject_id);
    await eventually('its attempt finds no row', async () => (await lost()).includes(id));
    await merchant.request('DELETE', `/webhook_endpoints/${endpoint.id}`);
    assert.deepEqual(await lost(), []);
  });

  it('a scheduled payment and a plan whose rows were deleted are named within a minute, and stay named; not those of a deleted clock', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const method = await merchant.card(payer.id);
    const date = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const scheduled = { customer_id: payer.id, payment_method: method, scheduled_payment_date: date };
    const { id: payment } = await merchant.intent(scheduled);
    const { id: plan } = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    const { id: kept } = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    const { plan: onClock, clock } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowOf = { [payment]: `scheduled-payment/${payment}`, [plan]: `payment-plan/${plan}` };
    for (const id of [...Object.values(workflowOf), `payment-plan/${kept}`, `payment-plan/${onClock.id}`]) {
      const handle = service.temporal.workflow.getHandle(id);
      await eventually(
        'its workflow runs',
        async () => (await handle.describe().catch(() => null))?.status.name === 'RUNNING',
      );
    }
    await sql`delete from payment_intents where id = ${payment}`;
    await sql`delete from payment_plans where id = ${plan}`;
    await merchant.deleteClock(clock.id);
    const watching = watchLostSubjects(sql, service.sides, testLogger());
    const lost = async () => (await look('row_lost')).map(({ subject_id }) => subject_id ?? '');
    await eventually('both are named', async () => (await lost()).length === 2, { timeoutMs: 60_000 });
    await watching.close();
    assert.deepEqual((await lost()).sort(), [payment, plan].sort());
    const named = (await look('row_lost')).find(({ subject_id }) => subject_id === payment);
    assert.match(named?.why ?? '', /^its workflow ran, and it has no row, so nothing is charged for it\. /);
    assert.ok(named?.since, 'it says since when');

    await reconcile(sql, service.sides);
    await service.temporal.workflow.result(workflowOf[payment] ?? '');
    assert.deepEqual((await lost()).sort(), [payment, plan].sort(), 'they are named also once nothing runs for them');

    await sql`insert into lost_subjects (id, workflow_type) values (${kept}, 'paymentPlan')`;
    assert.ok(!(await lost()).includes(kept), 'it has a row again');
    await forgetLostSubjects(sql);
    assert.equal((await sql`select from lost_subjects`).length, 2);
    for (const { remedy } of await look('row_lost')) {
      await sql.unsafe(/delete from lost_subjects where id = '\w+'/.exec(remedy)?.[0] ?? 'no statement is named');
    }
    assert.deepEqual(await lost(), []);
  });

  it('Temporal that is absent, and Temporal that refuses, are told apart, each with its remedy', async () => {
    const address = await temporalServer();
    const unansweredOf = async (variables: Record<string, string>) => {
      const { temporal: server } = readConfig(variables);
      const temporal = openTemporal(server);
      const side = { temporal, livemode: null, taskQueue: service.taskQueue };
      const reports = await findStuckWorkflows(service.db.sql, [side], await databaseNow(service.db.sql));
      await temporal.connection.close();
      return reports.flatMap(({ found }) => found);
    };
    const absent = await unansweredOf({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
    assert.deepEqual(
      absent.map(({ kind }) => kind),
      ['temporal_unreachable'],
    );
    assert.match(absent[0]?.remedy ?? '', /start Temporal .*kill -9/);
    const refusing = await unansweredOf({
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: `no-${newId('request').slice(4, 12)}`,
    });
    assert.deepEqual(
      refusing.map(({ kind }) => kind),
      ['temporal_refusing'],
    );
    assert.match(refusing[0]?.why ?? '', /^Temporal refuses: .*not found/i);
    assert.match(refusing[0]?.remedy ?? '', /^npm run --silent temporal:prepare\./);
    assert.doesNotMatch(refusing[0]?.remedy ?? '', /kill/);
  });

  it('Temporal that is there but too busy for its lists is overloaded: the remedy is to wait, not to end it', async () => {
    const slow = await startSlowLists(await temporalServer());
    try {
      const { temporal: server } = readConfig({ TEMPORAL_ADDRESS: slow.address, TEMPORAL_NAMESPACE: testNamespace });
      const temporal = openTemporal(server);
      const side = { temporal, livemode: null, taskQueue: service.taskQueue };
      const begun = performance.now();
      const reports = await findStuckWorkflows(service.db.sql, [side], await databaseNow(service.db.sql));
      await temporal.connection.close();
      assert.ok(performance.now() - begun < 15_000);
      const [found, ...others] = reports.flatMap((report) => report.found);
      assert.deepEqual([found?.kind, others], ['temporal_overloaded', []]);
      assert.match(found?.why ?? '', /^Temporal responds, but its lists come late/);
      assert.match(found?.remedy ?? '', /^Wait: .* End nothing\./);
      assert.doesNotMatch(found?.remedy ?? '', /kill/);
    } finally {
      slow.close();
    }
  });
});

/** Passes calls on to a Temporal, but for its lists, which never come: as in a burst. */
async function startSlowLists(address: string): Promise<{ address: string; close(): void }> {
  const upstream = connect(`http://${address}`);
  const server = createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // the client gives up
    if (/(Count|List)WorkflowExecutions$/.test(headers[':path'] ?? '')) return;
    const { ':path': path, ':method': method, 'content-type': type } = headers;
    const call = upstream.request({ ':path': path, ':method': method, te: 'trailers', 'content-type': type });
    let trailers: IncomingHttpHeaders = {};
    call.on('error', () => {});
    call.on('trailers', (received) => Object.assign(trailers, received));
    call.on('response', ({ ':status': status, ...received }) => {
      trailers = 'grpc-status' in received ? { 'grpc-status': String(received['grpc-status']) } : trailers;
      stream.respond({ ':status': status, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      call.pipe(stream);
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  return {
    address: `127.0.0.1:${typeof at === 'object' ? at?.port : 0}`,
    close() {
      upstream.destroy();
      server.close();
    },
  };
}
