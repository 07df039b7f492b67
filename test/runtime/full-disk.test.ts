import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type Disk, mountDisk } from '../../lab/disks.ts';
import { eventually, untilItSucceeds } from '../../lab/eventually.ts';
import { openPostgres } from '../../lab/servers.ts';
import { findFullDatabase } from '../../src/operations/stuck/database.ts';
import { describeLoss } from '../../src/platform/log-output.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';
import { samplesOf, sumOf } from './exposition.ts';
import { findFreePair } from './observed-processes.ts';
import { useFolder } from './support.ts';

const today = () => realNow().toISOString().slice(0, 10);

describe('a full disk under the logs', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  const processes: ServiceProcess[] = [];
  const metricsPorts = { api: 0, worker: 0 };
  let folder = '';
  let disk: Disk | null = null;
  let merchant: Merchant;

  const logOf = (kind: string) => join(folder, `${kind}.log`);
  const fill = () => writeFile(join(folder, 'ballast'), Buffer.alloc(4 * 1024 * 1024)).catch(() => {});
  const lostBy = async (kind: 'api' | 'worker') => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPorts[kind]}/metrics`)).text();
    return sumOf(samplesOf(text), 'payments_log_lines_lost_total');
  };

  before('start API and worker with logs on a small disk', async function () {
    folder = await mkdtemp(join(tmpdir(), 'payments-full-disk-'));
    disk = await mountDisk(folder, 2);
    if (disk === null) this.skip();
    const [port = 0, ofApi = 0] = await findFreePorts(2);
    Object.assign(metricsPorts, { api: ofApi, worker: await findFreePair() });
    const env = {
      PORT: String(port),
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
      ENCRYPTION_KEYS: `processes:${randomBytes(32).toString('base64')}`,
    };
    for (const kind of ['api', 'worker'] as const) {
      const output = openSync(logOf(kind), 'a');
      processes.push(spawnProcess(kind, { ...env, METRICS_PORT: String(metricsPorts[kind]) }, { output }));
      closeSync(output);
    }
    await Promise.all(processes.map((each) => each.ready()));
    merchant = createMerchant(`http://127.0.0.1:${port}`, (await makeKey(service.db.sql)).key);
  });
  after('end what was started', async () => {
    await Promise.all(processes.map((each) => each.end()));
    await disk?.unmount();
    await rm(folder, { recursive: true });
  });

  async function plansArePaid(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) {
      const { id } = await merchant.activePlan({ start_date: today() });
      await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    }
  }

  it('costs API and worker their lines and nothing else, and their metrics count these', async () => {
    await fill();
    await plansArePaid(3);
    await eventually('both have lost lines', async () => {
      await plansArePaid(1);
      return (await lostBy('api')) > 0 && (await lostBy('worker')) > 0;
    });
    const { url = '' } = processes[0] ?? {};
    for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(`${url}${path}`)).status, 200);
    assert.deepEqual(
      processes.map(({ child }) => child.exitCode),
      [null, null],
    );
  });

  it('is reported in the log when there is space again, with the number of lines', async () => {
    await writeFile(join(folder, 'ballast'), '');
    for (const kind of ['api', 'worker'] as const) {
      const line = await eventually(`the ${kind} says so`, async () => {
        const lines = (await readFile(logOf(kind), 'utf8')).split('\n');
        return lines.find((text) => text.includes('lost_lines'));
      });
      const { name, level, msg, lost_lines: lost } = JSON.parse(line);
      assert.deepEqual([name, level, lost], [kind, 50, await lostBy(kind)]);
      assert.equal(msg, describeLoss({ lines: lost, code: 'ENOSPC' }));
    }
    // The line of a charge is written after its commit, which a request sees at once.
    await plansArePaid(1);
    await eventually('the worker logs again', async () => {
      const [, after] = (await readFile(logOf('worker'), 'utf8')).split('lost_lines');
      return after?.includes('charge completed');
    });
  });
});

describe('a full disk under PostgreSQL', function () {
  this.timeout(serverStartTimeoutMs);
  const folder = useFolder();

  it('is found by a look for what is stuck, with what to do, and is no longer found when there is space', async function () {
    const disk = await mountDisk(join(folder.path, 'postgres'), 300);
    if (disk === null) this.skip();
    const server = await openPostgres(folder.path);
    const sql = openPool(server.url, { max: 2, name: 'test' });
    try {
      const healthy = await findFullDatabase(sql);
      assert.deepEqual([healthy.kind, healthy.count], ['database_full', 0]);
      await disk.fill();
      const { count, found } = await findFullDatabase(sql);
      assert.equal(count, 1);
      assert.match(found[0]?.why ?? '', /^it refuses to write: .*No space left on device$/);
      assert.match(found[0]?.remedy ?? '', /^Free space on its disk/);
      await disk.free();
      await server.revive();
      assert.equal((await untilItSucceeds(() => findFullDatabase(sql))).count, 0);
    } finally {
      await sql.end({ timeout: 1 });
      await server.stop();
      await disk.unmount();
    }
  });
});
