import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { route } from '../../src/api/http/route.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listKeys, revokeKey, rollKey } from '../../src/services/accounts/api-keys.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, makeKeys, tester } from '../support/factories.ts';
import { testRoute } from '../support/test-route.ts';

const routes = [
  route({
    ...testRoute,
    path: '/customers',
    operation: 'listCustomers',
    access: { scope: 'customers:read' },
    handle: async ({ context, key }) => ({ call: context, kind: key.kind }),
  }),
  route({
    ...testRoute,
    path: '/clocks',
    operation: 'listClocks',
    access: { scope: 'test_clocks:read', sandboxOnly: true },
    handle: async () => ({}),
  }),
  route({
    ...testRoute,
    path: '/methods',
    operation: 'listMethods',
    access: { scope: 'payment_methods:write', publishable: true },
    handle: async ({ key }) => ({ kind: key.kind }),
  }),
];

describe('authentication', () => {
  const db = useDatabase();
  const waits = { credentialMs: 500 };
  const api = useApi(db, routes, () => ({ waits }));
  const get = (path: string, key?: string) => api.send('GET', path, key === undefined ? {} : { key });

  async function codeOf(path: string, key: string): Promise<string> {
    const { status, body } = await get(path, key);
    return `${status} ${body.error?.code ?? ''}`;
  }

  it('finds biller, mode, time zone, fees and descriptor by the key, and the real instant of asking', async () => {
    const merchant = await makeKeys(db.sql, { timeZone: 'Australia/Sydney', statementDescriptor: 'ACME' });
    const before = realNow();
    const { body } = await get('/customers', merchant.sandboxSecret);
    const { requestId, keyId, now, ...rest } = body.call;
    assert.deepEqual(rest, {
      billerId: merchant.biller.id,
      keyKind: 'secret',
      connection: null,
      livemode: false,
      timeZone: 'Australia/Sydney',
      fees: { standard: { basisPoints: 175, fixed: 30 }, byMethod: {} },
      country: null,
      costs: {},
      tax: null,
      statementDescriptor: 'ACME',
    });
    assert.match(requestId, /^req_/);
    assert.equal(
      keyId,
      (await listKeys(db.sql, merchant.biller.id)).find(({ hint }) => hint === merchant.sandboxSecret.slice(-4))?.id,
    );
    assert.ok(new Date(now) >= before && new Date(now) <= realNow());
    assert.equal((await get('/customers', merchant.liveSecret)).body.call.livemode, true);
  });

  it('answers 401 with WWW-Authenticate where no key is given, or no bearer token', async () => {
    const { key } = await makeKey(db.sql);
    const basic = Buffer.from(`${key}:`).toString('base64');
    for (const value of ['', 'Bearer', 'Bearer ', `Basic ${basic}`, key, `Bearer ${key} ${key}`, `Bearer${key}`]) {
      const { status, headers, body } = await api.send('GET', '/customers', { headers: { Authorization: value } });
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'], value);
      assert.deepEqual([body.error.type, body.error.code], ['authentication_error', 'unauthenticated']);
    }
    assert.equal((await get('/customers')).status, 401);
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const headers = { Authorization: `${scheme} ${key}` };
      assert.equal((await api.send('GET', '/customers', { headers })).status, 200, scheme);
    }
  });

  it('answers 401 to an unknown key, a changed one and a malformed one, in the same words', async () => {
    const { key } = await makeKey(db.sql);
    const changed = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    const messages = new Set<string>();
    for (const wrong of [
      changed,
      key.toUpperCase(),
      `${key}a`,
      key.slice(3),
      'sk_sandbox_',
      `sk_live_${key.slice(11)}`,
    ]) {
      const { status, body } = await get('/customers', wrong);
      assert.equal(status, 401, wrong);
      messages.add(body.error.message);
    }
    assert.equal(messages.size, 1);
  });

  it('lets a key in from the moment that it is made, also after a wrong guess', async () => {
    const first = await makeKey(db.sql);
    await get('/customers', `sk_sandbox_${'0'.repeat(43)}`);
    const second = await makeKey(db.sql, { billerId: first.biller_id });
    assert.equal((await get('/customers', second.key)).status, 200);
  });

  // With the 5 s of production: test/api/revocation.test.ts.
  it('refuses a revoked key once it is no longer cached', async () => {
    const { key, id } = await makeKey(db.sql);
    assert.equal((await get('/customers', key)).status, 200);
    await revokeKey(db.sql, id, { by: tester, now: realNow() });
    await pause(waits.credentialMs + 50);
    assert.equal((await get('/customers', key)).status, 401);
  });

  it('lets a rolled key in until its overlap ends', async () => {
    const old = await makeKey(db.sql);
    const { key } = await rollKey(db.sql, old.id, { overlapHours: 1, by: tester, now: realNow() });
    assert.equal((await get('/customers', old.key)).status, 200);
    assert.equal((await get('/customers', key)).status, 200);
    const short = await makeKey(db.sql);
    await rollKey(db.sql, short.id, { overlapHours: 1 / 3600, by: tester, now: realNow() });
    assert.equal((await get('/customers', short.key)).status, 200);
    await pause(1_020);
    assert.equal((await get('/customers', short.key)).status, 401, 'the end is known from the first look-up');
  });

  it('refuses in this order: unauthenticated, publishable, live, scope', async () => {
    const merchant = await makeKeys(db.sql);
    const { key } = await makeKey(db.sql, { livemode: true, scopes: ['events:read'] });
    assert.equal(await codeOf('/clocks', merchant.livePublishable), '403 secret_key_required');
    assert.equal(await codeOf('/clocks', key), '403 sandbox_only');
  });

  it('comes before the request is judged', async () => {
    assert.equal((await api.send('GET', '/customers?bogus=1')).status, 401);
  });
});
