import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { before, beforeEach, describe, it } from 'mocha';
import { Type } from 'typebox';
import { eventually } from '../../lab/eventually.ts';
import { defaultWaits } from '../../src/api/http/deps.ts';
import { route } from '../../src/api/http/route.ts';
import { type TestApi, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { testRoute } from '../support/test-route.ts';

/** Of a key that is alone, and of one beside others. */
const alone = 16;
const shared = 8;
const settleMs = 150;
/** The number of a request that fails; only one test sends so many. */
const unlucky = 25;

/** How many requests wait as they prefer, and how each is let go on. */
const waiting = new Set<() => void>();
/** The requests that are being handled, each by its number, and how each is let go. */
const handled = new Map<number, () => void>();
const order: number[] = [];

const common = {
  ...testRoute,
  access: { scope: 'customers:read' },
  query: Type.Object({ n: Type.Integer() }),
} as const;

async function hold({ query: { n } }: { query: { n: number } }): Promise<object> {
  order.push(n);
  await new Promise<void>((go) => handled.set(n, go));
  handled.delete(n);
  if (n === unlucky) throw new Error('an unlucky number');
  return { n };
}

const routes = [
  route({ ...common, path: '/held', operation: 'held', handle: hold }),
  route({
    ...common,
    path: '/waiting',
    operation: 'waiting',
    waits: () => () => new Promise<void>((go) => waiting.add(go)),
    handle: async () => ({}),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/charging',
    operation: 'charging',
    idempotency: 'committed-first',
    handle: hold,
  }),
  route({
    ...common,
    method: 'POST',
    path: '/either',
    operation: 'either',
    body: Type.Object({ charge: Type.Boolean() }),
    idempotency: 'by-body',
    commitsFirst: ({ charge }) => charge,
    handle: hold,
  }),
];

interface Wave {
  to?: TestApi;
  first?: number;
  headers?: Record<string, string>;
}

describe('the turns of a key’s requests', () => {
  const db = useDatabase();
  const api = useApi(db, routes);
  const impatient = useApi(db, routes, () => ({ waits: { queueMs: 500 } }));
  let key = '';

  before('make the only key', async () => {
    key = (await makeKey(db.sql)).key;
  });
  beforeEach(() => {
    order.length = 0;
  });

  /** Sends so many at once, numbered from `first`, and answers their statuses in that order. */
  function sendAll(count: number, path = '/held', { to = api, first = 0, headers = {} }: Wave = {}): Promise<number[]> {
    const method = path === '/charging' ? 'POST' : 'GET';
    return Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const { status } = await to.send(method, `${path}?n=${first + n}`, { key, headers });
        return status;
      }),
    );
  }

  async function letAllGo<T>(until: Promise<T>): Promise<T> {
    const going = setInterval(() => {
      for (const go of handled.values()) go();
    }, 5);
    try {
      return await until;
    } finally {
      clearInterval(going);
    }
  }

  async function untilHandled(count: number): Promise<void> {
    const giveUpAt = performance.now() + 5_000;
    while (handled.size < count && performance.now() < giveUpAt) await pause(5);
    await pause(settleMs);
  }

  it('let sixteen of the only key be at work at once, and those that wait go before those that come later', async () => {
    const early = sendAll(20);
    await untilHandled(alone);
    assert.equal(handled.size, alone);
    handled.values().next().value?.();
    await pause(settleMs);
    assert.equal(handled.size, alone);
    const late = sendAll(4, '/held', { first: 100 });
    await pause(settleMs);
    const statuses = await letAllGo(Promise.all([early, late]));
    assert.ok(statuses.flat().every((status) => status === 200));
    assert.equal(order.length, 24);
    assert.ok(
      order.slice(-4).every((n) => n >= 100),
      `served in the order ${order}`,
    );
  });

  it('are eight for each key while another asks too, and sixteen again a second later', async () => {
    const other = await makeKey(db.sql);
    const sent = sendAll(20);
    await untilHandled(alone);
    const reply = api.send('GET', '/held?n=99', { key: other.key });
    await eventually('the other is served', () => handled.has(99));
    const goOn = () => {
      const [n = -1] = [...handled.keys()].filter((handling) => handling !== 99);
      handled.get(n)?.();
      handled.delete(n);
    };
    // Eight may end before the ninth lets one more in.
    for (let count = 0; count < alone - shared; count += 1) goOn();
    await pause(settleMs);
    assert.equal(handled.size, shared + 1);
    goOn();
    await pause(settleMs);
    assert.equal(handled.size, shared + 1);
    handled.get(99)?.();
    assert.equal((await reply).status, 200);
    await pause(1_000);
    goOn();
    await eventually('all that waited are served', () => handled.size === 10);
    await letAllGo(sent);
    assert.ok((await sent).every((status) => status === 200));
  });

  it('are no concern of another key: its request does not wait for the others’', async () => {
    const sent = sendAll(20);
    await untilHandled(alone);
    const other = await makeKey(db.sql);
    const reply = api.send('GET', '/held?n=99', { key: other.key });
    await untilHandled(alone + 1);
    handled.get(99)?.();
    assert.equal((await reply).status, 200);
    assert.equal(handled.size, alone);
    await letAllGo(sent);
  });

  it('are handed on by a request that fails', async () => {
    await pause(1_000); // the key is alone again
    const statuses = await letAllGo(sendAll(30));
    assert.deepEqual(
      statuses.map((status, n) => [n, status]).filter(([, status]) => status !== 200),
      [[unlucky, 500]],
    );
    // All turns are there again.
    const again = sendAll(20);
    await untilHandled(alone);
    assert.equal(handled.size, alone);
    await letAllGo(again);
  });

  it('are not needed by a request that only waits, as it prefers', async () => {
    const sent = sendAll(20, '/waiting', { headers: { Prefer: 'wait=30' } });
    await eventually('twenty wait', () => waiting.size === 20);
    const others = sendAll(alone);
    await untilHandled(alone);
    assert.equal(handled.size, alone);
    await letAllGo(others);
    for (const go of waiting) go();
    assert.ok((await sent).every((status) => status === 200));
  });

  it('are more for requests that ask a processor, and apart from those of the others', async () => {
    const charges = sendAll(20, '/charging');
    await untilHandled(20);
    assert.equal(handled.size, 20);
    await letAllGo(charges);
  });

  it('are more for a request whose body says that it asks a processor, and it leaves those of the others', async () => {
    const send = (charge: boolean, first: number) =>
      Array.from({ length: 20 }, (_, n) => api.send('POST', `/either?n=${first + n}`, { key, body: { charge } }));
    const charges = send(true, 100);
    await untilHandled(20);
    assert.equal(handled.size, 20);
    const others = send(false, 200);
    await untilHandled(20 + alone);
    assert.equal(handled.size, 20 + alone);
    const replies = await letAllGo(Promise.all([...charges, ...others]));
    assert.ok(replies.every(({ status }) => status === 200));
  });

  it('do not come for ever: a request that has waited too long is told to come back', async () => {
    assert.equal(defaultWaits.queueMs, 10_000);
    const sent = sendAll(alone + 1, '/held', { to: impatient });
    await untilHandled(alone);
    const late = await impatient.send('GET', '/held?n=50', { key });
    assert.deepEqual([late.status, late.headers.get('retry-after'), late.body.error.code], [429, '1', 'rate_limited']);
    const statuses = await letAllGo(sent);
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [429],
    );
  });
});
