import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const items = (amount: number) => [{ name: 'Membership', unit_amount_cents: amount }];

describe('credit that came from a payment', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  /** From 2027-01-10 for 31 days. */
  async function started(amount: number, until: string) {
    const id = await subscriber.started({ items: items(amount) });
    await here.advance(`${until}T00:00:00Z`);
    return { id, first: (await subscriber.get(id)).latest_payment_intent_id as string };
  }
  async function change(id: string, amount: number, more: object = {}) {
    const body = { items: items(amount), when: 'now', ...more };
    const reply = await stage.request('POST', `/subscriptions/${id}/change`, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  async function refund(intent: string, body: object = {}) {
    const reply = await stage.request('POST', `/payment_intents/${intent}/refunds`, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }
  const refundCredit = (id: string, body: object = {}) =>
    stage.request('POST', `/subscriptions/${id}/refund_credit`, body);
  const credit = async (id: string) => {
    const { credit_balance_cents: balance, refundable_credit_cents: refundable } = await subscriber.get(id);
    return [balance, refundable];
  };
  const refundsOf = (body: { refunds: { payment_intent_id: string; amount: number; status: string }[] }) =>
    body.refunds.map(({ payment_intent_id: id, amount, status }) => [id, amount, status]);
  /** 30.00 paid, 0.52 paid for a change, and then so cheap that 15.48 is credit. */
  async function paidTwice() {
    const { id, first } = await started(3000, '2027-01-25');
    const { subscription } = await change(id, 3100, { collect: 'now' });
    await change(id, 100);
    assert.deepEqual(await credit(id), [1548, 1548]);
    return { id, first, second: subscription.latest_payment_intent_id as string };
  }
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('is used up first by an ordinary refund of the payment', async () => {
    const { id, first } = await started(3100, '2027-01-20');
    await change(id, 310);
    assert.deepEqual(await credit(id), [1890, 1890]);
    await refund(first, { amount: 1000 });
    assert.deepEqual(await credit(id), [890, 890]);
    await refund(first, { amount: 890 });
    assert.deepEqual(await credit(id), [0, 0]);
    refusal(await refundCredit(id), 422, 'invalid_state');
    await refund(first);
    await here.advance('2027-02-10T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 310');
  });

  for (const [refunded, left] of [
    [1000, 1890],
    [1890, 1210],
    [3100, 0],
  ] as const) {
    it(`is at most what the payment still holds: ${left} if ${refunded} of it was refunded before the change`, async () => {
      const { id, first } = await started(3100, '2027-01-20');
      await refund(first, { amount: refunded });
      const quote = await change(id, 310, { dry_run: true });
      await change(id, 310);
      assert.deepEqual(await credit(id), [left, left]);
      const sum = quote.lines.reduce((all: number, line: { amount_cents: number }) => all + line.amount_cents, 0);
      assert.equal(sum, 0 - left);
    });
  }

  it('comes back if the ordinary refund fails, together with what that has let be withheld', async () => {
    const { id, first } = await started(3100, '2027-01-20');
    await change(id, 310);
    const failed = await refund(first, { metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.equal(failed.status, 'failed');
    assert.deepEqual(await credit(id), [1890, 1890]);
  });

  it('is of the payments that were made last: what older ones gave is used first', async () => {
    const { id, first } = await started(3100, '2027-01-20');
    await change(id, 310);
    await change(id, 3100, { when: 'period_end' });
    // The second period uses 18.90 and takes 12.10.
    await here.advance('2027-02-20T00:00:00Z');
    const { latest_payment_intent_id: second } = await subscriber.get(id);
    await change(id, 310);
    const given = Math.round((3100 * 18) / 28) - Math.round((310 * 18) / 28);
    assert.deepEqual(await credit(id), [given, given]);
    // 12.10 of it came from the second payment, the rest from the first.
    await refund(first, { amount: given - 1210 + 100 });
    assert.deepEqual(await credit(id), [1210, 1210]);
    await refund(second);
    assert.deepEqual(await credit(id), [0, 0]);
  });

  it('is not given by a change whose own payment was refunded', async () => {
    const { id } = await started(3000, '2027-01-25');
    const { subscription } = await change(id, 3100, { collect: 'now' });
    await refund(subscription.latest_payment_intent_id);
    await change(id, 100);
    assert.deepEqual(await credit(id), [1548 - 52, 1548 - 52]);
  });

  it('is paid out whole, over as many payments as hold it, the newest first', async () => {
    const { id, first, second } = await paidTwice();
    await subscriber.ask(id, 'cancel', { at: 'now' });
    const { status, body } = await refundCredit(id);
    assert.deepEqual([status, body.payment_intent_id, body.amount], [201, second, 52]);
    assert.deepEqual(refundsOf(body), [
      [second, 52, 'succeeded'],
      [first, 1496, 'succeeded'],
    ]);
    assert.deepEqual(await credit(id), [0, 0]);
    refusal(await refundCredit(id), 422, 'invalid_state');
  });

  it('is paid out in part, by one payment if that holds enough', async () => {
    const { id, first, second } = await paidTwice();
    const { body } = await refundCredit(id, { amount_cents: 40 });
    assert.deepEqual(refundsOf(body), [[second, 40, 'succeeded']]);
    refusal(await refundCredit(id, { amount_cents: 1509 }), 422, 'validation_failed');
    assert.deepEqual(refundsOf((await refundCredit(id, { amount_cents: 112 })).body), [
      [second, 12, 'succeeded'],
      [first, 100, 'succeeded'],
    ]);
    assert.deepEqual(await credit(id), [1396, 1396]);
  });

  it('comes back in part if one of several refunds fails, and the response says which', async () => {
    const { id, first, second } = await paidTwice();
    // In the sandbox a refund fails if its amount ends in 03.
    const { status, body } = await refundCredit(id, { amount_cents: 52 + 103 });
    assert.deepEqual([status, body.status], [201, 'succeeded']);
    assert.deepEqual(refundsOf(body), [
      [second, 52, 'succeeded'],
      [first, 103, 'failed'],
    ]);
    assert.deepEqual(await credit(id), [1548 - 52, 1548 - 52]);
  });

  it('can be paid out as far as refunds leave something of the payments, which a list says of each subscription', async () => {
    const { id } = await paidTwice();
    const { body } = await stage.request('GET', '/subscriptions');
    assert.deepEqual(
      body.data.map((one: { id: string; refundable_credit_cents: number }) => [one.id, one.refundable_credit_cents]),
      [[id, 1548]],
    );
    const { subscription } = await change(id, 200);
    assert.equal(subscription.refundable_credit_cents, subscription.credit_balance_cents);
  });
});
