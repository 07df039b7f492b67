import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useStage } from '../support/stage.ts';

describe('the list of payment intents', () => {
  const stage = useStage();

  it('is narrowed by the type of the method, the currency and the total, alone and together', async () => {
    const { merchant } = await stage.stranger();
    const payer = await merchant.payer();
    const card = await merchant.card(payer.id);
    const paid = { customer_id: payer.id, payment_method: card, confirm: true };
    const aud = await merchant.intent({ ...paid, amount: 4900 });
    const usd = await merchant.intent({ ...paid, amount: 4900, currency: 'USD' });
    const unpaid = await merchant.intent({ amount: 2500 });
    const ids = async (query: string) => {
      const { status, body, text } = await merchant.request('GET', `/payment_intents?${query}`);
      assert.equal(status, 200, text);
      return body.data.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await ids('payment_method_type=card'), [usd.id, aud.id]);
    assert.deepEqual(await ids('payment_method_type=au_becs_debit'), []);
    assert.deepEqual(await ids('currency=USD'), [usd.id]);
    assert.deepEqual(await ids('total_amount=4900'), [usd.id, aud.id]);
    assert.deepEqual(await ids('total_amount=2500'), [unpaid.id]);
    assert.deepEqual(await ids('total_amount=4900&currency=AUD&payment_method_type=card&status=succeeded'), [aud.id]);
    assert.deepEqual(await ids(`total_amount=4900&limit=1&starting_after=${usd.id}`), [aud.id]);
    const { merchant: stranger } = await stage.stranger();
    assert.deepEqual((await stranger.request('GET', '/payment_intents?total_amount=4900')).body.data, []);
  });

  it('refuses a type, a currency or a total that is none', async () => {
    for (const query of [
      'payment_method_type=cash',
      'currency=aud',
      'currency=XXX',
      'total_amount=49.00',
      'total_amount=-1',
      'total_amount=99999999999999999999',
    ]) {
      const { status, body } = await stage.request('GET', `/payment_intents?${query}`);
      const [name] = query.split('=');
      assert.deepEqual([status, body.error.details[0].path], [400, `query/${name}`], query);
    }
  });
});
