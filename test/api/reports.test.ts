import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { useStage } from '../support/stage.ts';

const range = 'from=2020-01-01&to=2020-02-01';
const always = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 86_400_000).toISOString()}`;

describe('reports', () => {
  const stage = useStage();
  const follow = () => postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
  const get = (path: string) => stage.request('GET', `/reports/${path}`);

  async function pay(amount: number, about: object = {}): Promise<string> {
    const { id: customer_id } = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(customer_id);
    const { id } = await stage.merchant.intent({ amount, customer_id, ...about });
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    return id;
  }

  it('are empty in JSON before anything has happened', async () => {
    for (const name of ['balance_transactions', 'failed_payments', 'mandates']) {
      const { status, body } = await get(`${name}?${range}`);
      assert.deepEqual([status, body], [200, { data: [] }], name);
    }
  });

  it('have the rows of the books, oldest first', async () => {
    const ids = [await pay(10_000), await pay(20_000)];
    await follow();
    const { body } = await get(`balance_transactions?${always}`);
    assert.deepEqual(
      body.data.map((row: { payment_intent_id: string; gross: number }) => [row.payment_intent_id, row.gross]),
      [
        [ids[0], 10_000],
        [ids[1], 20_000],
      ],
    );
    console.log(body.data[0]);
  });
});
