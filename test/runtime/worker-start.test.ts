import assert from 'node:assert/strict';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before } from 'mocha';
import { type Link, openLink } from '../../faults/net/link.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

/** A worker that is told to end while it waits has nothing to wait for. */
const atOnceMs = 3_000;

describe('a worker process', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  const workers: ServiceProcess[] = [];
  const links: Link[] = [];
  let refusing: Http2Server | undefined;
  let toTemporal: Link;
  let toPostgres: Link;

  before('open the ways', async () => {
    toTemporal = await openLink('temporal', Number((await temporalServer()).split(':')[1]));
    toPostgres = await openLink('postgres', Number(new URL(service.db.url).port));
    links.push(toTemporal, toPostgres);
  });
  after('end what was started', async () => {
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    for (const link of links) await link.close();
    refusing?.close();
  });

  function start(environment: Record<string, string> = {}): ServiceProcess {
    const database = new URL(service.db.url);
    database.port = String(toPostgres.port);
    const env = {
      DATABASE_URL: database.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
      ENCRYPTION_KEYS: service.encryptionKeys,
    };
    const worker = spawnProcess('worker', { ...env, ...environment }, { isHeard: true });
    workers.push(worker);
    return worker;
  }

  const waits = ({ lines }: ServiceProcess) => lines.find(({ msg }) => msg.startsWith('waiting for Temporal'));

  it('that starts while neither Temporal nor PostgreSQL can be reached waits, says so, and then collects', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      start_date: dateIn(withoutClock(realNow()), 'UTC'),
    });
    toTemporal.refuse();
    toPostgres.refuse();
    const worker = start();
    const { level, address } = await eventually('it says what it waits for', () => waits(worker), {
      timeoutMs: 90_000,
    });
    assert.deepEqual([level, address], [40, `127.0.0.1:${toTemporal.port}`]);
    await pause(2_000);
    assert.equal(worker.lines.filter(({ msg }) => msg.startsWith('waiting')).length, 1, 'and not again at once');
    assert.deepEqual([worker.isReady, worker.child.exitCode], [false, null]);

    toTemporal.heal();
    await eventually('it is ready', () => worker.isReady, { timeoutMs: 90_000 });
    assert.deepEqual(await merchant.payments(plan.id), []);
    toPostgres.heal();
    const paid = async () => (await merchant.payments(plan.id))[0]?.status === 'paid';
    await eventually('the plan is collected', paid, { timeoutMs: 60_000 });

    const later = await merchant.payer();
    toTemporal.refuse();
    const meanwhile = await merchant.activePlan({
      customer_id: later.id,
      start_date: dateIn(withoutClock(realNow()), 'UTC'),
    });
    await pause(6_000);
    toTemporal.heal();
    const paidToo = async () => (await merchant.payments(meanwhile.id))[0]?.status === 'paid';
    await eventually('the same process collects after an outage', paidToo, { timeoutMs: 60_000 });
    assert.equal(worker.child.exitCode, null);
    assert.equal(await worker.end(), 0);
  });

  it('that is told to end while it waits ends at once', async () => {
    toTemporal.refuse();
    for (const disturb of [() => toTemporal.refuse(), () => toTemporal.stall()]) {
      disturb();
      const worker = start();
      await eventually('it waits', () => waits(worker), { timeoutMs: 90_000 });
      const begun = performance.now();
      assert.equal(await worker.end(), 0);
      assert.ok(performance.now() - begun < atOnceMs, `${performance.now() - begun} ms`);
      toTemporal.heal();
    }
  });

  it('does not wait for what will not come on its own: it ends with 1, and says what to change', async () => {
    refusing = createServer();
    refusing.on('stream', (stream) => {
      const refusal = { 'grpc-status': '16', 'grpc-message': 'Request unauthorized.' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
    });
    await new Promise<void>((listening) => refusing?.listen(0, '127.0.0.1', listening));
    const { port } = refusing.address() as AddressInfo;
    const cases: { environment: Record<string, string>; says: RegExp }[] = [
      { environment: { TEMPORAL_NAMESPACE: 'nobodys' }, says: /no namespace "nobodys".*TEMPORAL_NAMESPACE/ },
      {
        environment: { TEMPORAL_ADDRESS: `127.0.0.1:${port}` },
        says: /refuses access.*unauthorized.*TEMPORAL_API_KEY/,
      },
    ];
    for (const { environment, says } of cases) {
      const worker = start(environment);
      assert.equal(await worker.ended, 1);
      assert.match(worker.lines.find(({ level }) => level === 60)?.msg ?? '', says);
    }
  });
});
