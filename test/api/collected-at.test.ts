import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { describe, it } from 'mocha';
import { useDebits } from '../support/debits.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const settled = '2027-03-02T22:00:00.000Z';
const lateDishonour = '2027-03-07T22:00:00.000Z';

describe('the date on which a payment was collected', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const pages = usePages(stage);
  const collectedAt = async (id: string) => (await stage.merchant.getIntent(id)).collected_at;
  const list = async (query: Record<string, string>, path = '/payment_intents'): Promise<PaymentIntent[]> => {
    const reply = await stage.request('GET', `${path}?${new URLSearchParams(query)}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };

  async function cardPayer(frozenTime: string, token?: string) {
    const { clock, customer } = await onClock(frozenTime);
    return { clock, customer, card: await stage.merchant.card(customer, token) };
  }

  async function onClock(frozenTime: string) {
    const { clock, payer } = await stage.merchant.customerOnClock(frozenTime);
    return { clock: clock.id, customer: payer.id };
  }

  async function charge({ customer, card }: { customer: string; card: string }) {
    const { id } = await stage.merchant.intent({ customer_id: customer });
    return stage.merchant.client.paymentIntents.confirm(id, { payment_method: card });
  }

  it('is null before and after a decline, and the customer’s time of the charge that took the money', async () => {
    const payer = await cardPayer('2027-03-01T00:00:00.000Z');
    const bad = await stage.merchant.card(payer.customer, 'tok_sandbox_visa_decline_insufficient_funds');
    const declined = await charge({ ...payer, card: bad });
    assert.deepEqual([declined.status, declined.collected_at], ['failed', null]);
    const unpaid = await stage.merchant.intent({ customer_id: payer.customer });
    assert.equal(unpaid.collected_at, null);
    await stage.advance(payer.clock, '2027-03-05T00:00:00.000Z');
    const paid = await stage.merchant.client.paymentIntents.confirm(unpaid.id, { payment_method: payer.card });
    assert.equal(paid.collected_at, '2027-03-05T00:00:00.000Z');
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(event?.data.collected_at, '2027-03-05T00:00:00.000Z');
  });

  it('is the time at which the payer passed 3D Secure, not that of the request', async () => {
    const payer = await cardPayer('2027-03-01T00:00:00.000Z', 'tok_sandbox_visa_3ds_required');
    const { id, status, collected_at } = await charge(payer);
    assert.deepEqual([status, collected_at], ['requires_action', null]);
    await stage.advance(payer.clock, '2027-03-01T00:10:00.000Z');
    await stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, { result: 'succeed' });
    assert.equal(await collectedAt(id), '2027-03-01T00:10:00.000Z');
  });

  it('is the settlement of a debit, and stays when it comes back', async () => {
    const payer = await debits.payer();
    const { id, collected_at } = await debits.debit(payer, 'late_dishonour');
    assert.equal(collected_at, null);
    await stage.advance(payer.clock, settled);
    assert.equal(await collectedAt(id), settled);
    await stage.advance(payer.clock, lateDishonour);
    const back = await stage.merchant.getIntent(id);
    assert.deepEqual([back.status, back.collected_at, back.updated_at], ['returned', settled, lateDishonour]);
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    assert.equal(returned?.data.collected_at, settled);
  });

  it('is the later settlement when a plan collects again what came back', async () => {
    const payer = await debits.payer();
    const plan = await debits.plan(payer, 'late_dishonour,settled', { failure_behaviour: 'retry' });
    await stage.advance(payer.clock, settled);
    const [slot] = await stage.merchant.payments(plan.id);
    const id = String(slot?.payment_intent_id);
    const { lodgement_reference: first, collected_at } = await stage.merchant.getIntent(id);
    assert.equal(collected_at, settled);
    await stage.advance(payer.clock, '2027-03-16T00:00:00.000Z');
    await stage.advance(payer.clock, '2027-03-24T00:00:00.000Z');
    const again = await stage.merchant.getIntent(id);
    assert.equal(again.status, 'succeeded');
    assert.ok(String(again.collected_at) > lateDishonour, String(again.collected_at));
    assert.notEqual(again.lodgement_reference, first);
  });

  it('stays when the payment is refunded later', async () => {
    const payer = await cardPayer('2027-03-01T00:00:00.000Z');
    const { id } = await charge(payer);
    await stage.advance(payer.clock, '2027-03-05T00:00:00.000Z');
    await stage.merchant.client.refunds.create(id, { amount: 100 });
    const { updated_at, collected_at } = await stage.merchant.getIntent(id);
    assert.deepEqual([updated_at, collected_at], ['2027-03-05T00:00:00.000Z', '2027-03-01T00:00:00.000Z']);
  });

  it('is the date of the receipt', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    await stage.advance(payer.clock, settled);
    const { receipt_url: url = '' } = await stage.merchant.getIntent(id);
    const { text } = await pages.open(url, { 'Accept-Language': 'en-AU' });
    assert.match(text, /Date 2 Mar(ch)? 2027/);
    assert.doesNotMatch(text, /1 Mar(ch)? 2027/);
  });

  it('narrows lists, from included and to excluded, in its own order and page by page', async () => {
    const late = await charge(await cardPayer('2027-03-05T00:00:00.000Z'));
    const early = await charge(await cardPayer('2027-03-01T00:00:00.000Z'));
    const middle = await charge(await cardPayer('2027-03-03T00:00:00.000Z'));
    await stage.merchant.intent();
    const ids = async (query: Record<string, string>) => (await list(query)).map(({ id }) => id);
    const all = [late.id, middle.id, early.id];
    assert.deepEqual(await ids({ collected_from: '2020-01-01T00:00:00Z' }), all);
    assert.deepEqual(await ids({ collected_to: '2199-01-01T00:00:00Z' }), all);
    const days = { collected_from: '2027-03-01T00:00:00Z', collected_to: '2027-03-03T00:00:00Z' };
    assert.deepEqual(await ids(days), [early.id]);
    assert.deepEqual(await ids({ collected_from: '2027-03-03T00:00:00.000Z' }), [late.id, middle.id]);
    const paged = [];
    for (let more = true; more; ) {
      const after: Record<string, string> = paged.length === 0 ? {} : { starting_after: String(paged.at(-1)) };
      const query = new URLSearchParams({ collected_from: '2020-01-01T00:00:00Z', limit: '1', ...after });
      const { body } = await stage.request('GET', `/payment_intents?${query}`);
      paged.push(body.data[0].id);
      more = body.has_more;
    }
    assert.deepEqual(paged, all);
    const path = `/customers/${early.customer_id}/payment_intents`;
    assert.deepEqual(await list({ collected_from: '2027-03-01T00:00:00.001Z' }, path), []);
    assert.equal((await list(days, path)).length, 1);
    const both = { collected_from: '2027-03-03T00:00:00Z', created_to: '2027-03-05T00:00:00Z' };
    assert.deepEqual(await ids(both), [middle.id]);
  });

  it('is read from an index of its own', async () => {
    const { sql } = stage.db;
    const plan = await sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      await tx`set local enable_sort = off`;
      return tx`
        explain select * from payment_intents
        where biller_id = ${stage.keys.biller.id} and livemode = false and collected_at >= '2027-03-01'
        order by collected_at desc, id desc limit 21`;
    });
    assert.match(JSON.stringify(plan), /payment_intents_by_collection/);
  });
});
