import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { makeKey } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';

describe('a key that is restricted to some scopes, at links and sessions', () => {
  const stage = useStage();
  const today = () => realNow().toISOString().slice(0, 10);

  async function by(...scopes: string[]) {
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    return (method: string, path: string, body?: unknown) => stage.api.send(method, `/api/v1${path}`, { key, body });
  }
  const money = { amount: 2500, currency: 'AUD' };

  it('reads no URL that charges, in any response, unless it may write links', async () => {
    const { body: link } = await stage.request('POST', '/payment_links', { name: 'Invoice', ...money });
    const { body: session } = await stage.request('POST', '/checkout_sessions', { name: 'Invoice', ...money });
    const paths = [
      '/payment_links',
      `/payment_links/${link.id}`,
      '/checkout_sessions',
      `/checkout_sessions/${session.id}`,
    ];
    const [read, write] = [await by('payment_links:read'), await by('payment_links:read', 'payment_links:write')];
    for (const path of paths) {
      const reply = await read('GET', path);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(/\/(pay|checkout)\/|_secret_/.test(reply.text), false, reply.text);
    }
    assert.equal((await write('GET', `/payment_links/${link.id}`)).body.url, link.url);
    assert.equal((await write('GET', '/payment_links')).body.data[0].url, link.url);
    assert.equal((await write('GET', `/checkout_sessions/${session.id}`)).body.url, session.url);
    const codes = [
      await read('GET', `/payment_links/${link.id}/qr.svg`),
      await write('GET', `/payment_links/${link.id}/qr.svg`),
    ];
    assert.deepEqual(
      codes.map(({ status }) => status),
      [403, 200],
    );
    assert.equal(codes[0]?.body.error.code, 'insufficient_scope');
  });

  /** A subscription on a clock whose second period was declined. */
  async function unpaidSubscription() {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-01T00:00:00Z');
    const { body } = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: payer.id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      metadata: { _sandbox_outcome_by_period: 'succeed;decline' },
    });
    await stage.request('POST', `/subscriptions/${body.id}/start`);
    await stage.advance(clock.id, '2027-02-01T12:00:00Z');
    return body;
  }

  it('names only what it may write: a payment intent, a plan, a subscription', async () => {
    const { id: customer_id } = await stage.merchant.payer();
    const intent = await stage.merchant.intent({ customer_id });
    const plan = await stage.merchant.plan({ customer_id, start_date: today() });
    const { body: subscription } = await stage.request('POST', '/subscriptions', {
      ...{ customer_id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    const pastDue = await unpaidSubscription();
    const setup = { mode: 'setup', name: 'Your card', customer_id };
    const bodies = [
      ['/checkout_sessions', { payment_intent_id: intent.id }, 'payment_intents:write'],
      ['/checkout_sessions', { ...setup, apply_to: { payment_plan_id: plan.id } }, 'payment_plans:write'],
      ['/checkout_sessions', { ...setup, apply_to: { subscription_id: subscription.id } }, 'subscriptions:write'],
      ['/checkout_sessions', { subscription_id: pastDue.id }, 'subscriptions:write'],
      ['/payment_links', { ...setup, apply_to: { payment_plan_id: plan.id } }, 'payment_plans:write'],
      ['/payment_links', { ...setup, apply_to: { subscription_id: subscription.id } }, 'subscriptions:write'],
    ] as const;
    for (const [path, body, scope] of bodies) {
      const others = bodies.map(([, , other]) => other).filter((other) => other !== scope);
      const refused = await (await by('payment_links:write', ...others))('POST', path, body);
      assert.equal(`${refused.status} ${refused.body.error?.code}`, '403 insufficient_scope', refused.text);
      assert.ok(refused.body.error.message.includes(scope), refused.text);
      const made = await (await by('payment_links:write', scope))('POST', path, body);
      assert.equal(made.status, 201, made.text);
    }
  });
});
