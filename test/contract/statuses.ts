import assert from 'node:assert/strict';
import { after, before } from 'mocha';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { newId } from '../../src/domain/ids.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { document } from '../support/openapi.ts';
import { useStage } from '../support/stage.ts';
import { type Prepare, pathToNothing, putClocksAway, succeeding, unprocessable } from './requests.ts';

/** The tables that are not needed to authenticate a request. */
const neededToLetIn = ['billers', 'api_keys', 'idempotency_keys'];

/** Makes an operation, such as `GET /api/v1/customers`, return a status. */
type Produce = (operation: string, status: number) => Promise<Reply>;

/**
 * Returns responses of every status from every operation, by real apps: one that works, one on a database without its
 * tables, one that refuses every key, and one whose database is away.
 */
export function useStatuses() {
  const stage = useStage();
  const damaged = useDatabase(4, { isDamaged: true });
  const broken = useApi(damaged);
  const limited = useApi(stage.db, undefined, () => ({
    settings: { webhookAllowLoopback: true, rateLimitPerSecond: 0.001, rateLimitBurst: 1 },
  }));
  let nowhere: Pool | undefined;
  const cutOff = useApi(stage.db, undefined, () => {
    nowhere = openPool('postgres://user:password@127.0.0.1:1/none', { max: 1, name: 'test' });
    return { sql: nowhere, checks: { storage: () => Promise.reject(new Error('away')) } };
  });
  const impatient = useApi(stage.db, undefined, () => ({ waits: { idempotencyKeyMs: 500 } }));
  let keyOfBroken = '';

  before('take the tables away', async () => {
    keyOfBroken = (await makeKey(damaged.sql)).key;
    const tables = await damaged.sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' and tablename <> all(${neededToLetIn})`;
    for (const { name } of tables)
      await damaged.sql`alter table ${damaged.sql(name)} rename to ${damaged.sql(`lost_${name}`)}`;
  });
  after('forget the database that is away', () => nowhere?.end());

  async function prepare(operation: string, make: Prepare | undefined) {
    assert.ok(make, `test/contract/requests.ts has no request for ${operation}`);
    await putClocksAway(stage);
    return { method: operation.split(' ')[0] ?? '', ...(await make(stage)) };
  }

  /** Requests are prepared one after the other: one would put the clock away that another has just made. */
  let earlier: Promise<unknown> = Promise.resolve();
  function request(operation: string, make = succeeding[operation]) {
    const prepared = earlier.then(() => prepare(operation, make));
    earlier = prepared.catch(() => {});
    return prepared;
  }

  /** The operation with ids that do not exist: enough for responses that come before any lookup. */
  function blank(operation: string) {
    const [method = '', template = ''] = operation.split(' ');
    return { method, path: template.replaceAll(/\{\w+\}/g, newId('customer')) };
  }

  const succeed: Produce = async (operation, status) => {
    const make = succeeding[`${operation} ${status}`] ?? succeeding[operation];
    const { method, path, body } = await request(operation, make);
    return stage.api.send(method, path, { key: stage.merchant.key, body });
  };

  /** An invalid JSON body, or an unknown query parameter if the operation has no body. */
  const beUnreadable: Produce = async (operation) => {
    const { method, path } = await request(operation);
    const key = stage.merchant.key;
    if (method === 'POST' || method === 'PUT') return stage.api.send(method, path, { key, body: '{"name":' });
    const query = document.paths[operation.split(' ')[1] ?? '']?.[method.toLowerCase()]?.parameters;
    const isList = JSON.stringify(query ?? '').includes('"limit"');
    return stage.api.send(method, `${path}?${isList ? 'limit=101' : 'unknown=1'}`, { key });
  };

  const nameNoKey: Produce = async (operation) => {
    const { method, path, body } = await request(operation);
    return stage.api.send(method, path, { body });
  };

  /** A secret key that lacks only the required scope. */
  const lackScope: Produce = async (operation) => {
    const { method, path, body } = await request(operation);
    const needed = operationOf(operation)['x-required-scope'];
    const scopes = allScopes.filter((scope) => scope !== needed);
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    return stage.api.send(method, path, { key, body });
  };

  const nameNothing: Produce = async (operation) => {
    const { method, body } = await request(operation);
    const path = await pathToNothing(stage, operation.split(' ')[1] ?? '');
    return stage.api.send(method, path, { key: stage.merchant.key, body });
  };

  /** By the operation's own rules if they can, otherwise by an Idempotency-Key of another request. */
  const beUnprocessable: Produce = async (operation) => {
    const make = unprocessable[operation];
    const { method, path, body } = await request(operation, make ?? succeeding[operation]);
    const headers: Record<string, string> = make ? {} : { 'Idempotency-Key': 'once' };
    const key = stage.merchant.key;
    if (!make) await stage.api.send('POST', '/api/v1/customers', { key, headers, body: { name: 'Ada Lovelace' } });
    return stage.api.send(method, path, { key, headers, body });
  };

  const sendTooMuch: Produce = async (operation) => {
    const { method, path } = blank(operation);
    return stage.api.send(method, path, { key: stage.merchant.key, body: `"${'x'.repeat(256 * 1024)}"` });
  };

  const askTooOften: Produce = async (operation) => {
    const { method, path } = blank(operation);
    const { key } = stage.merchant;
    await limited.send('GET', '/api/v1/customers', { key });
    return limited.send(method, path, { key });
  };

  const meetABug: Produce = async (operation) => {
    const { method, path, body } = await request(operation);
    return broken.send(method, path, { key: keyOfBroken, body });
  };

  const findNoDatabase: Produce = async (operation) => {
    const { method, path } = blank(operation);
    return cutOff.send(method, path, { key: stage.merchant.key });
  };

  /** While another transaction, and another process, holds the Idempotency-Key. */
  const collide: Produce = async (operation) => {
    const { method, path, body } = await request(operation);
    const { biller, sandboxSecret: key } = stage.keys;
    const name = `busy ${operation}`;
    const other = await stage.db.sql.reserve();
    try {
      await other`begin`;
      await other`
        insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
        values (${biller.id}, false, ${name}, ${Buffer.alloc(32)}, 'test', now(), now() + interval '1 day')`;
      await other`select pg_advisory_xact_lock(hashtextextended(${`idempotency/${biller.id}/false/${name}`}, 0))`;
      return await impatient.send(method, path, { key, body, headers: { 'Idempotency-Key': name } });
    } finally {
      await other`rollback`;
      other.release();
    }
  };

  const byStatus: Readonly<Record<number, Produce>> = {
    200: succeed,
    201: succeed,
    202: succeed,
    400: beUnreadable,
    401: nameNoKey,
    403: lackScope,
    404: nameNothing,
    409: collide,
    413: sendTooMuch,
    422: beUnprocessable,
    429: askTooOften,
    500: meetABug,
    503: findNoDatabase,
  };
  return {
    stage,
    /**
     * Sends a request that should get this status, and returns the response. Every response is checked against the
     * document.
     */
    async answer(operation: string, status: number): Promise<Reply> {
      const produce = byStatus[status];
      assert.ok(produce, `nothing here brings ${status} about`);
      return produce(operation, status);
    },
  };
}

/** The operation's entry in the document. */
export function operationOf(operation: string): Record<string, unknown> {
  const [method = '', path = ''] = operation.split(' ');
  const entry = asNode(document.paths[path]?.[method.toLowerCase()]);
  assert.ok(entry, `the document has no ${operation}`);
  return entry;
}
