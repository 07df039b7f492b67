import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const items = (amount: number) => [{ name: 'Membership', unit_amount_cents: amount }];
/** 2027-01-10 to 2027-02-10 has 31 days. On the 20th, 21 of them are left. */
const given = Math.round((4900 * 21) / 31) - Math.round((100 * 21) / 31);

describe('a dispute of the payment of a subscription', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;

  async function started() {
    const card = await stage.merchant.card(here.customer);
    const id = await subscriber.started({ payment_instrument_id: card });
    await here.advance('2027-01-20T00:00:00Z');
    return { id, first: (await subscriber.get(id)).latest_payment_intent_id as string };
  }
  async function change(id: string, amount: number, more: object = {}) {
    const reply = await stage.request('POST', `/subscriptions/${id}/change`, {
      ...{ items: items(amount), when: 'now', ...more },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  async function dispute(id: string, result?: 'won' | 'lost') {
    const body = result === undefined ? {} : { result };
    const reply = await stage.request('POST', `/test_helpers/payment_intents/${id}/dispute`, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  const refundCredit = (id: string) => stage.request('POST', `/subscriptions/${id}/refund_credit`, {});
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('that is lost makes its period unpaid, and nothing charges the card again', async () => {
    const { id, first } = await started();
    await dispute(first, 'lost');
    await here.advance('2027-01-29T23:59:59Z');
    assert.equal((await subscriber.get(id)).state, 'active');
    const charged = stage.ledger.requests.length;
    await here.advance('2027-02-01T00:00:00Z');
    const { state, owed_amount_cents } = await subscriber.get(id);
    assert.deepEqual([state, owed_amount_cents], ['past_due', 4900]);
    await here.advance('2027-03-01T00:00:00Z');
    assert.equal((await subscriber.get(id)).state, 'paused');
    assert.equal(stage.ledger.requests.length, charged);
  });

  it('keeps its credit from being refunded while it is open', async () => {
    const { id, first } = await started();
    await change(id, 100);
    const credit = async () => {
      const { credit_balance_cents: balance, refundable_credit_cents: refundable } = await subscriber.get(id);
      return [balance, refundable];
    };
    assert.deepEqual(await credit(), [given, given]);
    await dispute(first);
    assert.deepEqual(await credit(), [given, 0]);
    refusal(await refundCredit(id), 422, 'invalid_state');
    refusal(await stage.request('POST', `/payment_intents/${first}/refunds`, {}), 422, 'invalid_state');
    await dispute(first, 'won');
    await here.advance('2027-01-31T00:00:00Z');
    assert.deepEqual(await credit(), [given, given]);
    assert.equal((await refundCredit(id)).status, 201);
  });

  it('that is lost ends the credit of its period', async () => {
    const { id, first } = await started();
    await change(id, 100);
    await dispute(first, 'lost');
    await here.advance('2027-01-31T00:00:00Z');
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
    refusal(await refundCredit(id), 422, 'invalid_state');
  });

  it('that is lost after a refund of the payment leaves the books and the payment in agreement', async () => {
    const { first } = await started();
    await stage.request('POST', `/payment_intents/${first}/refunds`, { amount: 900 });
    assert.equal((await dispute(first, 'lost')).amount, 4000);
    await here.advance('2027-02-01T00:00:00Z');
    const { total_returned_amount: returned, net_collected_amount: net } = await stage.merchant.getIntent(first);
    assert.deepEqual([returned, net], [4000, 0]);
    const statement = await stage.request('GET', `/customers/${here.customer}/statement?from=2027-01-01&to=2027-03-31`);
    const [{ collected, refunded, returned: back, owed }] = statement.body.totals;
    assert.deepEqual([collected, refunded, back, owed], [4900, 900, 4000, 4900]);
  });

  it('that is lost after a refund leaves all of the second payment to credit', async () => {
    const { id, first } = await started();
    assert.equal((await stage.request('POST', `/payment_intents/${first}/refunds`, { amount: 4_800 })).status, 201);
    await dispute(first, 'lost');
    await here.advance('2027-01-30T00:00:00Z');
    const method = await stage.merchant.card(here.customer);
    assert.equal((await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: method })).status, 200);
    await here.advance('2027-01-31T00:00:00Z');
    const { status, net_collected_amount: held } = await stage.merchant.getIntent(first);
    assert.deepEqual([status, held], ['succeeded', 4_900]);
    await change(id, 100);
    // 10 of 31 days are left.
    const given = Math.round((4900 * 10) / 31) - Math.round((100 * 10) / 31);
    const { credit_balance_cents: credit, refundable_credit_cents: refundable } = await subscriber.get(id);
    assert.deepEqual([credit, refundable], [given, given]);
    assert.equal((await refundCredit(id)).status, 201);
    const after = await stage.merchant.getIntent(first);
    assert.deepEqual([after.total_refunded_amount, after.net_collected_amount], [4_800 + given, 4_900 - given]);
  });

  it('that is about a change, and lost, makes the next period take what the change has cost', async () => {
    const { id } = await started();
    const { subscription, amount_cents: cost } = await change(id, 6000, { collect: 'now' });
    await dispute(subscription.latest_payment_intent_id, 'lost');
    await here.advance('2027-02-01T00:00:00Z');
    await here.advance('2027-02-11T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), `2 2027-02-10 2027-03-10 paid ${6000 + cost}`);
  });
});
