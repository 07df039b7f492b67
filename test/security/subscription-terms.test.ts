import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { makeKey } from '../support/factories.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const fee = (name: string) => ({ one_off_items: [{ name, unit_amount_cents: 2500 }] });
const discount = (name: string) => ({ discounts: [{ name, percent_off: 50, periods: 1 }] });

/** Requests for an active subscription: one that its owner may make, and one that it refuses. */
const requests = [
  ['PUT', '', fee('Joining fee'), { one_off_items: [{ name: 'Towers', unit_amount_cents: 99_999_999 }] }],
  ['PUT', '', discount('Half'), { discounts: [{ name: 'Both', percent_off: 1, amount_off_cents: 1 }] }],
  ['POST', '/pause', { from: '2027-03-10', resumes_at: '2027-03-20' }, { from: '2027-03-01' }],
  ['POST', '/cancel', { at: '2027-03-10' }, { at: '2027-03-01' }],
] as const;

describe('the dates, fees and discounts of a subscription', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const send = (key: string | undefined, method: string, path: string, body: unknown) =>
    stage.api.send(method, `/api/v1/subscriptions/${path}`, { body, ...(key === undefined ? {} : { key }) });
  const shown = async (id: string) => ({
    subscription: await subscriber.get(id),
    periods: await subscriber.periods(id),
    events: await subscriber.events(id),
  });

  it('are in the hands of a key that may write subscriptions, and nothing is left of what another sends', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause');
    await here.advance('2027-02-10T00:00:00Z');
    const active = await subscriber.started();
    const stranger = await stage.stranger();
    const billerId = stage.keys.biller.id;
    const scopes = allScopes.filter((scope) => scope !== 'subscriptions:write');
    const { key: reader } = await makeKey(stage.db.sql, { billerId, scopes });
    const { key: writer } = await makeKey(stage.db.sql, { billerId, scopes: ['subscriptions:write'] });
    const wrong = [
      [undefined, '401 unauthenticated'],
      [stage.keys.sandboxPublishable, '403 secret_key_required'],
      [reader, '403 insufficient_scope'],
      [stage.keys.liveSecret, '404 resource_missing'],
      [stranger.keys.sandboxSecret, '404 resource_missing'],
      [stranger.keys.liveSecret, '404 resource_missing'],
    ] as const;
    const all = [
      ...requests.map(([method, path, good]) => [method, `${active}${path}`, good] as const),
      ['POST', `${id}/resume`, { anchor_day: 10 }] as const,
    ];
    const before = [await shown(id), await shown(active)];
    for (const [method, path, body] of all) {
      for (const [key, refused] of wrong) {
        const reply = await send(key, method, path, body);
        assert.equal(`${reply.status} ${reply.body.error?.code}`, refused, `${path} ${reply.text}`);
      }
    }
    assert.deepEqual([await shown(id), await shown(active)], before);
    for (const [method, path, body] of all) {
      const reply = await send(writer, method, path, body);
      assert.equal(reply.status, 200, `${path} ${reply.text}`);
    }
  });

  it('are refused to another biller in words that tell nothing of the subscription', async () => {
    const id = await subscriber.started();
    const { keys } = await stage.stranger();
    for (const [method, path, , bad] of requests) {
      refusal(await send(stage.keys.sandboxSecret, method, `${id}${path}`, bad), 422);
      const reply = await send(keys.sandboxSecret, method, `${id}${path}`, bad);
      const unknown = await send(keys.sandboxSecret, method, `${id.slice(0, -6)}zzzzzz${path}`, bad);
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_missing'], reply.text);
      const wordsOf = (text: string) => text.replaceAll(/sub_\w+|req_\w+/g, '');
      assert.equal(wordsOf(reply.text), wordsOf(unknown.text));
    }
  });

  it('that are refused leave nothing behind, and do not use up their Idempotency-Key', async () => {
    const id = await subscriber.started();
    const before = await shown(id);
    const keyed = (path: string, body: unknown) =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}${path}`, {
        ...{ key: stage.keys.sandboxSecret, body },
        headers: { 'Idempotency-Key': `key of ${path}` },
      });
    for (const [method, path, , bad] of requests) {
      if (method === 'PUT') refusal(await send(stage.keys.sandboxSecret, method, id, { ...fee('Towel'), ...bad }), 422);
      else refusal(await keyed(path, bad), 422);
      assert.deepEqual(await shown(id), before, path);
    }
    for (const [method, path, good] of requests) {
      if (method === 'PUT') continue;
      const first = await keyed(path, good);
      assert.equal(first.status, 200, first.text);
      assert.equal((await keyed(path, good)).text, first.text);
    }
  });

  it('are begun once by a resume that is sent twice with one key, and are the short period that it names', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause');
    await here.advance('2027-03-03T00:00:00Z');
    const resume = (anchor_day: number) =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/resume`, {
        ...{ key: stage.keys.sandboxSecret, body: { anchor_day } },
        headers: { 'Idempotency-Key': 'resume' },
      });
    const replies = await Promise.all([resume(10), resume(10)]);
    assert.deepEqual([replies[0]?.status, replies[1]?.text], [200, replies[0]?.text]);
    const other = await resume(11);
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused']);
    assert.deepEqual([...stage.ledger.taken.values()], [4900, 1225]);
  });

  it('take hostile names as text, and refuse what no name can have', async () => {
    const id = await subscriber.started();
    for (const name of ["'; drop table subscriptions; --", '</script><b>', '{{7*7}}', '..%2f', '[2027]']) {
      const reply = await send(stage.keys.sandboxSecret, 'PUT', id, { ...fee(name), ...discount(name) });
      assert.deepEqual([reply.body.one_off_items[0].name, reply.body.next_discounts[0].name], [name, name]);
    }
    const before = await shown(id);
    for (const name of ['', ' ', 'a\u0000b', 'x'.repeat(1000), 7, null, ['x']]) {
      const body = { ...fee(name as string), ...discount(name as string) };
      const reply = await send(stage.keys.sandboxSecret, 'PUT', id, body);
      const paths = refusal(reply, 422).map((error) => error.split(' ')[0]);
      assert.deepEqual(paths.sort(), ['/discounts/0/name', '/one_off_items/0/name'], String(name));
    }
    assert.deepEqual(await shown(id), before);
  });
});
