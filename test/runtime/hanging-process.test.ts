import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { findSessions } from '../../src/operations/stuck/stuck.ts';
import { findStuckWorkflows } from '../../src/operations/stuck/workflows.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { ServiceProcess } from '../support/process.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

/** Makes the event loop of a process spin, on SIGUSR2. */
const spinsOnSignal = `process.on('SIGUSR2', () => { for (;;); });`;

describe('a process whose event loop stands still', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  const heartbeats = () => service.db.sql`
    select from pg_stat_activity
    where datname = current_database() and application_name like '%heartbeat%' and wait_event_type = 'Client'`;

  /** Starts a worker beside so many others. PostgreSQL may still have the session of one that was killed just now. */
  async function startWorker(more: Record<string, string> = {}, others = 0): Promise<ServiceProcess> {
    await eventually('the sessions of others are gone', async () => (await heartbeats()).length === others);
    const worker = await service.startWorkerProcess(more);
    await eventually('it shows that it runs', async () => (await heartbeats()).length > others);
    return worker;
  }

  async function hanging(): Promise<Stuck[]> {
    const { sql } = service.db;
    const reports = await findSessions(sql, await databaseNow(sql));
    return reports.flatMap(({ found }) => found).filter(({ kind }) => kind === 'process_hangs');
  }
  const named = () => eventually('it is named', async () => (await hanging())[0], { timeoutMs: 15_000 });

  async function tasksFailing(): Promise<Stuck | undefined> {
    const reports = await findStuckWorkflows(service.db.sql, service.sides, realNow());
    return reports.flatMap(({ found }) => found).find(({ kind }) => kind === 'workflow_task_failing');
  }

  function assertNames(stuck: Stuck, { child }: ServiceProcess): void {
    assert.match(stuck.why, new RegExp(`^worker ${child.pid}@\\S+ shows no sign of life`));
    assert.match(stuck.remedy, new RegExp(`kill -9 ${child.pid}\\b`));
  }

  it('is named with its process id within 15 s when it is stopped, and no longer once it continues', async () => {
    const worker = await startWorker();
    assert.deepEqual(await hanging(), []);
    worker.child.kill('SIGSTOP');
    assertNames(await named(), worker);
    worker.child.kill('SIGCONT');
    await eventually('it is forgotten', async () => (await hanging()).length === 0, { timeoutMs: 10_000 });
    assert.equal(await worker.end('SIGKILL'), 'SIGKILL');
  });

  it('is named too when its code spins, and the tasks that it takes do not read as code that cannot be replayed', async () => {
    const spins = `--import=data:text/javascript,${encodeURIComponent(spinsOnSignal)}`;
    const worker = await startWorker({ NODE_OPTIONS: spins });
    worker.child.kill('SIGUSR2');
    assertNames(await named(), worker);
    service.startDispatcher();
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: new Date().toISOString().slice(0, 10) });
    const failing = await eventually('its tasks have timed out', tasksFailing, { timeoutMs: 120_000 });
    assert.equal(failing.subject_id, id);
    assert.match(failing.why, /a worker hangs or has ended/);
    assert.match(failing.remedy, /^End the worker that process_hangs names: another one takes the task/);
    await worker.end('SIGKILL');
    await eventually('it is forgotten', async () => (await hanging()).length === 0, { timeoutMs: 5_000 });
    const other = await startWorker();
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid', {
      timeoutMs: 30_000,
    });
    await other.end('SIGKILL');
  });

  it('is not what a process is that was killed, or that has ended in order', async () => {
    const [killed, ended] = [await startWorker(), await startWorker({}, 1)];
    await killed.end('SIGKILL');
    assert.equal(await ended.end(), 0);
    await eventually('their sessions are gone', async () => (await heartbeats()).length === 0, { timeoutMs: 5_000 });
    await pause(11_000);
    assert.deepEqual(await hanging(), []);
  });
});
