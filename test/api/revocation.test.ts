import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { revokeKey, rollKey } from '../../src/services/accounts/api-keys.ts';
import { send } from '../support/api.ts';
import { startApiProcess } from '../support/api-process.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, tester } from '../support/factories.ts';
import type { ServiceProcess } from '../support/process.ts';

/** How long a revoked key may still be let in, and what a busy machine may add to the look at it. */
const rememberedMs = 5_000;
const toleranceMs = 1_500;

describe('a revocation, in two API processes on one database', function () {
  this.timeout(90_000);
  const db = useDatabase();
  const processes: ServiceProcess[] = [];

  before('start them', async () => {
    const ports = await findFreePorts(2);
    const starts = ports.map((port) => startApiProcess({ DATABASE_URL: db.url, PORT: String(port) }));
    processes.push(...(await Promise.all(starts)));
  });
  after('end them', () => Promise.all(processes.map((each) => each.end())));

  const statusAt = async (url: string, key: string) =>
    (await send(`${url}/api/v1/customers?limit=1`, 'GET', { key })).status;

  /** Asks with the key, without a pause that would hide anything, until it is refused; answers when that was. */
  async function refusedAt(url: string, key: string): Promise<number> {
    while ((await statusAt(url, key)) === 200) await pause(20);
    return performance.now();
  }

  it('takes effect in both within five seconds, though both are in the middle of using the key', async () => {
    const { key, id } = await makeKey(db.sql);
    for (const { url } of processes) assert.equal(await statusAt(url, key), 200);
    const asking = processes.map(({ url }) => refusedAt(url, key));
    await pause(300);
    await revokeKey(db.sql, id, { by: tester, now: realNow() });
    const revokedAt = performance.now();
    for (const at of await Promise.all(asking)) {
      assert.ok(at - revokedAt < rememberedMs + toleranceMs, `refused after ${Math.round(at - revokedAt)} ms`);
    }
    for (const { url } of processes) assert.equal(await statusAt(url, key), 401);
  });

  it('leaves the new key after a roll to work at once, in both', async () => {
    const old = await makeKey(db.sql);
    for (const { url } of processes) assert.equal(await statusAt(url, old.key), 200);
    const fresh = await rollKey(db.sql, old.id, { overlapHours: 0, by: tester, now: realNow() });
    for (const { url } of processes) assert.equal(await statusAt(url, fresh.key), 200);
    await pause(rememberedMs);
    for (const { url } of processes) assert.equal(await statusAt(url, old.key), 401);
  });
});
