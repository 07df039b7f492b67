import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { completeAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, makeKeys } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';

const path = '/api/v1/test_helpers/test_clocks';
/** How many requests of a key may wait, and how often their clocks are read. */
const waitingPerKey = 100;
const lookMs = 10;

describe('requests that wait for a test clock', () => {
  const db = useDatabase();
  /** All statements sent to the database. */
  const statements: string[] = [];
  const api = useApi(db, undefined, () => ({ sql: counting(db.sql) }));
  let keys: Awaited<ReturnType<typeof makeKeys>>;
  let key = '';
  let clock = '';

  /** The pool, recording its statements. */
  function counting(sql: Pool): Pool {
    return new Proxy(sql, {
      apply(target, self, args) {
        const [parts] = args;
        const text = Array.isArray(parts) && 'raw' in parts ? parts.join('?').replaceAll(/\s+/g, ' ').trim() : '';
        // What begins otherwise is a part of another statement.
        if (/^(select|insert|update|delete|with) /.test(text)) statements.push(text);
        return Reflect.apply(target, self, args);
      },
    });
  }
  const looks = () => statements.filter((text) => text.startsWith('select id, biller_id from test_clocks')).length;

  before('fill the pool', () => db.sql`select 1`);
  beforeEach('have a clock advance', async () => {
    keys = await makeKeys(db.sql);
    key = keys.sandboxSecret;
    const merchant = createMerchant(api.url, key);
    clock = (await merchant.clock('2027-01-10T00:00:00Z')).id;
    await merchant.beginAdvance(clock, '2027-01-17T00:00:00Z');
    statements.length = 0;
  });

  const fetchWaiting = (by = key, id = clock): Promise<Reply> =>
    api.send('GET', `${path}/${id}`, { key: by, headers: { Prefer: 'wait=30' } });
  const many = (count: number): Promise<Reply[]> => Promise.all(Array.from({ length: count }, () => fetchWaiting()));

  async function finishAdvance(): Promise<void> {
    const advance = await selectOpenAdvance(db.sql, clock);
    assert.ok(advance);
    await completeAdvance(db.sql, advance, realNow());
  }

  const told = ({ status, body, headers }: Reply) => [status, body.status, headers.get('preference-applied')];

  it('read the clock with one query for all of them, and all return when it is ready', async () => {
    const begun = performance.now();
    const waiting = many(waitingPerKey);
    await eventually('the clock is looked at', () => looks() > 30);
    await finishAdvance();
    const replies = await waiting;
    const most = (performance.now() - begun) / lookMs + 2;
    assert.deepEqual(new Set(replies.map((reply) => told(reply).join(' '))), new Set(['200 ready wait']));
    assert.ok(looks() <= most, `${looks()} looks, at most ${most}`);
    // For each request what it would have asked without waiting, and nothing else; the key is read once for all.
    const others = statements.length - looks();
    assert.ok(others <= waitingPerKey + 2, `${others} other statements`);
    const after = looks();
    await pause(10 * lookMs);
    assert.equal(looks(), after);
  });

  it('are at most a hundred per key: a further one returns at once, without Preference-Applied', async () => {
    const waiting = many(waitingPerKey);
    await eventually('the clock is looked at', () => looks() > 5);
    for (const reply of await many(5)) assert.deepEqual(told(reply), [200, 'advancing', null]);
    const other = await makeKey(db.sql, { billerId: keys.biller.id });
    const ofAnother = fetchWaiting(other.key);
    await pause(10 * lookMs);
    await finishAdvance();
    assert.deepEqual(told(await ofAnother), [200, 'ready', 'wait']);
    for (const reply of await waiting) assert.deepEqual(told(reply), [200, 'ready', 'wait']);
    assert.deepEqual(told(await fetchWaiting()), [200, 'ready', 'wait']);
  });

  it('do not count as running: other requests of the key are served while a hundred wait', async () => {
    const waiting = many(waitingPerKey);
    await eventually('the clock is looked at', () => looks() > 5);
    for (let n = 0; n < 20; n++) assert.equal((await api.send('GET', '/api/v1/customers', { key })).status, 200);
    await finishAdvance();
    await waiting;
  });

  it('stop when their clients disconnect, and make room for others', async () => {
    const gone = new AbortController();
    const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=30' };
    const waiting = Array.from({ length: waitingPerKey }, () =>
      fetch(`${api.url}${path}/${clock}`, { headers, signal: gone.signal }).catch(() => 'gone'),
    );
    await eventually('the clock is looked at', () => looks() > 5);
    gone.abort();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['gone']));
    await eventually('no request looks', async () => {
      const before = looks();
      await pause(10 * lookMs);
      return looks() === before;
    });
    const late = fetchWaiting();
    await pause(10 * lookMs);
    await finishAdvance();
    assert.deepEqual(told(await late), [200, 'ready', 'wait']);
  });

  it('learn nothing about a clock of another biller, and do not wait for it', async () => {
    const stranger = await makeKeys(db.sql);
    const waiting = fetchWaiting();
    await eventually('the clock is looked at', () => looks() > 5);
    assert.equal((await fetchWaiting(stranger.sandboxSecret)).status, 404);
    for (const id of ['clk_none', `clk_${'0'.repeat(32)}`, 'clk_%00', 'x'.repeat(5_000)]) {
      assert.equal((await fetchWaiting(key, id)).status, 404, id);
    }
    await finishAdvance();
    assert.deepEqual(told(await waiting), [200, 'ready', 'wait']);
  });
});
