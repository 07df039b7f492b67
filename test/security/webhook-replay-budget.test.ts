import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { type Id, newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { replayWebhookDeliveries } from '../../src/services/webhooks/deliveries.ts';
import { replayHostOf } from '../../src/services/webhooks/replay-budget.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { deliveryOf, makeCall, makeEndpoint, makeEvent, webhookDeps } from '../support/webhooks.ts';

const since = '2026-01-01T00:00:00Z';

describe('replays at one host', () => {
  const db = useDatabase(10);
  // Two processes: what one has granted the other must know.
  const apis = [0, 1].map(() => useApi(db, undefined, () => ({ vault: webhookDeps.vault })));
  let billerId: Id<'biller'>;
  let key = '';

  before('make a biller with 10,001 events', async () => {
    billerId = (await makeBiller(db.sql)).id;
    key = (await makeKey(db.sql, { billerId })).key;
    await makeEvent(db.sql, await makeCall(db.sql, { billerId }));
    await db.sql`
      with counter as (
        update event_sequences set last_sequence = last_sequence + 10000
        where biller_id = ${billerId} and not livemode returning last_sequence - 10000 as last
      )
      insert into events (id, biller_id, livemode, sequence, event_type, subject_id, data, created_at, recorded_at)
      select 'evt_' || lpad(n::text, 32, '0'), ${billerId}, false, last + n, 'payment_plan.closed', ${newId('payment_plan')}, '{}', now(), now()
      from counter, generate_series(1, 10000) n`;
  });

  const api = (nth: number) => apis[nth % 2] ?? assert.fail();
  const make = async (url: string, billersId = billerId) => {
    const call = await makeCall(db.sql, { billerId: billersId });
    return (await makeEndpoint(db.sql, call, url)).id;
  };
  const post = (path: string, body: unknown = {}, nth = 0, by = key): Promise<Reply> =>
    api(nth).send('POST', `/api/v1${path}`, { key: by, body });
  const replay = (id: string, nth = 0) => post(`/webhook_endpoints/${id}/replay`, { since, status: 'all' }, nth);
  /**
   * As if so many deliveries had been asked for. Noted at a later instant, so that none comes back while a test runs.
   */
  const use = (host: string, used: number, { livemode = false, at = new Date(realNow().getTime() + 3_600_000) } = {}) =>
    db.sql`
      insert into webhook_replay_budgets (biller_id, livemode, host, used, as_of)
      values (${billerId}, ${livemode}, ${host}, ${used}, ${at})
      on conflict (biller_id, livemode, host) do update set used = ${used}, as_of = ${at}`;

  function assertSpent(reply: Reply, host: string): void {
    assert.deepEqual(
      [reply.status, reply.body.error?.type, reply.body.error?.code, reply.headers.get('retry-after')],
      [429, 'rate_limit_error', 'webhook_replay_limit', '36'],
      reply.text,
    );
    assert.ok(reply.body.error.message.includes(host), reply.text);
    assert.match(reply.body.error.message, /Retry-After/);
  }

  it('end at 20,000 deliveries an hour, over any number of endpoints, ports, paths and subdomains', async () => {
    const urls = [
      'https://hooks.victim.example/a',
      'https://x1.hooks.victim.example:8443/b',
      'https://VICTIM.example./c',
    ];
    const [first = '', second = '', third = ''] = await Promise.all(urls.map((url) => make(url)));
    assert.deepEqual([(await replay(first)).body.enqueued, (await replay(second, 1)).body.enqueued], [10_000, 10_000]);
    const [budget] = await db.sql`
      select used from webhook_replay_budgets where biller_id = ${billerId} and host = 'victim.example'`;
    // Since the first of them 5.6 a second have come back.
    assert.ok(budget?.used > 19_700 && budget?.used <= 20_000, String(budget?.used));
    await use('victim.example', 20_000);
    for (const nth of [0, 1]) assertSpent(await replay(third, nth), 'victim.example');
    const [made] = await db.sql`select count(*)::integer as n from webhook_deliveries where endpoint_id = ${third}`;
    assert.equal(made?.n, 0);
  });

  it('do not use the budgets of other hosts, other billers and the other mode', async () => {
    await use('spent.example', 20_000);
    assert.equal((await replay(await make('https://other.example/a'))).status, 200);
    const strangerId = (await makeBiller(db.sql)).id;
    const { key: strangersKey } = await makeKey(db.sql, { billerId: strangerId });
    const theirs = await make('https://spent.example/a', strangerId);
    assert.equal((await post(`/webhook_endpoints/${theirs}/replay`, { since }, 0, strangersKey)).status, 200);
    await use('live.example', 20_000, { livemode: true });
    assert.equal((await post(`/webhook_endpoints/${await make('https://live.example/a')}/ping`)).status, 200);
  });

  it('share their budget with retries and pings', async () => {
    const id = await make('https://mixed.example/a');
    const deliveryId = await deliveryOf(db.sql, await makeEvent(db.sql, await makeCall(db.sql, { billerId })), id);
    await use('mixed.example', 19_997);
    assert.equal((await post(`/webhook_endpoints/${id}/ping`)).status, 200);
    assert.equal((await post(`/webhook_deliveries/${deliveryId}/retry`)).status, 200);
    const { body } = await replay(id);
    assert.deepEqual([body.enqueued, body.has_more], [1, true]);
    assertSpent(await post(`/webhook_endpoints/${id}/ping`), 'mixed.example');
    assertSpent(await post(`/webhook_deliveries/${deliveryId}/retry`), 'mixed.example');
    const events = await db.sql`
      select 1 from events where subject_id = ${id} and event_type = 'webhook_endpoint.ping'`;
    assert.equal(events.length, 1, 'a refused ping leaves nothing behind');
  });

  it('share what is left when they race in two processes', async () => {
    await use('race.example', 19_900);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => make(`https://h${n}.race.example/`)));
    const replies = await Promise.all(ids.map((id, nth) => replay(id, nth)));
    const taken = replies.filter(({ status }) => status === 200).map(({ body }) => body.enqueued);
    assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 429]);
    const sum = taken.reduce((total, each) => total + each, 0);
    assert.equal(sum, 100);
  });

  it('continue after Retry-After with a hundredth of the budget, and after an hour with all of it', async () => {
    const id = await make('https://later.example/');
    const now = realNow();
    await use('later.example', 20_000, { at: now });
    const at = async (seconds: number) =>
      replayWebhookDeliveries(db.sql, await makeCall(db.sql, { billerId, now: addMs(now, seconds * 1000) }), id, {
        since,
      });
    const some = await at(36);
    assert.deepEqual([some.enqueued, some.hasMore], [200, true]);
    await assert.rejects(at(30), { code: 'webhook_replay_limit' }, 'a clock that is behind brings nothing back');
    const rest = await at(3700);
    assert.deepEqual([rest.enqueued >= 9_800, rest.hasMore], [true, false]);
  });

  it('are counted by the last two labels of the host, or by the address', () => {
    const hosts: Record<string, string> = {
      'https://example.com/x': 'example.com',
      'https://a.b.c.example.com:8443/x': 'example.com',
      'https://EXAMPLE.com.': 'example.com',
      'https://bücher.example/': 'xn--bcher-kva.example',
      'http://localhost:3000/': 'localhost',
      'http://127.0.0.1:3000/': '127.0.0.1',
      'http://0x7f.1/': '127.0.0.1',
      'http://2130706433/': '127.0.0.1',
      'http://[::1]:80/': '[::1]',
      'http://[2001:db8::0:1]/': '[2001:db8::1]',
    };
    for (const [url, host] of Object.entries(hosts)) assert.equal(replayHostOf(url), host, url);
  });

  it('get 404 for an unknown endpoint, whatever the budget', async () => {
    assert.equal((await replay(newId('webhook_endpoint'))).status, 404);
  });
});
