import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { usePayer } from '../support/payer.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import { door, inTurn } from './barriers.ts';

describe('two who want the money of one payment back', () => {
  const here = usePayer();
  const { stage } = here;

  const paid = async () => {
    const { id } = await stage.merchant.intent({ customer_id: here.customer });
    const path = `/payment_intents/${id}/confirm`;
    assert.equal((await stage.request('POST', path, { payment_method: here.card })).body.status, 'succeeded');
    return id;
  };
  const refund = (id: string, body: object) => () => stage.request('POST', `/payment_intents/${id}/refunds`, body);
  const failing = { metadata: { _sandbox_refund_outcome: 'fail' } };

  const pairs: [string, object, object, string, number][] = [
    ['all and all', {}, {}, '201 422', 1000],
    ['all and a part', {}, { amount: 1 }, '201 422', 1000],
    ['a part and all', { amount: 300 }, {}, '201 201', 1000],
    ['two parts that are too much together', { amount: 600 }, { amount: 600 }, '201 400', 600],
    ['two parts that are just enough', { amount: 400 }, { amount: 600 }, '201 201', 1000],
  ];
  for (const [what, first, second, answers, refunded] of pairs) {
    it(`get ${answers} for ${what}, and ${refunded} is given back`, async () => {
      const id = await paid();
      const from = await eventsSoFar(stage);
      const row = { table: 'payment_intents', id } as const;
      const replies = await inTurn<[Reply, Reply]>(stage.db.sql, row, [refund(id, first), refund(id, second)]);
      assert.equal(replies.map(({ status }) => status).join(' '), answers);
      assert.equal((await stage.merchant.getIntent(id)).total_refunded_amount, refunded);
      const made = replies.filter(({ status }) => status === 201).map(({ body }) => `refund.${body.status}`);
      assert.deepEqual((await toldSince(stage, from)).sort(), made.sort());
      await assertAccounted(stage);
    });
  }

  it('get nothing if both want all and the first one fails: what is under way counts as given back', async () => {
    const id = await paid();
    const from = await eventsSoFar(stage);
    const asked = door();
    stage.ledger.beforeRefundAnswer = () => asked.pass();
    const first = refund(id, failing)();
    await asked.arrived;
    const second = await refund(id, {})();
    asked.open();
    assert.deepEqual([(await first).status, (await first).body.status, second.status], [201, 'failed', 422]);
    assert.equal((await stage.merchant.getIntent(id)).total_refunded_amount, 0);
    assert.deepEqual(await toldSince(stage, from), ['refund.failed']);
    await assertAccounted(stage);
  });

  it('are twenty, each for a fifteenth: fifteen get it', async () => {
    const { id } = await stage.merchant.intent({ amount: 1500, customer_id: here.customer });
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: here.card });
    const replies = await Promise.all(Array.from({ length: 20 }, refund(id, { amount: 100 })));
    assert.equal(replies.filter(({ status }) => status === 201).length, 15);
    assert.equal((await stage.merchant.getIntent(id)).total_refunded_amount, 1500);
    await assertAccounted(stage);
  });
});
