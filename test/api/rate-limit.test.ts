import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, makeKeys } from '../support/factories.ts';

const path = '/api/v1/customers';
const limits = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
const isRefused = ({ status }: Reply) => status === 429;

/** So few that a busy machine, too, sends more. */
const perSecond = 5;
const burst = 5;

describe('the rate limit', () => {
  const db = useDatabase();
  const settings = { webhookAllowLoopback: true, rateLimitPerSecond: perSecond, rateLimitBurst: burst };
  const api = useApi(db, undefined, () => ({ settings }));
  const get = (key: string) => api.send('GET', path, { key });
  /**
   * Forty requests at once: which were refused, and that no more passed than the burst and what was refilled meanwhile.
   */
  async function burstOf(key: string): Promise<Reply[]> {
    const begun = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => get(key)));
    const seconds = (performance.now() - begun) / 1_000;
    const refused = replies.filter(isRefused);
    const passed = replies.length - refused.length;
    assert.ok(passed >= burst && passed <= burst + perSecond * seconds, `${passed} passed in ${seconds} s`);
    return refused;
  }

  it('lets a burst through, then answers 429, to this key alone, and lets in again what comes later', async () => {
    const [{ key }, other] = [await makeKey(db.sql), await makeKey(db.sql)];
    const [refused] = await burstOf(key);
    assert.deepEqual(
      [refused?.headers.get('retry-after'), refused?.body.error.type, refused?.body.error.code],
      ['1', 'rate_limit_error', 'rate_limited'],
    );
    assert.equal((await get(other.key)).status, 200);
    await pause(250);
    assert.equal((await get(key)).status, 200);
  });

  it('counts what a key may not do, too', async () => {
    const { key } = await makeKey(db.sql, { scopes: ['events:read'] });
    const replies = await Promise.all(Array.from({ length: 40 }, () => get(key)));
    const statuses = new Set(replies.map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), [403, 429]);
  });

  it('keeps its word: a request that waits for Retry-After is served', async () => {
    const { key } = await makeKey(db.sql);
    const [refused] = await burstOf(key);
    await pause(Number(refused?.headers.get('retry-after')) * 1_000);
    assert.equal((await get(key)).status, 200);
  });

  it('is each key’s own: the sandbox and the live key of a biller do not use up each other’s', async () => {
    const keys = await makeKeys(db.sql);
    while (!isRefused(await get(keys.sandboxSecret)));
    assert.equal((await get(keys.liveSecret)).status, 200);
  });

  it('does not save up more than the burst while a key rests', async () => {
    const { key } = await makeKey(db.sql);
    await get(key);
    await pause(1_500);
    assert.ok((await burstOf(key)).length > 0);
  });

  it('lets through what is refilled, and no more, however long a key goes on', async () => {
    const { key } = await makeKey(db.sql);
    const begun = performance.now();
    let allowed = 0;
    let refused = 0;
    while (performance.now() - begun < 2_000) {
      if (isRefused(await get(key))) refused += 1;
      else allowed += 1;
    }
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(refused > 0);
    assert.ok(allowed > burst && allowed <= burst + perSecond * seconds, `${allowed} allowed in ${seconds} s`);
  });
});

describe('the headers of the rate limit', () => {
  const db = useDatabase();
  // One more every ten seconds: nothing is refilled while a test looks.
  const settings = { webhookAllowLoopback: true, rateLimitPerSecond: 0.1, rateLimitBurst: 3 };
  const api = useApi(db, undefined, () => ({ settings }));

  it('tell the quota, what is left of it, and when it is there again', async () => {
    const { key } = await makeKey(db.sql);
    const replies = [];
    for (let n = 0; n < 4; n++) replies.push(await api.send('GET', path, { key }));
    const policy = '"default";q=3;w=30';
    assert.deepEqual(replies.map(limits), [
      [policy, '"default";r=2;t=10'],
      [policy, '"default";r=1;t=20'],
      [policy, '"default";r=0;t=30'],
      [policy, '"default";r=0;t=10'],
    ]);
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('retry-after')]),
      [...[200, 200, 200].map((status) => [status, null]), [429, '10']],
    );
  });

  it('are on refusals too', async () => {
    const table: [status: number, method: string, path: string, body?: unknown][] = [
      [400, 'GET', `${path}?bogus=1`],
      [404, 'GET', `${path}/cus_none`],
      [422, 'POST', path, {}],
      [413, 'POST', path, 'x'.repeat(300_000)],
    ];
    for (const [status, method, where, body] of table) {
      const { key } = await makeKey(db.sql);
      const reply = await api.send(method, where, { key, body });
      assert.deepEqual([reply.status, limits(reply)], [status, ['"default";q=3;w=30', '"default";r=2;t=10']]);
    }
  });

  it('are not on what is not counted: without a key, and where there is no operation', async () => {
    const { key } = await makeKey(db.sql);
    for (const [status, where, by] of [
      [200, '/healthz', undefined],
      [401, path, undefined],
      [404, '/api/v1/nowhere', key],
    ] as const) {
      const reply = await api.send('GET', where, by === undefined ? {} : { key: by });
      assert.deepEqual([reply.status, limits(reply)], [status, [null, null]]);
    }
  });
});
