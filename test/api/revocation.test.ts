import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { revokeKey, rollKey } from '../../src/services/accounts/api-keys.ts';
import { send } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, tester } from '../support/factories.ts';

const apiProgram = fileURLToPath(new URL('../../src/processes/api.ts', import.meta.url));
/** How long a revoked key may still be let in, and what a busy machine may add to the look at it. */
const rememberedMs = 5_000;
const toleranceMs = 1_500;

describe('a revocation, in two API processes on one database', function () {
  this.timeout(90_000);
  const db = useDatabase();
  const processes: { child: ChildProcess; url: string }[] = [];

  before('start them', async () => {
    const ports = await findFreePorts(2);
    processes.push(...(await Promise.all(ports.map((port) => startApi(port, db.url)))));
  });
  after('end them', async () => {
    await Promise.all(
      processes.map(async ({ child }) => {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }),
    );
  });

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

  it('of a rolled key leaves the new one to work at once, in both', async () => {
    const old = await makeKey(db.sql);
    for (const { url } of processes) assert.equal(await statusAt(url, old.key), 200);
    const fresh = await rollKey(db.sql, old.id, { overlapHours: 0, by: tester, now: realNow() });
    for (const { url } of processes) assert.equal(await statusAt(url, fresh.key), 200);
    await pause(rememberedMs);
    for (const { url } of processes) assert.equal(await statusAt(url, old.key), 401);
  });
});

/** An API process as production starts it. Temporal is away, which no key has to know. */
async function startApi(port: number, databaseUrl: string) {
  const env = childEnvironment({
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    LOG_LEVEL: 'fatal',
  });
  const child = spawn(process.execPath, [apiProgram], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  assert.equal(message, 'ready');
  return { child, url: `http://127.0.0.1:${port}` };
}
