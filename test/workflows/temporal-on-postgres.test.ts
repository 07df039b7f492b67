import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../dev/temporal.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { atEndOfRun } from '../support/endings.ts';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { needsGo, prepareNamespace, serverStartTimeoutMs } from '../support/temporal.ts';

describe('a Temporal that keeps its workflows in PostgreSQL', function () {
  this.timeout(serverStartTimeoutMs);
  needsGo();
  let dataDir = '';
  let port = 0;
  let postgres: RunningPostgres | undefined;
  let temporal: RunningTemporal | undefined;

  async function startServer(url: string): Promise<string> {
    const store = { url, shards: 4 };
    temporal = await startTemporal({ dataDir, frontendPort: port, uiPort: null, store, log: () => {} });
    await prepareNamespace(temporal.address);
    return temporal.address;
  }
  async function workflowsInPostgres(): Promise<number> {
    const url = new URL(postgres?.url ?? '');
    url.pathname = '/temporal';
    const sql = openPool(url.href, { max: 1, name: 'test' });
    const [row] = await sql<{ count: number }[]>`select count(*)::integer from current_executions`;
    await sql.end();
    return row?.count ?? 0;
  }
  const stopServers = async () => {
    await temporal?.stop();
    await postgres?.stop();
  };
  const service = useService({
    async temporal() {
      dataDir = await mkdtemp(join(tmpdir(), 'payments-temporal-'));
      [port = 0] = await findFreePorts(1);
      atEndOfRun(stopServers);
      postgres = await startPostgres({ dataDir, log: () => {} });
      return startServer(postgres.url);
    },
  });
  after('end the servers', async () => {
    await stopServers();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('skips the time of a plan on a clock, and remembers it when it is started again', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T09:00:00Z', { start_date: '2027-01-11' });
    await merchant.advance(clock.id, '2027-01-18T09:00:00Z');

    await temporal?.stop();
    await startServer(postgres?.url ?? '');
    await merchant.advance(clock.id, '2027-01-25T09:00:00Z');

    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-11T00:00:00.000Z',
      '1 paid 2027-01-18T00:00:00.000Z',
      '2 paid 2027-01-25T00:00:00.000Z',
    ]);
    assert.ok((await workflowsInPostgres()) >= 2, 'the plan and the clock');
  });
});
