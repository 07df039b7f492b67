import assert from 'node:assert/strict';
import { promises as dns } from 'node:dns';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { before, describe, it } from 'mocha';
import { eventRoutes } from '../../src/api/routes/events.ts';
import { webhookRoutes } from '../../src/api/routes/webhooks.ts';
import type { Id } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { createWebhookSender } from '../../src/services/webhooks/sender.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { makeCall, makeEvent, useReceiver, webhookDeps } from '../support/webhooks.ts';

const endpoints = '/api/v1/webhook_endpoints';
const unknown = (prefix: string) => `${prefix}_00000000000000000000000000000000`;

describe('the webhook endpoints of the API', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const api = useApi(db, [...webhookRoutes, ...eventRoutes], () => ({
    vault: webhookDeps.vault,
  }));
  let billerId: Id<'biller'>;
  let key: string;
  let liveKey: string;

  before(async () => {
    billerId = (await makeBiller(db.sql)).id;
    key = (await makeKey(db.sql, { billerId })).key;
    liveKey = (await makeKey(db.sql, { billerId, livemode: true })).key;
  });

  const post = (path: string, body: unknown = {}, by = key, headers = {}) =>
    api.send('POST', path, { key: by, body, headers });
  const get = (path: string, by = key) => api.send('GET', path, { key: by });
  const put = (id: string, body: unknown, by = key) => api.send('PUT', `${endpoints}/${id}`, { key: by, body });
  const register = async (body: object = {}, by = key): Promise<Reply['body']> => {
    const reply = await post(endpoints, { url: receiver.url, ...body }, by);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const remove = (id: string, by = key) => api.send('DELETE', `${endpoints}/${id}`, { key: by });
  const faultsOf = ({ status, body }: Reply) => [
    status,
    body.error.code,
    ...body.error.details.map((each: { path: string; code: string }) => `${each.path} ${each.code}`),
  ];
  const deliver = async (id: string) => {
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 500 });
    await attemptDelivery(db.sql, { ...webhookDeps, sender, now: realNow, random: () => 0.5 }, id, null);
    await sender.close();
  };

  it('are made with 201 and a secret that is shown once', async () => {
    const made = await register({ event_types: ['payment_plan.*', 'refund.failed'], description: 'Books' });
    assert.match(made.id, /^we_[0-9A-Za-z]{32}$/);
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...shown } = made;
    assert.deepEqual(
      { ...shown, id: '', created_at: '', updated_at: '' },
      {
        id: '',
        url: `${receiver.url}/`,
        event_types: ['payment_plan.*', 'refund.failed'],
        description: 'Books',
        status: 'enabled',
        disabled_reason: null,
        verified_at: null,
        livemode: false,
        created_at: '',
        updated_at: '',
      },
    );
    const fetched = await get(`${endpoints}/${made.id}`);
    assert.deepEqual([fetched.status, fetched.body], [200, shown]);
    const listed = await get(endpoints);
    assert.ok(!listed.text.includes(secret));
    const [row] =
      await db.sql`select encode(sealed_secret, 'escape') as sealed from webhook_endpoints where id = ${made.id}`;
    assert.ok(!row?.sealed.includes(secret));
    await remove(made.id);
  });

  it('subscribe to everything when nothing is said', async () => {
    const made = await register();
    assert.deepEqual(made.event_types, ['*']);
    await remove(made.id);
  });

  it('are made once for an Idempotency-Key, with the same secret in the repeated answer', async () => {
    const headers = { 'Idempotency-Key': 'endpoint-1' };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => post(endpoints, { url: receiver.url }, key, headers)),
    );
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1);
    assert.equal(replies[0]?.status, 201);
    await remove(replies[0]?.body.id);
  });

  it('have their host looked up before the transaction of an Idempotency-Key, and not again for a repeated answer', async () => {
    const openTransactions = async () => {
      const rows = await db.sql`
        select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      return rows.length;
    };
    const seen: number[] = [];
    const lookUp = mock.method(dns.Resolver.prototype, 'resolve4', async () => {
      await pause(100);
      seen.push(await openTransactions());
      return ['8.8.8.8'];
    });
    mock.method(dns.Resolver.prototype, 'resolve6', async () => []);
    const register = (host: string, id: string) =>
      post(endpoints, { url: `https://${host}/hooks` }, key, { 'Idempotency-Key': id });
    try {
      const first = await register('hooks.example.com', 'endpoint-2');
      assert.deepEqual([first.status, seen], [201, [0]]);
      lookUp.mock.mockImplementation(async () => {
        throw new Error('the name server is away');
      });
      const again = await register('hooks.example.com', 'endpoint-2');
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(lookUp.mock.callCount(), 1);
      const fresh = await register('hooks.example.invalid', 'endpoint-3');
      assert.deepEqual(faultsOf(fresh), [422, 'validation_failed', '/url url_unresolvable']);
      await remove(first.body.id);
    } finally {
      mock.restoreAll();
    }
  });

  it('are refused with every fault at once', async () => {
    const reply = await post(endpoints, {
      url: 'http://10.0.0.1/',
      event_types: ['payment_plan.paid', 'payment_plan.*', 'payment_plan.*', 'plans.*'],
    });
    assert.deepEqual(faultsOf(reply), [
      422,
      'validation_failed',
      '/url url_not_public',
      '/event_types/0 unknown_event_type',
      '/event_types/2 duplicate',
      '/event_types/3 unknown_event_type',
    ]);
    assert.deepEqual(faultsOf(await post(endpoints, {})).slice(0, 2), [422, 'validation_failed']);
    assert.deepEqual(faultsOf(await post(endpoints, { url: receiver.url, event_types: [] })).slice(0, 1), [422]);
    assert.match(
      JSON.stringify(faultsOf(await post(endpoints, { url: receiver.url, events: ['*'] }))),
      /unknown_parameter/,
    );
  });

  it('are https and public in live mode', async () => {
    for (const [url, code] of [
      [receiver.url, 'url_invalid'],
      ['https://127.0.0.1/', 'url_not_public'],
    ]) {
      assert.deepEqual(faultsOf(await post(endpoints, { url }, liveKey)), [422, 'validation_failed', `/url ${code}`]);
    }
    const made = await register({ url: 'https://8.8.8.8/hook' }, liveKey);
    assert.equal(made.livemode, true);
    assert.equal((await get(`${endpoints}/${made.id}`)).status, 404);
    assert.equal((await get(`${endpoints}/${made.id}`, liveKey)).status, 200);
  });

  it('are at most sixteen in each mode', async () => {
    const { id } = await makeBiller(db.sql);
    const own = (await makeKey(db.sql, { billerId: id })).key;
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(endpoints, { url: receiver.url }, own)));
    assert.equal(replies.filter((reply) => reply.status === 201).length, 16);
    const refused = replies.find((reply) => reply.status !== 201);
    assert.deepEqual([refused?.status, refused?.body.error.code], [422, 'webhook_endpoint_limit']);
    const page = await get(`${endpoints}?limit=10`, own);
    assert.deepEqual([page.body.data.length, page.body.has_more], [10, true]);
    const rest = await get(`${endpoints}?limit=10&starting_after=${page.body.data[9].id}`, own);
    assert.deepEqual([rest.body.data.length, rest.body.has_more], [6, false]);
  });

  it('are changed, disabled and enabled by PUT', async () => {
    const made = await register();
    const changed = await put(made.id, { url: `${receiver.url}/new`, event_types: ['refund.*'], description: null });
    assert.deepEqual(
      [changed.status, changed.body.url, changed.body.event_types, changed.body.secret],
      [200, `${receiver.url}/new`, ['refund.*'], undefined],
    );
    const disabled = await put(made.id, { status: 'disabled' });
    assert.deepEqual([disabled.body.status, disabled.body.disabled_reason], ['disabled', 'requested']);
    assert.deepEqual((await put(made.id, { status: 'disabled' })).body.disabled_reason, 'requested');
    const enabled = await put(made.id, { status: 'enabled' });
    assert.deepEqual([enabled.body.status, enabled.body.disabled_reason], ['enabled', null]);
    assert.deepEqual(enabled.body.event_types, ['refund.*']);
    assert.deepEqual(faultsOf(await put(made.id, { url: 'https://[::1]:1/#x' })), [
      422,
      'validation_failed',
      '/url url_invalid',
    ]);
    assert.equal((await put(made.id, {})).status, 200);
    await remove(made.id);
  });

  it('are deleted once, and then gone', async () => {
    const made = await register();
    const deleted = await remove(made.id);
    assert.deepEqual([deleted.status, deleted.body], [200, { id: made.id, deleted: true }]);
    for (const reply of [
      await remove(made.id),
      await get(`${endpoints}/${made.id}`),
      await put(made.id, {}),
      await post(`${endpoints}/${made.id}/ping`),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_missing']);
    }
    assert.ok(!(await get(endpoints)).text.includes(made.id));
  });

  it('get a new secret by rotation', async () => {
    const made = await register();
    const rotated = await post(`${endpoints}/${made.id}/rotate_secret`);
    assert.equal(rotated.status, 200);
    assert.match(rotated.body.secret, /^whsec_/);
    assert.notEqual(rotated.body.secret, made.secret);
    for (const overlap_hours of [-1, 169, 1.5, '24']) {
      const reply = await post(`${endpoints}/${made.id}/rotate_secret`, { overlap_hours });
      assert.deepEqual(faultsOf(reply).slice(0, 2), [422, 'validation_failed']);
    }
    await remove(made.id);
  });

  it('are pinged, and the delivery tells how it went', async () => {
    receiver.reset();
    const made = await register({ event_types: ['refund.failed'] });
    const ping = await post(`${endpoints}/${made.id}/ping`);
    assert.deepEqual([ping.status, ping.body.status, ping.body.attempts], [200, 'pending', []]);
    await deliver(ping.body.id);
    const delivery = await get(`/api/v1/webhook_deliveries/${ping.body.id}`);
    assert.equal(delivery.status, 200);
    const [attempt] = delivery.body.attempts;
    assert.deepEqual(
      { ...delivery.body, attempts: [{ ...attempt, at: '', duration_ms: 0 }] },
      {
        id: ping.body.id,
        event_id: ping.body.event_id,
        event_type: 'webhook_endpoint.ping',
        endpoint_id: made.id,
        status: 'delivered',
        failure_reason: null,
        attempts: [{ at: '', status_code: 200, error: null, duration_ms: 0, response_excerpt: 'ok' }],
        next_attempt_at: null,
        livemode: false,
        created_at: ping.body.created_at,
      },
    );
    const event = await get(`/api/v1/events/${ping.body.event_id}`);
    const { data, ...envelope } = JSON.parse(receiver.received[0]?.body ?? '');
    const { challenge, ...told } = data;
    assert.deepEqual({ ...envelope, data: told }, event.body);
    assert.match(challenge, /^whc_[\w-]{32}$/);
    assert.equal(event.body.request_id, ping.headers.get('request-id'));
    await remove(made.id);
  });

  it('list their deliveries, by status and in pages, and retry and replay them', async () => {
    const since = realNow().toISOString();
    const made = await register();
    const call = await makeCall(db.sql, { billerId });
    for (let count = 0; count < 3; count++) await makeEvent(db.sql, call);
    const path = `${endpoints}/${made.id}/deliveries`;
    const all = await get(path);
    assert.deepEqual([all.status, all.body.data.length, all.body.has_more], [200, 3, false]);
    const [newest, middle, oldest] = all.body.data;
    const page = await get(`${path}?limit=1&starting_after=${newest.id}`);
    assert.deepEqual([page.body.data[0].id, page.body.has_more], [middle.id, true]);
    await deliver(oldest.id);
    const delivered = await get(`${path}?status=delivered`);
    assert.deepEqual(
      delivered.body.data.map((each: { id: string; attempts: unknown[] }) => [each.id, each.attempts.length]),
      [[oldest.id, 1]],
    );
    const retried = await post(`/api/v1/webhook_deliveries/${oldest.id}/retry`);
    assert.deepEqual([retried.status, retried.body.status, retried.body.attempts.length], [200, 'pending', 1]);

    await put(made.id, { status: 'disabled' });
    assert.deepEqual((await get(`${path}?status=failed`)).body.data.length, 3);
    for (const refused of [
      await post(`/api/v1/webhook_deliveries/${oldest.id}/retry`),
      await post(`${endpoints}/${made.id}/replay`, { since }),
      await post(`${endpoints}/${made.id}/ping`),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    }
    await put(made.id, { status: 'enabled' });
    const replayed = await post(`${endpoints}/${made.id}/replay`, { since });
    assert.deepEqual(
      [replayed.status, replayed.body],
      [200, { enqueued: 3, has_more: false, last_event_id: newest.event_id }],
    );
    assert.deepEqual(
      faultsOf(await post(`${endpoints}/${made.id}/replay`, { since, starting_after: unknown('evt') })),
      [422, 'validation_failed', '/starting_after resource_missing'],
    );
    const backwards = { since, until: '2020-01-01T00:00:00Z' };
    assert.deepEqual(faultsOf(await post(`${endpoints}/${made.id}/replay`, backwards)), [
      422,
      'validation_failed',
      '/until out_of_range',
    ]);
    assert.equal((await post(`${endpoints}/${made.id}/replay`, { status: 'all' })).status, 422);
    assert.equal((await get(`${path}?status=sent`)).status, 400);
    assert.equal((await get(`${path}?starting_after=${unknown('whd')}`)).status, 400);
    await remove(made.id);
  });

  it('show events as a list, by type and by test clock', async () => {
    const { id } = await makeBiller(db.sql);
    const own = (await makeKey(db.sql, { billerId: id })).key;
    const call = await makeCall(db.sql, { billerId: id });
    const first = await makeEvent(db.sql, call, { type: 'payment_plan.activated' });
    const second = await makeEvent(db.sql, call, { type: 'payment_plan.closed' });
    const list = await get('/api/v1/events', own);
    assert.deepEqual(
      list.body.data.map((event: { id: string; sequence: number }) => [event.id, event.sequence]),
      [
        [second, 2],
        [first, 1],
      ],
    );
    assert.deepEqual((await get('/api/v1/events?event_type=payment_plan.closed', own)).body.data.length, 1);
    assert.deepEqual((await get(`/api/v1/events?test_clock=${unknown('clk')}`, own)).body.data, []);
    assert.equal((await get(`/api/v1/events?starting_after=${unknown('evt')}`, own)).status, 400);
    assert.equal((await get('/api/v1/events?limit=0', own)).status, 400);
  });
});
