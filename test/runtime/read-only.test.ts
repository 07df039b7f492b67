import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { useDatabase } from '../support/database.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

describe('a PostgreSQL that becomes read-only', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase();
  const processes: ServiceProcess[] = [];
  after('end what was started', () => Promise.all(processes.map((each) => each.end('SIGKILL'))));

  it('makes API and pages not ready, which name it, until it takes writes again', async () => {
    const [port = 0, pagesPort = 0] = await findFreePorts(2);
    const env = {
      ...{ PORT: String(port), PAGES_PORT: String(pagesPort), PUBLIC_URL: `http://127.0.0.1:${pagesPort}` },
      ...{ DATABASE_URL: db.url, TEMPORAL_ADDRESS: await temporalServer(), TEMPORAL_NAMESPACE: testNamespace },
      ...{ TEMPORAL_TASK_QUEUE: 'test-read-only', ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
    };
    for (const kind of ['api', 'pages'] as const) {
      const started = spawnProcess(kind, env, { isHeard: true });
      processes.push(started);
      await started.ready();
    }
    const ready = () => Promise.all([port, pagesPort].map((each) => fetch(`http://127.0.0.1:${each}/readyz`)));
    const statuses = async () => (await ready()).map(({ status }) => status).join();
    await eventually('both are ready', async () => (await statuses()) === '200,200');
    const name = new URL(db.url).pathname.slice(1);
    /** A session keeps what it began with: those of the processes are ended. */
    const set = async (value: 'on' | 'off') => {
      await db.sql.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`);
      await db.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and application_name like 'payments%'`;
    };
    await set('on');
    await eventually('neither is ready', async () => (await statuses()) === '503,503');
    assert.match(
      (await (await ready())[0]?.text()) ?? '',
      /These checks failed: PostgreSQL\. PostgreSQL is read-only\./,
    );
    await set('off');
    await eventually('both are ready again', async () => (await statuses()) === '200,200');
  });
});
