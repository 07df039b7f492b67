import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Route } from '../../src/api/http/route.ts';
import { newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { revokeKey } from '../../src/services/accounts/api-keys.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { takePayoutsInRealTime } from '../../src/services/ledger/payouts.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { makeKey, tester } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { rowCounts, useStage } from '../support/stage.ts';

const guarded = allRoutes.flatMap((route) => (route.access === 'public' ? [] : [{ ...route, access: route.access }]));
const isOfOneObject = (route: Route): boolean => route.path.includes(':');

/**
 * A body that a route takes, as far as this table knows it: elsewhere the path's object is looked for first, or
 * validation fails.
 */
const bodies: Record<string, unknown> = {
  changeSubscription: { items: [{ name: 'Seats', unit_amount_cents: 1 }] },
  confirmPaymentIntent: {},
  advanceTestClock: { frozen_time: '2027-01-11T00:00:00Z' },
  updatePaymentPlan: { name: 'Stolen' },
  updatePaymentLink: { name: 'Stolen' },
  updateSubscription: { name: 'Stolen' },
  updateWebhookEndpoint: { description: 'stolen' },
  rotateWebhookSecret: { overlap_hours: 0 },
  updateCustomer: { name: 'Stolen' },
  attachPaymentMethod: { customer_id: 'cus_none' },
  completePaymentIntentAction: { result: 'succeed' },
  reportBankResult: { result: 'settled' },
  replayWebhookDeliveries: { since: '2026-01-01T00:00:00Z' },
  acceptMandate: { type: 'imported', accepted_at: '2026-01-01T00:00:00Z', signatory_name: 'Jo' },
  recordMandateNotice: { kind: 'confirmation', channel: 'email' },
};

describe('every route but the public ones', () => {
  const stage = useStage();
  const call = (route: Route, path: string, key?: string): Promise<Reply> => {
    const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : (bodies[route.operation] ?? {});
    return stage.api.send(route.method, path, { body, ...(key === undefined ? {} : { key }) });
  };
  /** The route's path with ids of a form that names nothing. */
  const blank = (route: Route, id: string = newId('customer')) => route.path.replaceAll(/:(\w+)/g, id);

  async function expectAll(
    status: number,
    code: string,
    key?: string,
    routes: readonly Route[] = guarded,
  ): Promise<void> {
    const before = await rowCounts(stage);
    for (const route of routes) {
      const reply = await call(route, blank(route), key);
      assert.equal(`${reply.status} ${reply.body.error.code}`, `${status} ${code}`, `${route.method} ${route.path}`);
    }
    assert.deepEqual(await rowCounts(stage), before);
  }

  it('is in this suite: at least those of the contract', () => {
    const paths = new Set(guarded.map(({ method, path }) => `${method} ${path}`));
    for (const path of [
      '/customers',
      '/payment_methods',
      '/payment_intents',
      '/payment_plans',
      '/test_helpers/test_clocks',
    ]) {
      assert.ok(paths.has(`POST /api/v1${path}`), path);
    }
    assert.ok(guarded.length >= 35, String(guarded.length));
    assert.equal(paths.size, guarded.length);
  });

  it('is 401 without a key, with an unknown one and with a revoked one', async () => {
    await expectAll(401, 'unauthenticated');
    await expectAll(401, 'unauthenticated', `sk_sandbox_${'a'.repeat(43)}`);
    const { id, key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id });
    await revokeKey(stage.db.sql, id, { by: tester, now: realNow() });
    await expectAll(401, 'unauthenticated', key);
  });

  it('is 403 insufficient_scope with a key that has every scope but the one it needs', async () => {
    for (const scope of new Set(guarded.map(({ access }) => access.scope))) {
      const scopes = allScopes.filter((other) => other !== scope);
      const { key } = await makeKey(stage.db.sql, { scopes });
      await expectAll(
        403,
        'insufficient_scope',
        key,
        guarded.filter(({ access }) => access.scope === scope),
      );
    }
  });

  it('needs no other scope than the one it names', async () => {
    for (const scope of new Set(guarded.map(({ access }) => access.scope))) {
      const { key } = await makeKey(stage.db.sql, { scopes: [scope] });
      for (const route of guarded.filter(({ access }) => access.scope === scope)) {
        const { status } = await call(route, blank(route), key);
        assert.ok(status !== 401 && status !== 403 && status < 500, `${route.method} ${route.path}: ${status}`);
      }
    }
  });

  it('is 403 secret_key_required with a publishable key, but for saving a method, and an intent, a mandate or a session with its secret', async () => {
    const open = guarded.filter(({ access }) => access.publishable).map(({ operation }) => operation);
    assert.deepEqual(open.sort(), [
      ...['acceptMandate', 'confirmPaymentIntent', 'createMandate', 'createPaymentMethod', 'getCheckoutSession'],
      'getPaymentIntent',
    ]);
    const closed = guarded.filter(({ access }) => !access.publishable);
    await expectAll(403, 'secret_key_required', stage.keys.sandboxPublishable, closed);
    await expectAll(403, 'secret_key_required', stage.keys.livePublishable, closed);
  });

  it('is 403 sandbox_only with a live key if it is one of the test helpers, and no other is', async () => {
    const sandboxOnly = guarded.filter(({ path }) => path.includes('/test_helpers/'));
    assert.deepEqual(
      guarded.filter(({ access }) => access.sandboxOnly).map(({ path }) => path),
      sandboxOnly.map(({ path }) => path),
    );
    await expectAll(403, 'sandbox_only', stage.keys.liveSecret, sandboxOnly);
  });

  describe('that names an object', () => {
    interface Owned {
      ids: Record<string, string>;
      merchant: Merchant;
    }

    /** One object of each kind that a path names, of this biller in sandbox. */
    async function estate(): Promise<Owned> {
      const { merchant } = stage;
      const clock = await merchant.clock('2027-01-10T00:00:00Z');
      const customer = await merchant.customer();
      const card = await merchant.card(customer.id);
      const account = await useDebtor(stage).account(customer.id);
      const mandate = await merchant.client.mandates.create({ payment_method_id: account });
      const intent = await merchant.intent({ amount: 500, customer_id: customer.id, payment_method: card });
      const paid = await merchant.intent({ amount: 500, customer_id: customer.id, payment_method: card });
      await merchant.request('POST', `/payment_intents/${paid.id}/confirm`, {});
      const refund = await merchant.request('POST', `/payment_intents/${paid.id}/refunds`, { amount: 100 });
      assert.equal(refund.status, 201, refund.text);
      const plan = await merchant.plan({ customer_id: customer.id, start_date: '2199-01-01' });
      const link = await merchant.client.paymentLinks.create({ name: 'Invoice', amount: 2500, currency: 'AUD' });
      const session = await merchant.client.checkoutSessions.create({ name: 'Order', amount: 2500, currency: 'AUD' });
      const subscription = await merchant.request('POST', '/subscriptions', {
        ...{ customer_id: customer.id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
        items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      });
      const endpoint = await merchant.endpoint('http://127.0.0.1:9/hooks');
      const delivery = await merchant.ping(endpoint.id);
      const [event] = await merchant.events();
      await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
      const [row] = (await merchant.request('GET', '/balance_transactions')).body.data;
      await takePayoutsInRealTime(stage.db.sql, addMs(realNow(), 7 * 86_400_000));
      const [payout] = (await merchant.request('GET', '/payouts')).body.data;
      const dispute = await merchant.request('POST', `/test_helpers/payment_intents/${paid.id}/dispute`, {});
      const person = await merchant.request('POST', '/dashboard_sessions', { person: 'Ann', role: 'viewer' });
      const ids = {
        dashboard_session_id: person.body.id,
        customer_id: customer.id,
        payment_method_id: card,
        mandate_id: mandate.id,
        payment_intent_id: intent.id,
        plan_id: plan.id,
        payment_link_id: link.id,
        checkout_session_id: session.id,
        subscription_id: subscription.body.id,
        event_id: String(event?.id),
        refund_id: refund.body.id,
        balance_transaction_id: row.id,
        payout_id: payout.id,
        dispute_id: dispute.body.id,
        '/test_helpers/': clock.id,
        '/webhook_endpoints/': endpoint.id,
        '/webhook_deliveries/': delivery.id,
      };
      return { ids, merchant };
    }

    function pathOf(route: Route, ids: Record<string, string>): string {
      return route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
        const id =
          ids[name] ?? Object.entries(ids).find(([part]) => part.startsWith('/') && route.path.includes(part))?.[1];
        assert.ok(id, `${route.path}: this suite makes no object for :${name} yet`);
        return id;
      });
    }

    it('is 404 to another biller and to the other mode, in the same words as for an unknown id', async () => {
      const { ids } = await estate();
      const stranger = await stage.stranger();
      const before = await fingerprint(ids);
      for (const route of guarded.filter(isOfOneObject)) {
        const path = pathOf(route, ids);
        const [id] = Object.values(ids).filter((value) => path.includes(value));
        const keys = [stranger.keys.sandboxSecret, stranger.keys.liveSecret, stage.keys.liveSecret];
        for (const key of route.access.sandboxOnly ? keys.slice(0, 1) : keys) {
          const reply = await call(route, path, key);
          assert.equal(`${reply.status} ${reply.body.error?.code}`, '404 resource_missing', `${route.method} ${path}`);
          const unknown = `${String(id).slice(0, -6)}zzzzzz`;
          const none = await call(route, path.replace(String(id), unknown), key);
          assert.deepEqual(
            { ...reply.body.error, request_id: '', message: reply.body.error.message.replaceAll(String(id), '') },
            { ...none.body.error, request_id: '', message: none.body.error.message.replaceAll(unknown, '') },
          );
        }
      }
      assert.deepEqual(await fingerprint(ids), before);
    });

    it('is 404 for an id of another kind, and for one that is none', async () => {
      for (const id of [newId('webhook_delivery'), 'x', '%20', `cus_${'x'.repeat(500)}`]) {
        for (const route of guarded.filter(isOfOneObject)) {
          const { status, body } = await call(route, blank(route, id), stage.merchant.key);
          assert.equal(`${status} ${body.error?.code}`, '404 resource_missing', `${route.method} ${route.path} ${id}`);
        }
      }
    });

    it('is not 404 to its owner', async () => {
      const { ids, merchant } = await estate();
      const last = (route: Route) => Number(/delete|deactivate|close/.test(route.operation));
      for (const route of guarded.filter(isOfOneObject).toSorted((a, b) => last(a) - last(b))) {
        const { status } = await call(route, pathOf(route, ids), merchant.key);
        assert.ok(status !== 404 && status < 500, `${route.method} ${route.path}: ${status}`);
      }
    });

    it('is not in another biller’s or the other mode’s lists, nor a cursor there', async () => {
      const { ids } = await estate();
      const stranger = await stage.stranger();
      const lists = guarded.filter(
        (one) => one.method === 'GET' && one.query && 'starting_after' in one.query.properties,
      );
      for (const route of lists.filter((one) => !isOfOneObject(one))) {
        const keys = [stranger.keys.sandboxSecret, ...(route.access.sandboxOnly ? [] : [stage.keys.liveSecret])];
        for (const key of keys) {
          const { status, body } = await call(route, route.path, key);
          assert.deepEqual([status, body.data ?? body.payment_methods], [200, []], route.path);
          for (const id of Object.values(ids)) {
            const reply = await call(route, `${route.path}?starting_after=${id}`, key);
            assert.equal(reply.status, 400, `${route.path} ${id}`);
          }
        }
      }
    });

    async function fingerprint(ids: Record<string, string>): Promise<string[]> {
      const texts: string[] = [];
      for (const route of guarded.filter((each) => each.method === 'GET' && isOfOneObject(each))) {
        texts.push((await call(route, pathOf(route, ids), stage.merchant.key)).text);
      }
      return texts;
    }
  });

  it('keeps the sandbox of a biller apart from its live mode', async () => {
    const live = createMerchant(stage.api.url, stage.keys.liveSecret);
    const reference = { reference: 'R-1' };
    const sandboxed = await stage.merchant.customer(reference);
    const real = await live.customer(reference);
    const find = async (merchant: Merchant) =>
      (await merchant.request('GET', '/customers?reference=R-1')).body.data.map(
        (customer: { id: string }) => customer.id,
      );
    assert.deepEqual([await find(stage.merchant), await find(live)], [[sandboxed.id], [real.id]]);
  });
});
