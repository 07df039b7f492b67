import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before } from 'mocha';
import { Agent, request } from 'undici';
import { findFreePorts } from '../../dev/ports.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { startApiProcess } from '../support/api-process.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import type { ServiceProcess } from '../support/process.ts';

const clients = 200;
const writers = 40;
/** As many as one key has at work at a time: none waits for a turn, all for the database. */
const ofAKey = 8;
/** Of the pool of an API process. */
const connections = 24;
/** The wait for a connection, and what a busy machine needs for 200 refusals. */
const boundMs = 9_000;

describe('an API process whose connections to the database are all at work', function () {
  this.timeout(60_000);
  const db = useDatabase();
  const agent = new Agent({ connections: clients + 8, pipelining: 1 });
  let api: ServiceProcess | undefined;
  let url = '';
  const keys: string[] = [];

  before('start a process', async () => {
    const [port = 0] = await findFreePorts(1);
    url = `http://127.0.0.1:${port}`;
    for (let count = 0; count < clients / ofAKey; count += 1) keys.push((await makeKey(db.sql)).key);
    api = await startApiProcess({
      PORT: String(port),
      DATABASE_URL: db.url,
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
    });
  });
  after('end the process', async () => {
    await api?.end('SIGKILL');
    await agent.close();
  });

  interface Answer {
    status: number;
    retryAfter: unknown;
    text: string;
    ms: number;
  }

  async function ask(path: string, client = 0, post?: { name: string }): Promise<Answer> {
    const begun = performance.now();
    const { statusCode, headers, body } = await request(`${url}${path}`, {
      dispatcher: agent,
      method: post === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${keys[Math.floor(client / ofAKey)]}`,
        ...(post === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': post.name }),
      },
      body: post === undefined ? null : JSON.stringify(post),
    });
    const text = await body.text();
    return { status: statusCode, retryAfter: headers['retry-after'], text, ms: performance.now() - begun };
  }

  it('refuses within seconds those who come too many, says when to come back, and loses nothing', async () => {
    for (const client of keys.keys()) assert.equal((await ask('/api/v1/customers', client * ofAKey)).status, 200);
    let unlock = (): void => {};
    const unlocked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    const holding = db.sql.begin(async (tx) => {
      await tx`lock table customers in access exclusive mode`;
      return unlocked;
    });
    await pause(200);
    const readers = Array.from({ length: clients - writers }, (_, client) => ask('/api/v1/customers', client));
    await pause(500);
    const names = Array.from({ length: writers }, (_, index) => `customer ${index}`);
    const create = (name: string, index: number) => ask('/api/v1/customers', clients - writers + index, { name });
    const created = names.map(create);
    const looks: Answer[] = [];
    for (let look = 0; look < 12; look += 1) {
      looks.push(await ask('/healthz'));
      await pause(500);
    }
    assert.match((await ask('/readyz')).text, /PostgreSQL/);
    unlock();
    await holding;
    const answers = await Promise.all([...readers, ...created]);
    const refused = answers.filter(({ status }) => status === 503);
    const served = answers.filter(({ status }) => status === 200);
    assert.deepEqual([served.length, refused.length], [connections, clients - connections]);
    for (const { retryAfter, text, ms } of refused) {
      assert.equal(retryAfter, '1');
      assert.equal(JSON.parse(text).error.code, 'unavailable');
      assert.ok(ms < boundMs, `a refusal after ${ms} ms`);
    }
    for (const { status, ms } of looks) {
      assert.equal(status, 200);
      assert.ok(ms < 1_500, `/healthz took ${ms} ms`);
    }

    const again = await Promise.all(names.map(create));
    assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([201]));
    const rows = await db.sql<{ name: string }[]>`select name from customers order by name`;
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...names].sort(),
    );
  });
});

describe('a pool with a bounded wait', () => {
  const db = useDatabase();
  let pool: Pool | undefined;
  after('end the pool', () => pool?.end({ timeout: 1 }));

  it('serves in turn, frees the place of what fails, and refuses alike a statement and a transaction', async () => {
    pool = openPool(db.url, { max: 2, name: 'test', acquireTimeoutMs: 300 });
    const sql = pool;
    const both = [sql`select pg_sleep(1)`.execute(), sql.begin((tx) => tx`select pg_sleep(1)`)];
    await pause(50);
    const late = { name: 'PoolExhausted', code: 'CONNECTION_WAIT_TIMEOUT' };
    await Promise.all([
      assert.rejects(sql`select 1`, late),
      assert.rejects(
        sql.begin((tx) => tx`select 1`),
        late,
      ),
      assert.rejects(sql.unsafe('select 1'), late),
    ]);
    await Promise.all(both);
    for (let round = 0; round < 4; round += 1) {
      await assert.rejects(sql`select 1 / 0`, { code: '22012' });
      await assert.rejects(
        sql.begin((tx) => tx`select 1 / 0`),
        { code: '22012' },
      );
    }
    const table = sql('customers');
    const rows = await Promise.all(
      Array.from({ length: 50 }, () => sql`select 1 as one from (select count(*) from ${table}) c`),
    );
    assert.equal(rows.flat().length, 50);
  });
});
