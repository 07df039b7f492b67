import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { useFleet } from './rolling/fleet.ts';
import { startLoad } from './rolling/load.ts';
import { useFolder } from './support.ts';

describe('an API process that is told to end', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase();
  const folder = useFolder();
  const startFleet = useFleet();

  it("says first that it is not ready, and still responds, each on its connection's last response", async () => {
    const fleet = await startFleet(db.url, join(folder.path, 'ledger.jsonl'));
    const api = await fleet.start('api');
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${api.port}${path}`);
      const body = (await response.json()) as { error?: { missing: string[] } };
      return { status: response.status, connection: response.headers.get('connection'), missing: body.error?.missing };
    };
    assert.deepEqual((await ask('/readyz')).status, 200);
    const ended = api.end();
    const refusal = await eventually('it is not ready', async () => {
      const answer = await ask('/readyz');
      return answer.status === 503 && answer;
    });
    assert.deepEqual([refusal.connection, refusal.missing], ['close', ['a process that stays']]);
    const served = await ask('/healthz');
    assert.deepEqual([served.status, served.connection], [200, 'close']);
    assert.equal(await ended, 0);
    await assert.rejects(ask('/healthz'));
  });
});

describe('a restart of one process after the other, under load', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase();
  const folder = useFolder();
  const startFleet = useFleet();

  it('fails no request, and loses nothing that was answered', async () => {
    const ledger = join(folder.path, 'ledger.jsonl');
    const fleet = await startFleet(db.url, ledger);
    const { key } = await makeKey(db.sql);
    const members = await Promise.all([
      fleet.start('api'),
      fleet.start('api'),
      fleet.start('worker'),
      fleet.start('worker'),
    ]);
    const load = startLoad(fleet.balancer.url, key);
    await eventually('the load runs', () => load.answered.confirmed.length > 5, { timeoutMs: 60_000 });
    for (const member of members) {
      const before = load.answered.confirmed.length;
      // The successor first, as a deployment does that keeps its number.
      await fleet.start(member.kind);
      assert.equal(await member.end(), 0, `the ${member.kind} has not ended in order`);
      assert.ok(load.answered.confirmed.length > before, `people went on paying while a ${member.kind} was replaced`);
    }
    await eventually('a plan has gone its way', () => load.answered.plans.length > 0, { timeoutMs: 60_000 });
    await pause(500);
    await load.stop();
    assert.deepEqual(load.failures, []);
    await load.check(ledger);
  });
});
