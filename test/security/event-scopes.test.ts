import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import type { Id } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type EventType, eventTypes, subscriptions } from '../../src/resources/event-catalogue.ts';
import { paymentPlanExample } from '../../src/resources/payment-plan.ts';
import { allScopes, type Scope } from '../../src/services/accounts/scopes.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { createWebhookSender } from '../../src/services/webhooks/sender.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { deliveryOf, makeCall, makeEvent, useReceiver, webhookDeps } from '../support/webhooks.ts';

const endpoints = '/api/v1/webhook_endpoints';
const since = '2026-01-01T00:00:00Z';

/** The documented rule, by event group. */
const readScopes: Record<string, Scope> = {
  payment_intent: 'payment_intents:read',
  refund: 'payment_intents:read',
  mandate: 'mandates:read',
  payment_plan: 'payment_plans:read',
  payout: 'balance:read',
  dispute: 'balance:read',
  payment_link: 'payment_links:read',
  checkout_session: 'payment_links:read',
  subscription: 'subscriptions:read',
  test_clock: 'test_clocks:read',
  webhook_endpoint: 'webhooks:read',
};
const groupOf = (subscription: string) => subscription.split('.')[0] ?? '';

describe('events and the keys that may read them', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const api = useApi(db, undefined, () => ({ vault: webhookDeps.vault }));
  let billerId: Id<'biller'>;
  let full = '';

  before('make a biller', async () => {
    billerId = (await makeBiller(db.sql)).id;
    full = (await makeKey(db.sql, { billerId })).key;
  });

  const keyWith = async (...scopes: Scope[]) => (await makeKey(db.sql, { billerId, scopes })).key;
  const send = (method: string, path: string, key: string, body?: unknown) => api.send(method, path, { key, body });
  const register = (key: string, event_types?: string[]) =>
    send('POST', endpoints, key, { url: receiver.url, event_types });
  const remove = (id: string) => send('DELETE', `${endpoints}/${id}`, full);

  /** Runs the work with an endpoint of the biller, created with a full key and removed afterwards. */
  async function withEndpoint(event_types: string[], work: (id: string) => Promise<void>): Promise<void> {
    const { body } = await register(full, event_types);
    await work(body.id);
    await remove(body.id);
  }

  function assertRefused(reply: Reply, ...named: string[]): void {
    assert.equal(`${reply.status} ${reply.body.error?.code}`, '403 insufficient_scope', reply.text);
    for (const scope of named) assert.ok(reply.body.error.message.includes(scope), reply.text);
  }

  it('cannot be subscribed to with webhooks:write alone', async () => {
    const key = await keyWith('webhooks:write');
    for (const subscription of subscriptions) {
      const scope = readScopes[groupOf(subscription)];
      assertRefused(await register(key, [subscription]), 'events:read', ...(scope === undefined ? [] : [scope]));
    }
    assertRefused(await register(key), 'events:read');
    const { body } = await send('GET', endpoints, full);
    assert.deepEqual(body.data, []);
  });

  it('can be subscribed to with events:read or the read scope of their resource, and no other scope', async () => {
    for (const subscription of subscriptions) {
      const wanted = readScopes[groupOf(subscription)];
      for (const scope of allScopes) {
        if (scope === 'webhooks:write') continue;
        const reply = await register(await keyWith('webhooks:write', scope), [subscription]);
        const may = scope === 'events:read' || scope === wanted;
        assert.equal(reply.status, may ? 201 : 403, `${subscription} with ${scope}: ${reply.text}`);
        if (may) await remove(reply.body.id);
      }
    }
  });

  it('are refused together if one of several may not be read; the message names the missing scope', async () => {
    const key = await keyWith('webhooks:write', 'payment_plans:read');
    const reply = await register(key, ['payment_plan.*', 'refund.failed', 'test_clock.ready']);
    assertRefused(reply, 'refund.failed', 'test_clock.ready', 'payment_intents:read', 'test_clocks:read');
    assert.ok(!reply.body.error.message.includes('payment_plan'), reply.text);
  });

  it('cannot be redirected, changed or enabled with a key that may not read them', async () => {
    const key = await keyWith('webhooks:write', 'payment_plans:read');
    await withEndpoint(['payment_intent.*'], async (id) => {
      const path = `${endpoints}/${id}`;
      const url = `${receiver.url}/mine`;
      for (const body of [
        { url },
        { event_types: ['*'] },
        { status: 'enabled' },
        { url, event_types: ['refund.failed'] },
        { url, event_types: ['payment_plan.closed'] },
        { event_types: ['payment_plan.closed'] },
      ]) {
        assertRefused(await send('PUT', path, key, body), 'events:read');
      }
      const { body: kept } = await send('GET', path, full);
      assert.deepEqual([kept.url, kept.event_types], [`${receiver.url}/`, ['payment_intent.*']]);
      for (const body of [{ description: 'Books' }, { status: 'disabled' }]) {
        assert.equal((await send('PUT', path, key, body)).status, 200, JSON.stringify(body));
      }
    });
    await withEndpoint(['payment_plan.*'], async (id) => {
      const body = { url: `${receiver.url}/mine`, event_types: ['payment_plan.closed'] };
      assert.equal((await send('PUT', `${endpoints}/${id}`, key, body)).status, 200);
    });
  });

  it('cannot be redirected while they wait, also where the endpoint no longer subscribes to them', async () => {
    const key = await keyWith('webhooks:write', 'payment_plans:read');
    await withEndpoint(['*'], async (id) => {
      const call = await makeCall(db.sql, { billerId });
      await deliveryOf(db.sql, await makeEvent(db.sql, call, { type: 'payment_intent.failed' }), id);
      const path = `${endpoints}/${id}`;
      const url = `${receiver.url}/mine`;
      const narrowed = await send('PUT', path, full, { event_types: ['payment_plan.*'] });
      assert.equal(narrowed.status, 200, narrowed.text);
      for (const body of [{ url }, { url, event_types: ['payment_plan.closed'] }, { status: 'enabled' }]) {
        assertRefused(await send('PUT', path, key, body), 'payment_intents:read');
      }
      assert.equal((await send('GET', path, full)).body.url, `${receiver.url}/`);
      const fuller = await keyWith('webhooks:write', 'payment_plans:read', 'payment_intents:read');
      assert.equal((await send('PUT', path, fuller, { url })).status, 200);
    });
  });

  it('cannot be replayed to an endpoint with a key that may not read what it subscribes to', async () => {
    const eventId = await makeEvent(db.sql, await makeCall(db.sql, { billerId }));
    await withEndpoint(['*'], async (id) => {
      const replay = async (...scopes: Scope[]) =>
        send('POST', `${endpoints}/${id}/replay`, await keyWith('webhooks:write', ...scopes), { since, status: 'all' });
      assertRefused(await replay(), 'events:read');
      assertRefused(await replay('payment_plans:read', 'payment_intents:read', 'webhooks:read'), 'events:read');
      const made = await db.sql`select 1 from webhook_deliveries where endpoint_id = ${id}`;
      assert.equal(made.length, 0);
      assert.equal((await replay('events:read')).body.last_event_id, eventId);
    });
    await withEndpoint(['payment_plan.*'], async (id) => {
      const path = `${endpoints}/${id}/replay`;
      assertRefused(await send('POST', path, await keyWith('webhooks:write', 'payment_intents:read'), { since }));
      assert.equal(
        (await send('POST', path, await keyWith('webhooks:write', 'payment_plans:read'), { since })).status,
        200,
      );
    });
  });

  it('cannot be delivered again one by one with a key that may not read them', async () => {
    await withEndpoint(['*'], async (endpointId) => {
      const scopes: Record<string, Scope[]> = {
        'payment_intent.failed': ['payment_intents:read'],
        'payment_plan.closed': ['payment_plans:read'],
      };
      for (const [type, [scope = 'events:read']] of Object.entries(scopes)) {
        const event = eventTypes.find((each): each is EventType => each === type);
        const id = await deliveryOf(
          db.sql,
          await makeEvent(db.sql, await makeCall(db.sql, { billerId }), { type: event }),
          endpointId,
        );
        const path = `/api/v1/webhook_deliveries/${id}/retry`;
        assertRefused(await send('POST', path, await keyWith('webhooks:write')), scope, 'events:read');
        assertRefused(await send('POST', path, await keyWith('webhooks:write', 'customers:read')), scope);
        assert.equal((await send('POST', path, await keyWith('webhooks:write', scope))).status, 200);
      }
    });
  });

  it('are not visible in a receiver’s response to a key that may only read deliveries', async () => {
    receiver.answer = (_request, response) => response.end(`echo: ${receiver.received.at(-1)?.body}`);
    await withEndpoint(['*'], async (endpointId) => {
      const call = await makeCall(db.sql, { billerId });
      const id = await deliveryOf(
        db.sql,
        await makeEvent(db.sql, call, { data: { ...paymentPlanExample, name: 'Plan 4711' } }),
        endpointId,
      );
      const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 1000 });
      await attemptDelivery(db.sql, { ...webhookDeps, sender, now: realNow, random: () => 0.5 }, id, null);
      await sender.close();
      const read = async (path: string, ...scopes: Scope[]) =>
        send('GET', path, await keyWith('webhooks:read', ...scopes));
      for (const path of [`/api/v1/webhook_deliveries/${id}`, `${endpoints}/${endpointId}/deliveries`]) {
        const blind = await read(path, 'customers:read');
        assert.equal(blind.status, 200);
        assert.ok(!blind.text.includes('4711'), blind.text);
        for (const scope of ['events:read', 'payment_plans:read'] as const) {
          assert.ok((await read(path, scope)).text.includes('4711'), `${path} with ${scope}`);
        }
      }
    });
    receiver.reset();
  });

  it('are listed and fetched with events:read alone', async () => {
    const others = allScopes.filter((scope) => scope !== 'events:read');
    const eventId = await makeEvent(db.sql, await makeCall(db.sql, { billerId }));
    for (const path of ['/api/v1/events', `/api/v1/events/${eventId}`]) {
      assertRefused(await send('GET', path, await keyWith(...others)), 'events:read');
      assert.equal((await send('GET', path, await keyWith('events:read'))).status, 200);
    }
  });

  it('do not restrict pings, which need only webhooks:write: a ping contains only the endpoint', async () => {
    await withEndpoint(['*'], async (id) => {
      assert.equal((await send('POST', `${endpoints}/${id}/ping`, await keyWith('webhooks:write'))).status, 200);
    });
  });
});
