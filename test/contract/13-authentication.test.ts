import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { revokeKey } from '../../src/services/accounts/api-keys.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { makeKey, tester } from '../support/factories.ts';
import { type Stage, useStage } from '../support/stage.ts';
import { card } from './bodies.ts';
import { contractEndpoints, endpoints, nameOf } from './endpoints.ts';
import { succeeding } from './requests.ts';

const command = fileURLToPath(new URL('../../src/processes/cli/main.ts', import.meta.url));

/** Sends a request with this Authorization header, and returns the result. */
async function prepared(stage: Stage, operation: string): Promise<(authorization?: string) => Promise<string>> {
  const prepare = succeeding[operation];
  assert.ok(prepare, operation);
  const { path, body } = await prepare(stage);
  return async (authorization) => {
    const headers = authorization === undefined ? undefined : { Authorization: authorization };
    const reply = await stage.api.send(operation.split(' ')[0] ?? '', path, { body, headers });
    return reply.status < 300 ? 'let in' : `${reply.status} ${reply.body.error.code}`;
  };
}

const call = async (stage: Stage, operation: string, authorization: string): Promise<string> =>
  (await prepared(stage, operation))(authorization);

describe('Authentication', () => {
  const stage = useStage();
  const keyWith = async (scopes: readonly string[]) =>
    (await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes })).key;

  it('scheme: HTTP bearer, the header Authorization: Bearer <API_KEY>', async () => {
    const key = stage.keys.sandboxSecret;
    const operation = 'GET /api/v1/customers';
    assert.equal(await call(stage, operation, `Bearer ${key}`), 'let in');
    for (const other of [key, `Basic ${Buffer.from(`${key}:`).toString('base64')}`, `Token ${key}`]) {
      assert.equal(await call(stage, operation, other), '401 unauthenticated');
    }
  });

  for (const [kind, prefix] of [
    ['sandboxSecret', 'sk_sandbox_'],
    ['sandboxPublishable', 'pk_sandbox_'],
    ['liveSecret', 'sk_'],
    ['livePublishable', 'pk_'],
  ] as const) {
    it(`key kinds: a ${kind} key begins with ${prefix}`, () => {
      assert.ok(stage.keys[kind].startsWith(prefix));
      assert.equal(stage.keys[kind].includes('sandbox'), kind.startsWith('sandbox'));
    });
  }

  it('the payment method create endpoint accepts a publishable key, for fixture tokens too', async () => {
    assert.equal(
      await call(stage, 'POST /api/v1/payment_methods', `Bearer ${stage.keys.sandboxPublishable}`),
      'let in',
    );
    const live = card({ token_metadata: { type: 'vault', token: 'tok_1', data: '' } });
    const key = stage.keys.livePublishable;
    assert.equal((await stage.api.send('POST', '/api/v1/payment_methods', { key, body: live })).status, 200);
  });

  describe('a missing or invalid credential yields 401', () => {
    for (const endpoint of contractEndpoints) {
      it(nameOf(endpoint), async () => {
        const unknown = `sk_sandbox_${'a'.repeat(43)}`;
        const send = await prepared(stage, nameOf(endpoint));
        for (const header of [undefined, '', 'Bearer', `Bearer ${unknown}`, 'Bearer none']) {
          assert.equal(await send(header), '401 unauthenticated', header);
        }
      });
    }

    it('a revoked key, from its revocation on', async () => {
      const { id, key } = await makeKey(stage.db.sql);
      await revokeKey(stage.db.sql, id, { by: tester, now: realNow() });
      assert.equal(await call(stage, 'GET /api/v1/customers', `Bearer ${key}`), '401 unauthenticated');
    });
  });

  for (const [name, rows, group] of [
    ['payment plan endpoints require a secret key with the scope', endpoints.planEndpoints, 'payment_plans'],
    ['test clock endpoints require a sandbox secret key with the scope', endpoints.clockEndpoints, 'test_clocks'],
  ] as const) {
    describe(`${name} ${group}:read to fetch and list, ${group}:write for all else`, () => {
      for (const endpoint of rows) {
        const scope = `${group}:${endpoint.method === 'GET' ? 'read' : 'write'}`;
        it(`${nameOf(endpoint)} requires ${scope}: 403 insufficient_scope without, let in with it alone`, async () => {
          const [alone, without] = [[scope], allScopes.filter((other) => other !== scope)];
          assert.equal(await call(stage, nameOf(endpoint), `Bearer ${await keyWith(alone)}`), 'let in');
          const refused = await call(stage, nameOf(endpoint), `Bearer ${await keyWith(without)}`);
          assert.equal(refused, '403 insufficient_scope');
        });

        it(`${nameOf(endpoint)} refuses a publishable key`, async () => {
          const refused = await call(stage, nameOf(endpoint), `Bearer ${stage.keys.sandboxPublishable}`);
          assert.equal(refused, '403 secret_key_required');
        });
      }
    });
  }

  describe('a live key is rejected with status 403 and code sandbox_only', () => {
    for (const endpoint of endpoints.clockEndpoints) {
      it(nameOf(endpoint), async () => {
        assert.equal(await call(stage, nameOf(endpoint), `Bearer ${stage.keys.liveSecret}`), '403 sandbox_only');
      });
    }
  });

  it('secret keys hold both payment plan scopes by default', async () => {
    const { scopes } = await makeKey(stage.db.sql);
    for (const scope of ['payment_plans:read', 'payment_plans:write']) assert.ok(scopes.includes(scope), scope);
  });

  it('keys are issued from the command line, with all scopes or with the named ones', async function () {
    this.timeout(60_000);
    const issue = async (...more: string[]): Promise<{ id: string; key: string }> => {
      const args = [command, 'keys', 'create', '--mode', 'sandbox', '--biller', stage.keys.biller.id, '--json'];
      const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: stage.db.url };
      return JSON.parse((await promisify(execFile)(process.execPath, [...args, ...more], { env })).stdout);
    };
    const [full, restricted] = await Promise.all([issue(), issue('--scopes', 'payment_plans:read')]);
    const [read, write] = ['GET /api/v1/payment_plans', 'POST /api/v1/payment_plans'];
    for (const operation of [read, write]) assert.equal(await call(stage, operation, `Bearer ${full.key}`), 'let in');
    assert.equal(await call(stage, read, `Bearer ${restricted.key}`), 'let in');
    assert.equal(await call(stage, write, `Bearer ${restricted.key}`), '403 insufficient_scope');
  });
});
