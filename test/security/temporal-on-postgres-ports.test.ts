import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../dev/temporal.ts';
import { useFolder } from '../runtime/support.ts';
import { ask, type Listener, listenersOf } from '../support/listeners.ts';
import { needsGo, serverStartTimeoutMs } from '../support/temporal.ts';

describe('a Temporal that keeps its workflows in PostgreSQL serves only its own machine', function () {
  this.timeout(60_000);
  needsGo();
  const folder = useFolder();
  let postgres: RunningPostgres | undefined;
  let temporal: RunningTemporal | undefined;
  let uiPort = 0;
  let listeners: Listener[] = [];

  before('start it', async function () {
    this.timeout(serverStartTimeoutMs);
    if (process.platform !== 'linux') {
      console.log('      no Linux: which ports processes listen on is not looked at');
      return this.skip();
    }
    postgres = await startPostgres({ dataDir: folder.path, log: () => {} });
    const [frontendPort = 0, free = 0] = await findFreePorts(2);
    uiPort = free;
    const store = { url: postgres.url, shards: 4 };
    temporal = await startTemporal({ dataDir: folder.path, frontendPort, uiPort, store, log: () => {} });
    listeners = (await Promise.all(temporal.pids.map(listenersOf))).flat();
  });
  after('end it', async () => {
    await temporal?.stop();
    await postgres?.stop();
  });

  it('listens only on loopback, and has no HTTP API: only its Web UI speaks HTTP, at a hidden address', async () => {
    assert.ok(listeners.length >= 6, `${listeners.length} listeners were found`);
    const path = '/api/v1/namespaces/temporal-system';
    const answers = await Promise.all(
      listeners.map(async (each) => ((await ask({ ...each, path })) === null ? [] : [each])),
    );
    const [ui, ...others] = answers.flat();
    assert.match(ui?.address ?? '', /^127\.(?!0\.0\.)/);
    assert.deepEqual(others, []);
    const elsewhere = listeners.filter((each) => each !== ui).map(({ address }) => address);
    assert.deepEqual([...new Set(elsewhere)], ['127.0.0.1']);
  });

  it('refuses requests to the Web UI for a host that is not this machine', async () => {
    assert.equal((await ask({ port: uiPort, path: '/api/v1/namespaces', host: `evil.test:${uiPort}` }))?.status, 421);
    assert.equal((await ask({ port: uiPort, path: '/', host: `localhost:${uiPort}` }))?.status, 200);
  });
});
