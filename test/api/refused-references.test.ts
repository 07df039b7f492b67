import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Route } from '../../src/api/http/route.ts';
import { readInput } from '../../src/api/middleware/read-input.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { ValidationFailed } from '../../src/services/errors.ts';
import { contextOf } from '../../src/services/request-context.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import type { Reply } from '../support/api.ts';
import { rowCounts, useStage } from '../support/stage.ts';

const writing = allRoutes.flatMap((route) =>
  route.access === 'public' || route.body === undefined ? [] : [{ ...route, access: route.access }],
);

type Ids = Record<(typeof names)[number], string>;
const names = [
  ...(['customer_id', 'payment_method', 'payment_method_id', 'payment_instrument_id'] as const),
  ...(['default_payment_method', 'test_clock'] as const),
];
const idsOf = (customer: string, method: string, clock: string): Ids => ({
  ...{ customer_id: customer, default_payment_method: method, test_clock: clock },
  ...{ payment_method: method, payment_method_id: method, payment_instrument_id: method },
});
const unknown = () => idsOf(newId('customer'), newId('payment_method'), newId('test_clock'));

describe('a refused body that names objects', () => {
  const stage = useStage();

  async function owned(): Promise<Ids> {
    const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
    const customer = await stage.merchant.customer();
    return idsOf(customer.id, await stage.merchant.card(customer.id), clock.id);
  }

  /** A body that no route takes. */
  const send = (route: Route, ids: Ids, key: string): Promise<Reply> =>
    stage.api.send(
      route.method,
      route.path.replaceAll(/:(\w+)/g, () => newId('customer')),
      {
        key,
        body: { ...ids, no_such_field: 1 },
      },
    );

  /** The errors of a response without the ids. */
  function errorsOf({ status, body }: Reply, ids: Ids): string[] {
    const { error } = body;
    const blank = (text: string) => Object.values(ids).reduce((left, id) => left.replaceAll(id, 'ID'), text);
    const details: { path?: string; code: string; message: string }[] = error.details ?? [];
    return [
      `${status} ${error.code}`,
      ...details.map(({ path, code, message }) => `${path} ${code} ${blank(message)}`).sort(),
    ];
  }
  const missing = (errors: string[]) =>
    errors.flatMap((error) => /^\/(\w+) resource_missing/.exec(error)?.slice(1) ?? []);

  it('names those that do not exist, at most two in any route, and only in fields that the route has', async () => {
    const ids = unknown();
    const before = await rowCounts(stage);
    const found: Record<string, string[]> = {};
    for (const route of writing) {
      const errors = errorsOf(await send(route, ids, stage.merchant.key), ids);
      const fields = missing(errors);
      if (fields.length > 0) found[route.operation] = fields;
      assert.ok(fields.length <= 2, `${route.operation}: ${fields}`);
      for (const name of fields) assert.match(JSON.stringify(route.body), new RegExp(`"${name}":`), route.operation);
    }
    assert.deepEqual(found.createPaymentIntent, ['customer_id', 'payment_method']);
    assert.deepEqual(found.createCustomer, ['test_clock']);
    assert.ok(Object.keys(found).length >= 10, Object.keys(found).join());
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('says the same of an object of another biller or the other mode as of none', async () => {
    const theirs = await owned();
    const stranger = await stage.stranger();
    for (const route of writing) {
      const keys = [stranger.keys.sandboxSecret, stranger.keys.liveSecret, stage.keys.liveSecret];
      for (const key of route.access.sandboxOnly ? keys.slice(0, 1) : keys) {
        const ids = unknown();
        const expected = errorsOf(await send(route, ids, key), ids);
        assert.deepEqual(errorsOf(await send(route, theirs, key), theirs), expected, route.operation);
      }
    }
  });

  it('says nothing of objects to a publishable key', async () => {
    const theirs = await owned();
    const open = writing.filter(({ access }) => access.publishable);
    assert.ok(open.length >= 4);
    for (const route of open) {
      const ids = unknown();
      const errors = errorsOf(await send(route, ids, stage.keys.sandboxPublishable), ids);
      assert.deepEqual(missing(errors), [], route.operation);
      assert.deepEqual(errorsOf(await send(route, theirs, stage.keys.sandboxPublishable), theirs), errors);
    }
  });

  it('has at most 100 errors, those of the ids included', async () => {
    for (const count of [98, 99, 100, 150]) {
      const body = Object.fromEntries(Array.from({ length: count }, (_, n) => [`no_such_field_${n}`, 1]));
      const named = { amount: 500, currency: 'AUD', customer_id: 'cus_none', payment_method: 'pm_none' };
      const reply = await stage.request('POST', '/payment_intents', { ...named, ...body });
      assert.deepEqual([reply.status, reply.body.error.details.length], [400, 100], String(count));
    }
  });

  it('has its other errors when the database is unreachable', async () => {
    const [route] = writing.filter(({ operation }) => operation === 'createPaymentIntent');
    assert.ok(route);
    const { sql } = stage.db;
    const lost = (() => Promise.reject(new Error('connection lost'))) as unknown as Db;
    const state = {
      bytes: Buffer.from(JSON.stringify({ amount: 500, currency: 'CAD', customer_id: 'cus_none' })),
      context: contextOf(
        { biller_id: stage.keys.biller.id, livemode: false, id: 'key_none', kind: 'secret' } as never,
        'req_test',
        realNow(),
      ),
      key: { id: 'key_none', kind: 'secret', scopes: [] },
    };
    const ctx = { params: {}, querystring: '', state, get: () => 'application/json' } as never;
    const next = () => assert.fail('a refused body goes no further');
    const pathsBy = (db: Db) =>
      readInput(route, db)(ctx, next).then(
        () => [],
        (error: ValidationFailed) => error.fieldErrors.map(({ path }) => path),
      );
    assert.deepEqual(await pathsBy(sql), ['/currency', '/customer_id']);
    assert.deepEqual(await pathsBy(lost), ['/currency']);
  });
});
