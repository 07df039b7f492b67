import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { assertAccounted } from './account.ts';

const joining = { name: 'Joining fee', unit_amount_cents: 2500, quantity: 1 };
const towel = { name: 'Towel', unit_amount_cents: 300, quantity: 1 };

describe('fees once and discounts that change beside a charge', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const put = (id: string, body: object): Promise<Reply> => stage.request('PUT', `/subscriptions/${id}`, body);
  const post = (id: string, what: string, body?: object): Promise<Reply> =>
    stage.request('POST', `/subscriptions/${id}/${what}`, body);
  /** Does this once, while the processor has the next charge. */
  const meanwhile = (work: () => Promise<unknown>): void => {
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      await work();
    };
  };
  const taken = () => [...stage.ledger.taken.values()];

  it('a fee that comes while the first payment is under way waits for the next period', async () => {
    const { id } = await subscriber.create({ one_off_items: [joining] });
    meanwhile(async () => assert.equal((await put(id, { one_off_items: [towel] })).status, 200));
    const { body } = await post(id, 'start');
    assert.deepEqual([body.state, body.one_off_items], ['active', [towel]]);
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual(taken(), [7400, 5200, 4900]);
    await assertAccounted(stage);
  });

  it('a fee that comes while a first payment is declined waits beside those that it did not pay', async () => {
    const { id } = await subscriber.create({ one_off_items: [joining], metadata: { _sandbox_outcome: 'decline' } });
    meanwhile(async () => assert.equal((await put(id, { one_off_items: [towel] })).status, 200));
    assert.deepEqual((await post(id, 'start')).body.one_off_items, [joining, towel]);
    await put(id, { metadata: {} });
    assert.equal((await post(id, 'start')).body.state, 'active');
    assert.deepEqual(taken(), [7700]);
    await assertAccounted(stage);
  });

  it('a PUT of fees beside a start: each fee is in the payment or waits, never both', async () => {
    for (let round = 0; round < 4; round++) {
      const before = taken().length;
      const { id } = await subscriber.create({ one_off_items: [joining] });
      const [changed, started] = await Promise.all([put(id, { one_off_items: [towel] }), post(id, 'start')]);
      assert.deepEqual([changed.status, started.status], [200, 200], changed.text + started.text);
      const { one_off_items: waiting } = await subscriber.get(id);
      const [amount] = taken().slice(before);
      if (waiting.length === 0) assert.equal(amount, 5200);
      else assert.deepEqual([amount, waiting], [7400, [towel]]);
    }
    await assertAccounted(stage);
  });

  it('the same PUT twice at once is made once: its fee is charged once', async () => {
    const id = await subscriber.started();
    const body = { one_off_items: [joining], discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] };
    const replies = await Promise.all([put(id, body), put(id, body)]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual(taken(), [4900, 4950, 4900]);
    await assertAccounted(stage);
  });

  it('discounts that change while the first payment is under way are for the next period', async () => {
    const { id } = await subscriber.create({ discounts: [{ name: 'Half', percent_off: 50 }] });
    meanwhile(async () => assert.equal((await put(id, { discounts: [] })).status, 200));
    assert.equal((await post(id, 'start')).body.state, 'active');
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual(taken(), [2450, 4900]);
    await assertAccounted(stage);
  });

  it('discounts that are sent after a start that failed replace all that were sent before', async () => {
    const metadata = { _sandbox_outcome: 'decline' };
    const { id } = await subscriber.create({ discounts: [{ name: 'Half', percent_off: 50, periods: 1 }], metadata });
    meanwhile(() => put(id, { discounts: [{ name: 'Friend', percent_off: 20 }] }));
    await post(id, 'start');
    const student = { name: 'Student', amount_off_cents: 400 };
    const { body } = await put(id, { metadata: {}, discounts: [student] });
    assert.deepEqual([body.discounts[0].name, body.next_discounts], ['Student', null]);
    assert.equal((await post(id, 'start')).body.state, 'active');
    assert.deepEqual(taken(), [4500]);
    await assertAccounted(stage);
  });

  it('a pause and an end with dates at once: the earlier of them, or what came last, and nothing else', async () => {
    for (const [from, at] of [
      ['2027-03-10', '2027-04-10'],
      ['2027-04-10', '2027-03-10'],
    ]) {
      const id = await subscriber.started();
      const replies = await Promise.all([post(id, 'pause', { from }), post(id, 'cancel', { at })]);
      for (const { status, text } of replies) assert.ok([200, 422].includes(status), text);
      const { pauses_at, ends_at } = await subscriber.get(id);
      assert.equal(ends_at, at, 'no pause takes an end away');
      assert.ok(pauses_at === null || pauses_at < String(at), pauses_at);
    }
  });
});
