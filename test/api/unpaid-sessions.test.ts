import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { auBecs } from '../../src/domain/schemes/au-becs.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const declined = 'tok_sandbox_visa_decline_insufficient_funds';

describe('a checkout session for what is unpaid', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);
  const { request } = stage;

  const create = (body: object) => request('POST', '/checkout_sessions', body);
  const session = async (id: string) => (await request('GET', `/checkout_sessions/${id}`)).body;
  const subscription = async (id: string) => (await request('GET', `/subscriptions/${id}`)).body;
  const intent = async (id: string) => (await request('GET', `/payment_intents/${id}`)).body;
  const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  const taken = () => [...stage.ledger.taken.values()].reduce((sum, amount) => sum + amount, 0);

  /** A weekly subscription over 10.00 from 1 January 2027 on a clock, whose second period is declined. */
  async function unpaid(outcomes = 'succeed;decline,succeed', more: object = {}, until = '2027-01-08T12:00:00Z') {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-01T00:00:00Z');
    const { body } = await request('POST', '/subscriptions', {
      ...{ customer_id: payer.id, name: 'Gym', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Gym', unit_amount_cents: 1000 }],
      metadata: { _sandbox_outcome_by_period: outcomes },
      ...more,
    });
    await request('POST', `/subscriptions/${body.id}/start`);
    await stage.advance(clock.id, until);
    const periods = (await request('GET', `/subscriptions/${body.id}/periods`)).body.data;
    const second = periods.find(({ number }: { number: number }) => number === 2);
    return { id: String(body.id), clockId: clock.id, customerId: payer.id, intentId: String(second.payment_intent_id) };
  }

  /** The same, paused once its retries have failed: its second period was served until then, and runs two more days. */
  const servedAndPaused = () => unpaid('succeed;decline,decline,decline,decline,succeed', {}, '2027-01-13T12:00:00Z');

  /** A plan over 25.00 on a clock whose first payment is declined. */
  async function unpaidPlan(token = declined) {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-01-01T00:00:00Z');
    await stage.merchant.card(payer.id, token);
    const plan = await stage.merchant.plan({ customer_id: payer.id, start_date: '2027-01-01' });
    await stage.merchant.move(plan.id, 'activate');
    await stage.advance(clock.id, '2027-01-01T12:00:00Z');
    const { body } = await request('GET', `/payment_plans/${plan.id}/payments`);
    return { id: plan.id, clockId: clock.id, intentId: String(body.data[0].payment_intent_id) };
  }

  describe('of a subscription', () => {
    it('saves a method, and the subscription collects the period that still runs, with its dates on the page', async () => {
      const { id } = await servedAndPaused();
      const made = await create({ subscription_id: id });
      assert.equal(made.status, 201, made.text);
      const { mode, name, apply_to } = made.body;
      assert.deepEqual(
        { mode, name, apply_to },
        { mode: 'setup', name: 'Gym', apply_to: { subscription_id: id, unpaid: 'collect' } },
      );
      const page = await pages.open(`/checkout/${tokenOf(made.body.url)}`);
      assert.match(page.text, /As soon as this is saved, \$10\.00 is taken for “Gym”\./);
      assert.match(page.text, /Taken now: \$10\.00 for 8 January 2027 to 15 January 2027\./);
      assert.match(page.text, /“Gym” then takes \$10\.00 on 15 January 2027/);
      assert.equal(links.outcome(await links.save(tokenOf(made.body.url))), 'completed');
      await stage.collectSubscriptionAll(id, '2027-01-13T12:00:00Z');
      const after = await subscription(id);
      assert.deepEqual([after.state, after.paid_periods, after.owed_amount_cents], ['active', 2, 0]);
    });

    it('says what is owed and the new period once the unpaid period is over, and takes both', async () => {
      const { id, clockId } = await unpaid('succeed;decline,decline,decline,decline;succeed');
      await stage.advance(clockId, '2027-01-20T12:00:00Z');
      const before = taken();
      const made = await create({ subscription_id: id });
      assert.equal(made.status, 201, made.text);
      const owed = (await subscription(id)).owed_amount_cents;
      assert.ok(owed > 0 && owed < 1000, String(owed));
      const page = await pages.open(`/checkout/${tokenOf(made.body.url)}`);
      const inDollars = (cents: number) => `\\$${(cents / 100).toFixed(2)}`;
      assert.match(page.text, new RegExp(`Taken now: ${inDollars(1000)} for 20 January 2027 to 27 January 2027, and `));
      assert.match(page.text, new RegExp(`${inDollars(owed)} owed \\(Period 2: \\d of 7 days from 2027-01-08\\)`));
      assert.match(page.text, new RegExp(`As soon as this is saved, ${inDollars(1000 + owed)} is taken`));
      assert.equal(links.outcome(await links.save(tokenOf(made.body.url))), 'completed');
      await stage.collectSubscriptionAll(id, '2027-01-20T12:00:00Z');
      assert.deepEqual([(await subscription(id)).state, taken() - before], ['active', 1000 + owed]);
    });

    it('says what is owed as a payment of its own if the scheme allows less than the sum for one debit', async () => {
      const { id, clockId } = await unpaid('succeed;decline,decline,decline,decline;succeed');
      await stage.advance(clockId, '2027-01-20T12:00:00Z');
      const { body } = await create({ subscription_id: id, payment_method_types: ['au_becs_debit'] });
      const owed = (await subscription(id)).owed_amount_cents;
      const inDollars = (cents: number) => `\\$${(cents / 100).toFixed(2)}`;
      const open = () => pages.open(`/checkout/${tokenOf(body.url)}`);
      assert.match((await open()).text, / owed \(Period 2/);
      auBecs.maxAmount.sandbox = 1000;
      try {
        const { text } = await open();
        assert.match(text, new RegExp(`As soon as this is saved, ${inDollars(1000 + owed)} is taken`));
        const part = `${inDollars(owed)} for 8 January 2027 to 15 January 2027`;
        assert.match(text, new RegExp(`Taken now: ${part}, and \\$10\\.00 for 20 January 2027 to 27 January 2027\\.`));
      } finally {
        auBecs.maxAmount.sandbox = null;
      }
    });

    it('takes a new period alone if nothing was served of the unpaid one', async () => {
      const stops = { failure_behaviour: 'stop' };
      const { id } = await unpaid('succeed;decline;succeed', stops, '2027-01-10T12:00:00Z');
      const before = taken();
      const made = await create({ subscription_id: id });
      const page = await pages.open(`/checkout/${tokenOf(made.body.url)}`);
      assert.match(page.text, /Taken now: \$10\.00 for 10 January 2027 to 17 January 2027\./);
      assert.equal(links.outcome(await links.save(tokenOf(made.body.url))), 'completed');
      await stage.collectSubscriptionAll(id, '2027-01-10T12:00:00Z');
      const { state, current_period: period } = await subscription(id);
      assert.deepEqual([state, period.start, period.status, taken() - before], ['active', '2027-01-10', 'paid', 1000]);
    });

    it('takes the new period alone if apply_to lets the unpaid one go, in a link as in a session', async () => {
      for (const path of ['/checkout_sessions', '/payment_links']) {
        const { id, customerId } = await unpaid('succeed;decline;succeed', { failure_behaviour: 'stop' });
        const apply_to = { subscription_id: id, unpaid: 'waive' };
        const made = await request('POST', path, { mode: 'setup', name: 'Gym', customer_id: customerId, apply_to });
        assert.equal(made.status, 201, made.text);
        assert.deepEqual(made.body.apply_to, apply_to);
        const token =
          path === '/checkout_sessions' ? tokenOf(made.body.url) : await links.open(await links.read(made.body));
        const page = await pages.open(`/checkout/${token}`);
        assert.match(page.text, /Taken now: \$10\.00 for 8 January 2027 to 15 January 2027\./);
        assert.equal(links.outcome(await links.save(token)), 'completed');
        await stage.collectSubscriptionAll(id, '2027-01-08T12:00:00Z');
        const after = await subscription(id);
        assert.deepEqual([after.state, after.paid_periods], ['active', 2]);
        const { data } = (await request('GET', `/subscriptions/${id}/periods`)).body;
        const states = data.map(({ number, status }: { number: number; status: string }) => `${number} ${status}`);
        assert.deepEqual(states.sort(), ['1 paid', '2 void', '3 paid']);
      }
    });

    it('refuses a subscription with nothing to collect, and says the way', async () => {
      const { id: customer_id } = await stage.merchant.payer();
      const { body } = await request('POST', '/subscriptions', {
        ...{ customer_id, name: 'Gym', currency: 'AUD', frequency_type: 'weekly' },
        items: [{ name: 'Gym', unit_amount_cents: 1000 }],
      });
      const refusal = async (words: RegExp) => {
        const reply = await create({ subscription_id: body.id });
        assert.deepEqual([reply.status, reply.body.error?.code], [422, 'invalid_state'], reply.text);
        assert.match(reply.text, words);
      };
      await refusal(/pending.*apply_to/);
      await request('POST', `/subscriptions/${body.id}/start`);
      await refusal(/active/);
      await request('POST', `/subscriptions/${body.id}/cancel`, { at: 'now' });
      await refusal(/canceled.*for good/);
    });

    it('refuses fields that the subscription decides, and apply_to of both kinds or with a plan to let go', async () => {
      const { id, customerId } = await unpaid();
      const plan = await stage.merchant.plan({ customer_id: customerId, start_date: '2027-02-01' });
      const setup = { mode: 'setup', name: 'Card', customer_id: customerId };
      for (const [body, path] of [
        [{ subscription_id: id, amount: 500 }, '/amount'],
        [{ subscription_id: id, mode: 'setup' }, '/mode'],
        [{ subscription_id: id, payment_intent_id: 'pi_000000000000000000000000000000001' }, null],
        [{ ...setup, apply_to: { subscription_id: id, payment_plan_id: plan.id } }, '/apply_to'],
        [{ ...setup, apply_to: { payment_plan_id: plan.id, unpaid: 'waive' } }, '/apply_to/unpaid'],
        [{ ...setup, apply_to: { unpaid: 'waive' } }, '/apply_to'],
      ] as const) {
        const reply = await create(body);
        assert.equal(reply.status, 422, reply.text);
        if (path !== null) assert.equal(reply.body.error.errors?.[0]?.field ?? reply.body.error.param ?? path, path);
      }
    });

    it('is for its own biller and mode alone', async () => {
      const { id, intentId } = await unpaid();
      const { keys: other } = await stage.stranger();
      for (const body of [{ subscription_id: id }, { payment_intent_id: intentId }]) {
        for (const key of [other.sandboxSecret, stage.keys.liveSecret]) {
          const reply = await stage.api.send('POST', '/api/v1/checkout_sessions', { key, body });
          assert.equal(reply.status, 422, reply.text);
        }
        for (const key of [stage.keys.sandboxPublishable, other.sandboxPublishable]) {
          assert.equal((await stage.api.send('POST', '/api/v1/checkout_sessions', { key, body })).status, 403);
        }
      }
    });

    it('charges once when the form is sent twice', async () => {
      const { id } = await servedAndPaused();
      const before = taken();
      const token = tokenOf((await create({ subscription_id: id })).body.url);
      const outcomes = await Promise.all([1, 2, 3].map(async () => links.outcome(await links.save(token))));
      assert.ok(outcomes.includes('completed'), outcomes.join());
      await stage.collectSubscriptionAll(id, '2027-01-13T12:00:00Z');
      assert.equal(taken() - before, 1000);
    });
  });

  describe('of an unpaid payment', () => {
    it('is paid by the payer, recorded on its period, and the subscription recovers', async () => {
      const { id, intentId } = await unpaid();
      const made = await create({ payment_intent_id: intentId });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.body.mode, made.body.amount, made.body.name], ['payment', 1000, 'Gym']);
      const token = tokenOf(made.body.url);
      const page = await pages.open(`/checkout/${token}`);
      assert.match(page.text, /This pays “Gym”, for 8 January 2027 to 15 January 2027\./);
      assert.match(page.text, /“Gym” takes \$10\.00 on 15 January 2027/);
      assert.equal(links.outcome(await links.pay(token)), 'completed');
      const after = await subscription(id);
      assert.deepEqual([after.state, after.paid_periods, after.owed_amount_cents], ['active', 2, 0]);
      assert.equal((await session(made.body.id)).status, 'completed');
    });

    it('is paid for a plan too, also one that a failed payment has suspended', async () => {
      for (const token of [declined, 'tok_sandbox_visa_decline_card_lost']) {
        const { id, intentId } = await unpaidPlan(token);
        const made = await create({ payment_intent_id: intentId });
        assert.equal(made.status, 201, made.text);
        const sitting = tokenOf(made.body.url);
        assert.match((await pages.open(`/checkout/${sitting}`)).text, /This pays “.+”, due on 1 January 2027\./);
        assert.equal(links.outcome(await links.pay(sitting)), 'completed');
        const plan = (await request('GET', `/payment_plans/${id}`)).body;
        assert.equal(plan.collected_amount_cents, made.body.amount);
      }
    });

    it('is open again after a decline of the payer, and the retries of the subscription go on', async () => {
      const { id, intentId } = await unpaid('succeed;decline,decline,succeed');
      const token = tokenOf((await create({ payment_intent_id: intentId })).body.url);
      const before = (await subscription(id)).next_attempt_at;
      assert.equal(links.outcome(await links.pay(token)), 'open');
      assert.equal((await intent(intentId)).status, 'failed');
      assert.equal((await subscription(id)).next_attempt_at, before);
      assert.equal(links.outcome(await links.pay(token, { version: 1 })), 'completed');
      assert.equal((await subscription(id)).state, 'active');
    });

    it('stays open when a retry of the subscription fails, and completes when one succeeds', async () => {
      const { intentId, clockId } = await unpaid('succeed;decline,decline,succeed');
      const { body } = await create({ payment_intent_id: intentId, expires_at: '2027-01-30T00:00:00Z' });
      await stage.advance(clockId, '2027-01-09T12:00:00Z');
      const open = await session(body.id);
      assert.deepEqual([open.status, open.failed_attempts], ['open', 0]);
      await stage.advance(clockId, '2027-01-12T12:00:00Z');
      assert.equal((await session(body.id)).status, 'completed');
      const before = taken();
      assert.notEqual(links.outcome(await links.pay(tokenOf(body.url))), 'completed');
      assert.equal(taken(), before);
    });

    it('ends when its payment is canceled: by a resume, a cancel, or with its period', async () => {
      for (const end of ['cancel', 'over'] as const) {
        const { id, intentId, clockId } = await unpaid('succeed;decline;succeed', { failure_behaviour: 'stop' });
        const { body } = await create({ payment_intent_id: intentId, expires_at: '2027-01-30T00:00:00Z' });
        if (end === 'cancel') await request('POST', `/subscriptions/${id}/cancel`, { at: 'now' });
        else await stage.advance(clockId, '2027-01-16T12:00:00Z');
        const { status, status_reason } = await session(body.id);
        assert.deepEqual([end, status, status_reason], [end, 'expired', 'payment_canceled']);
        const again = await create({ payment_intent_id: intentId });
        assert.deepEqual([again.status, again.body.error?.code], [422, 'invalid_state']);
        if (end === 'over') assert.match(again.text, /subscription_id/);
      }
    });

    it('has at most one open session, and none for a payment that is paid', async () => {
      const { intentId } = await unpaid();
      const first = await create({ payment_intent_id: intentId });
      assert.equal((await create({ payment_intent_id: intentId })).status, 422);
      await links.pay(tokenOf(first.body.url));
      assert.equal((await create({ payment_intent_id: intentId })).status, 422);
    });

    it('is taken once, whatever the payer and the subscription do at the same time', async () => {
      for (let round = 0; round < 3; round++) {
        const { id, intentId } = await unpaid('succeed;decline,succeed,succeed');
        const token = tokenOf((await create({ payment_intent_id: intentId })).body.url);
        const before = taken();
        await Promise.all([
          links.pay(token),
          links.pay(token),
          request('POST', `/subscriptions/${id}/retry_now`),
          create({ subscription_id: id }),
        ]);
        await stage.collectSubscriptionAll(id, realNow());
        assert.equal(taken() - before, 1000);
        assert.deepEqual([(await subscription(id)).state, (await intent(intentId)).status], ['active', 'succeeded']);
      }
    });
  });
});
