import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

describe('a link that names a subscription', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const today = () => realNow().toISOString().slice(0, 10);

  const read = async (id: string) => (await stage.request('GET', `/subscriptions/${id}`)).body;

  async function subscription(customerId: string, more: object = {}) {
    const reply = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: customerId, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      ...more,
    });
    assert.equal(reply.status, 201, reply.text);
    return String(reply.body.id);
  }

  /** A payer saves a card by a setup link that names the subscription. Returns its id. */
  async function saveCard(customerId: string, subscriptionId: string, token?: string): Promise<string> {
    const apply_to = { subscription_id: subscriptionId };
    const session = await links.open(await links.link({ mode: 'setup', customer_id: customerId, apply_to }));
    assert.equal(links.outcome(await links.save(session, { method: card(token) })), 'completed');
    return (await links.find(session))?.session.payment_method_id ?? '';
  }

  /** A subscription on a clock whose second period is declined, and what a month later has become of it. */
  async function unpaid(more: object) {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-01T00:00:00Z');
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline;succeed' };
    const id = await subscription(payer.id, { metadata, ...more });
    await stage.request('POST', `/subscriptions/${id}/start`);
    await stage.advance(clock.id, '2027-02-01T12:00:00Z');
    return { id, customerId: payer.id, at: '2027-02-01T12:00:00Z' };
  }

  it('starts one that is pending, with the card that was saved, and its workflow charges the first period', async () => {
    const { id: customerId } = await stage.merchant.customer();
    const id = await subscription(customerId);
    const method = await saveCard(customerId, id);
    await stage.collectSubscriptionAll(id, realNow());
    const started = await read(id);
    assert.deepEqual([started.state, started.paid_periods, started.payment_instrument_id], ['active', 1, method]);
    assert.deepEqual([...stage.ledger.taken.values()], [4900]);
    assert.ok((await links.events()).includes('subscription.started'));
  });

  it('starts one again with the card of another link after its first payment was declined', async () => {
    const { id: customerId } = await stage.merchant.customer();
    const id = await subscription(customerId);
    await saveCard(customerId, id, 'tok_sandbox_visa_decline_card_lost');
    await stage.collectSubscriptionAll(id, realNow());
    assert.deepEqual([(await read(id)).state, stage.ledger.taken.size], ['pending', 0]);
    await saveCard(customerId, id);
    await stage.collectSubscriptionAll(id, realNow());
    assert.deepEqual([(await read(id)).state, stage.ledger.taken.size], ['active', 1]);
  });

  it('starts one with a start date to come on that day, and one with a trial without a payment', async () => {
    const { id: customerId } = await stage.merchant.customer();
    const later = await subscription(customerId, { start_date: '2099-01-01' });
    const trial = await subscription(customerId, { trial_days: 7 });
    for (const id of [later, trial]) {
      await saveCard(customerId, id);
      await stage.collectSubscriptionAll(id, realNow());
    }
    assert.equal(stage.ledger.requests.length, 0);
    const [waiting, trialing] = [await read(later), await read(trial)];
    assert.deepEqual([waiting.state, waiting.start_date], ['pending', '2099-01-01']);
    const again = await stage.request('POST', `/subscriptions/${later}/start`);
    assert.match(again.text, /It has been started, and begins on 2099-01-01/);
    assert.deepEqual([trialing.state, trialing.start_date], ['trialing', today()]);
  });

  it('resumes one that a failed payment has paused: a new period, since nothing was served', async () => {
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline;succeed' };
    const { id, customerId, at } = await unpaid({ failure_behaviour: 'stop', metadata });
    assert.deepEqual([(await read(id)).state, (await read(id)).state_reason], ['paused', 'payment_failed']);
    const method = await saveCard(customerId, id);
    await stage.collectSubscriptionAll(id, at);
    const resumed = await read(id);
    assert.deepEqual([resumed.state, resumed.paid_periods, resumed.payment_instrument_id], ['active', 2, method]);
    assert.equal(resumed.current_period.start, '2027-02-01');
    assert.ok((await links.events()).includes('subscription.resumed'));
  });

  it('tries the unpaid payment of one that is past due again at once', async () => {
    const { id, customerId, at } = await unpaid({
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' },
    });
    assert.equal((await read(id)).state, 'past_due');
    await saveCard(customerId, id);
    await stage.collectSubscriptionAll(id, at);
    const recovered = await read(id);
    assert.deepEqual([recovered.state, recovered.paid_periods], ['active', 2]);
  });

  it('starts one by a payment of the link too, which is not counted as its first period', async () => {
    const { id: customerId } = await stage.merchant.customer();
    const id = await subscription(customerId);
    const apply_to = { subscription_id: id };
    const link = await links.link({ name: 'Joining fee', customer_id: customerId, apply_to });
    assert.equal(links.outcome(await links.pay(await links.open(link))), 'completed');
    await stage.collectSubscriptionAll(id, realNow());
    assert.equal((await read(id)).state, 'active');
    assert.deepEqual([...stage.ledger.taken.values()].sort(), [2500, 4900]);
  });

  it('only changes the card of one that is active, and nothing of one that was canceled meanwhile', async () => {
    const payer = await stage.merchant.payer();
    const [active, canceled] = [await subscription(payer.id), await subscription(payer.id)];
    await stage.request('POST', `/subscriptions/${active}/start`);
    const charged = stage.ledger.requests.length;
    const method = await saveCard(payer.id, active);
    const apply_to = { subscription_id: canceled };
    const session = await links.open(await links.link({ mode: 'setup', customer_id: payer.id, apply_to }));
    await stage.request('POST', `/subscriptions/${canceled}/cancel`, { at: 'now' });
    assert.equal(links.outcome(await links.save(session)), 'completed');
    for (const id of [active, canceled]) await stage.collectSubscriptionAll(id, realNow());
    assert.equal((await read(active)).payment_instrument_id, method);
    const after = await read(canceled);
    assert.deepEqual([after.state, after.payment_instrument_id], ['canceled', null]);
    assert.equal(stage.ledger.requests.length, charged);
  });
});
