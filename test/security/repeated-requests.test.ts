import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Route } from '../../src/api/http/route.ts';
import { allScopes, type Scope } from '../../src/services/accounts/scopes.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { type Reply, send } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { makeKey } from '../support/factories.ts';
import { type GoodRequest, goodRequests } from '../support/good-bodies.ts';
import { usePayer } from '../support/payer.ts';
import { deliveryOf, makeCall, makeEvent } from '../support/webhooks.ts';

const posting = allRoutes.filter(({ method, access }) => method === 'POST' && access !== 'public');
const outcome = ({ status, body }: Reply) => (status === 403 ? `403 ${body.error.code}` : 'may');

describe('a request that is sent again with another key of the biller', () => {
  const here = usePayer();
  const { stage } = here;
  const post = (path: string, body?: unknown) => stage.request('POST', path, body);
  const repeat = (key: string, { path, body }: Pick<GoodRequest, 'path' | 'body'>, idempotencyKey: string) =>
    send(`${stage.api.url}${path}`, 'POST', { key, body, headers: { 'Idempotency-Key': idempotencyKey } });
  const isStored = async (key: string) =>
    (await stage.db.sql`select from idempotency_keys where key = ${key}`).length > 0;

  /** An object in the state that an operation without a body needs. The key is the parameter of its path. */
  async function objectFor({ operation, path }: Route): Promise<string> {
    const { customer, card } = here;
    if (path.includes(':payment_method_id')) return stage.merchant.card(customer);
    if (path.includes(':payment_intent_id')) {
      return (await stage.merchant.intent({ customer_id: customer, payment_method: card })).id;
    }
    if (path.includes(':plan_id')) {
      const { id } = await here.plan();
      if (operation !== 'activatePaymentPlan') await here.move(id, 'activate');
      if (operation === 'resumePaymentPlan') await here.move(id, 'suspend');
      return id;
    }
    if (path.includes(':payment_link_id')) {
      return (await post('/payment_links', { name: 'Invoice', amount: 2500, currency: 'AUD' })).body.id;
    }
    if (path.includes(':checkout_session_id')) {
      return (await post('/checkout_sessions', { name: 'Invoice', amount: 2500, currency: 'AUD' })).body.id;
    }
    if (path.includes(':dashboard_session_id')) {
      return (await post('/dashboard_sessions', { person: 'Ann', role: 'viewer' })).body.id;
    }
    if (path.includes(':mandate_id')) {
      const debtor = useDebtor(stage);
      return (await debtor.active({ payment_method_id: await debtor.account(customer) })).id;
    }
    if (operation === 'retrySubscription') return unpaidSubscription();
    if (path.includes(':subscription_id')) return subscriptionFor(operation);
    const endpoint = (await post('/webhook_endpoints', { url: 'http://127.0.0.1:9/' })).body.id;
    if (path.includes(':webhook_endpoint_id')) return endpoint;
    if (path.includes(':webhook_delivery_id')) {
      const call = await makeCall(stage.db.sql, { billerId: stage.keys.biller.id });
      return deliveryOf(stage.db.sql, await makeEvent(stage.db.sql, call), endpoint);
    }
    return 'none';
  }

  /** A subscription of a customer in the state that the operation needs. */
  async function subscriptionFor(operation: string, customer_id = here.customer): Promise<string> {
    const { body } = await post('/subscriptions', {
      ...{ customer_id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      metadata: { _sandbox_outcome_by_period: 'succeed;decline' },
    });
    const { id } = body;
    if (operation === 'startSubscription') return id;
    await post(`/subscriptions/${id}/start`);
    if (operation === 'uncancelSubscription') await post(`/subscriptions/${id}/cancel`, { at: 'period_end' });
    return id;
  }

  /** A subscription with an unpaid period, on the second clock of the requests with a body. */
  async function unpaidSubscription(): Promise<string> {
    const clock = (await stage.merchant.client.testClocks.list()).data.find(({ id }) => id !== here.clock);
    assert.ok(clock);
    const { id: customer } = await stage.merchant.payer({ test_clock: clock.id });
    const id = await subscriptionFor('retrySubscription', customer);
    await stage.advance(clock.id, new Date(Date.parse(clock.frozen_time) + 32 * 86_400_000).toISOString());
    return id;
  }

  /** Every request that stores its response: with each example of its body, and without a body. */
  async function requests(): Promise<GoodRequest[]> {
    const withBody = await goodRequests(
      here,
      posting.filter(({ body }) => body !== undefined),
    );
    const others: GoodRequest[] = [];
    for (const route of posting.filter(({ body }) => body === undefined)) {
      const path = route.path.replace(/:\w+/, await objectFor(route));
      others.push({ route, name: 'no body', path, body: undefined });
    }
    return [...others, ...withBody];
  }

  it('is refused as it would be the first time, in every operation and for every scope that the key lacks', async function () {
    this.timeout(300_000);
    const lesser = await Promise.all(
      allScopes.map(async (missing): Promise<[Scope, string]> => {
        const scopes = allScopes.filter((scope) => scope !== missing);
        return [missing, (await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes })).key];
      }),
    );
    const all = await requests();
    assert.deepEqual(new Set(all.map(({ route }) => route)), new Set(posting));
    const stored: { request: GoodRequest; first: Reply }[] = [];
    for (const [number, request] of all.entries()) {
      const first = await repeat(stage.merchant.key, request, `first ${number}`);
      assert.ok(first.status < 300, `${request.route.operation} (${request.name}): ${first.text}`);
      stored.push({ request, first });
    }
    const refused = new Set<string>();
    for (const [number, { request, first }] of stored.entries()) {
      const { route, name } = request;
      const said = `${route.operation} (${name})`;
      for (const [missing, key] of lesser) {
        const fresh = `fresh ${number} ${missing}`;
        const [anew, again] = [await repeat(key, request, fresh), await repeat(key, request, `first ${number}`)];
        const told = `${said} without ${missing}: first ${anew.text}, again ${again.text}`;
        assert.equal(outcome(again), outcome(anew), told);
        if (outcome(again) === 'may') {
          assert.equal(again.text, first.text, told);
          continue;
        }
        assert.equal(outcome(again), '403 insufficient_scope', told);
        assert.equal(await isStored(fresh), false, told);
        refused.add(`${route.operation} ${missing}`);
      }
      // The key that the first request had keeps its response.
      assert.equal(await isStored(`first ${number}`), true, said);
    }
    const scopeOf = ({ access }: Route) => (access === 'public' ? '' : access.scope);
    for (const route of posting) assert.ok(refused.has(`${route.operation} ${scopeOf(route)}`), route.operation);
  });

  it('is refused for the scopes that its body asks for, in either mode', async () => {
    const setup = { mode: 'setup', name: 'Your card' };
    const bodies: [path: string, body: unknown, missing: Scope][] = [
      ['/payment_links', { ...setup, make_default: true }, 'customers:write'],
      ['/checkout_sessions', { ...setup, make_default: true }, 'customers:write'],
      ['/webhook_endpoints', { url: 'https://8.8.8.8/' }, 'events:read'],
    ];
    for (const livemode of [false, true]) {
      const keyOf = async (scopes: readonly Scope[]) =>
        (await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, livemode, scopes })).key;
      const full = await keyOf(allScopes);
      for (const [path, body, missing] of bodies) {
        const request = { path: `/api/v1${path}`, body };
        const lesser = await keyOf(allScopes.filter((scope) => scope !== missing));
        const first = await repeat(full, request, path);
        for (const key of [path, 'another']) {
          const reply = await repeat(lesser, request, key);
          assert.equal(outcome(reply), '403 insufficient_scope', reply.text);
          assert.ok(reply.body.error.message.includes(missing), reply.text);
        }
        assert.equal(first.status, 201, first.text);
        assert.equal((await repeat(full, request, path)).text, first.text);
      }
    }
  });

  it('is refused if what it names was deleted meanwhile, as it would be the first time', async () => {
    const keyWith = async (...scopes: Scope[]) =>
      (await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes })).key;
    const [may, mayNot] = [
      await keyWith('webhooks:write', 'payment_plans:read'),
      await keyWith('webhooks:write', 'mandates:read'),
    ];
    const event_types = ['payment_plan.*'];
    const { id } = (await post('/webhook_endpoints', { url: 'http://127.0.0.1:9/', event_types })).body;
    const replay = { path: `/api/v1/webhook_endpoints/${id}/replay`, body: { since: '2026-01-01T00:00:00Z' } };
    const first = await repeat(may, replay, 'replay');
    assert.equal(first.status, 200, first.text);
    await stage.request('DELETE', `/webhook_endpoints/${id}`);
    assert.equal((await repeat(may, replay, 'replay')).text, first.text);
    for (const key of ['replay', 'another']) {
      assert.equal(outcome(await repeat(mayNot, replay, key)), '403 insufficient_scope');
    }
  });

  it('gets no response that belongs to another biller, the other mode or a secret key', async () => {
    const request = { path: '/api/v1/payment_links', body: { name: 'Invoice', amount: 2500, currency: 'AUD' } };
    const first = await repeat(stage.merchant.key, request, 'invoice');
    const stranger = (await stage.stranger()).keys.sandboxSecret;
    for (const key of [stranger, stage.keys.liveSecret]) {
      const made = await repeat(key, request, 'invoice');
      assert.equal(made.status, 201, made.text);
      assert.notEqual(made.body.url, first.body.url);
    }
    for (const key of [stage.keys.sandboxPublishable, stage.keys.livePublishable]) {
      assert.equal(outcome(await repeat(key, request, 'invoice')), '403 secret_key_required');
    }
    assert.equal((await repeat(stage.merchant.key, request, 'invoice')).text, first.text);
  });
});
