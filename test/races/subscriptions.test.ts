import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { recoverRefunds } from '../../src/services/payments/refunds.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { assertAccounted } from './account.ts';

const due = '2027-02-10T00:00:00Z';

describe('a subscription whose process dies', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage, here } = subscriber;
  /** The next response of the processor is lost, after it has taken the money. */
  function loseNextResponse(): void {
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      throw new OutcomeUnknown('its process died');
    };
  }

  it('takes the money of its period once if that was charged before', async () => {
    const id = await subscriber.started();
    await stage.merchant.beginAdvance(here.clock, due);
    loseNextResponse();
    await assert.rejects(stage.collectSubscription(id, due));
    assert.equal((await subscriber.get(id)).current_period.status, 'processing');
    await stage.carryOut(here.clock);
    assert.deepEqual((await subscriber.get(id)).current_period.status, 'paid');
    assert.equal(stage.ledger.taken.size, 2);
    await assertAccounted(stage);
  });

  it('during its start, is started by a repetition of the request or by housekeeping, and charged once', async () => {
    const { id } = await subscriber.create();
    loseNextResponse();
    const lost = await stage.request('POST', `/subscriptions/${id}/start`);
    assert.equal(lost.status, 503);
    assert.equal((await subscriber.get(id)).state, 'pending');
    const later = addMs(realNow(), 3_600_000);
    await recoverCharges(stage.db.sql, stage.charging, later);
    assert.equal((await subscriber.get(id)).state, 'active');
    assert.equal(stage.ledger.taken.size, 1);
    await assertAccounted(stage);
  });

  it('during its start, is started once by a repetition with the same key', async () => {
    const { id } = await subscriber.create();
    loseNextResponse();
    const send = () =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/start`, {
        key: stage.keys.sandboxSecret,
        headers: { 'Idempotency-Key': 'start' },
      });
    assert.equal((await send()).status, 503);
    const repeated = await send();
    assert.deepEqual([repeated.status, repeated.body.state], [200, 'active']);
    assert.equal(stage.ledger.taken.size, 1);
    await assertAccounted(stage);
  });
});

describe('a change of a subscription whose process dies', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage } = subscriber;
  const upgrade = { items: [{ name: 'Membership', unit_amount_cents: 9800 }], when: 'now', collect: 'now' };
  const send = (id: string, key: string) =>
    stage.api.send('POST', `/api/v1/subscriptions/${id}/change`, {
      key: stage.keys.sandboxSecret,
      headers: { 'Idempotency-Key': key },
      body: upgrade,
    });
  function loseNextResponse(): void {
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      throw new OutcomeUnknown('its process died');
    };
  }

  it('is made once by a repetition with the same key, with the same result, and the money is taken once', async () => {
    const id = await subscriber.started();
    loseNextResponse();
    assert.equal((await send(id, 'change')).status, 503);
    assert.equal((await subscriber.get(id)).items[0].unit_amount_cents, 4900);
    const repeated = await send(id, 'change');
    assert.deepEqual([repeated.status, repeated.body.amount_cents], [200, 4900]);
    assert.equal(repeated.body.subscription.items[0].unit_amount_cents, 9800);
    assert.equal((await send(id, 'change')).text, repeated.text);
    assert.equal(stage.ledger.taken.size, 2);
    await assertAccounted(stage);
  });

  it('is made by housekeeping if the request is not repeated, and until then no other change is made', async () => {
    const id = await subscriber.started();
    loseNextResponse();
    assert.equal((await send(id, 'one')).status, 503);
    assert.equal((await send(id, 'two')).status, 422);
    await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 3_600_000));
    assert.equal((await subscriber.get(id)).items[0].unit_amount_cents, 9800);
    assert.equal(stage.ledger.taken.size, 2);
    await assertAccounted(stage);
  });

  it('is credit if its period is over when its outcome is found', async () => {
    const id = await subscriber.started();
    loseNextResponse();
    assert.equal((await send(id, 'late')).status, 503);
    await stage.collectSubscriptionAll(id, due);
    await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 3_600_000));
    const after = await subscriber.get(id);
    assert.deepEqual([after.items[0].unit_amount_cents, after.credit_balance_cents], [4900, 4900]);
    assert.equal(stage.ledger.taken.size, 3);
    await assertAccounted(stage);
  });
});

describe('a refund of credit whose process dies', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage } = subscriber;
  async function lostRefund(): Promise<{ id: string; send: () => ReturnType<typeof stage.api.send> }> {
    const id = await subscriber.started();
    const downgrade = { items: [{ name: 'Membership', unit_amount_cents: 900 }], when: 'now' };
    await stage.request('POST', `/subscriptions/${id}/change`, downgrade);
    stage.ledger.beforeRefundAnswer = async () => {
      stage.ledger.beforeRefundAnswer = async () => {};
      throw new OutcomeUnknown('its process died');
    };
    const send = () =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/refund_credit`, {
        key: stage.keys.sandboxSecret,
        headers: { 'Idempotency-Key': 'refund' },
        body: {},
      });
    assert.equal((await send()).status, 503);
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
    return { id, send };
  }
  const refundsOf = async (id: string) => {
    const { latest_payment_intent_id: intent } = await subscriber.get(id);
    const { body } = await stage.request('GET', `/payment_intents/${intent}/refunds`);
    return body.data.map(({ status, amount }: { status: string; amount: number }) => `${status} ${amount}`);
  };

  it('is one refund after a repetition with the same key', async () => {
    const { id, send } = await lostRefund();
    const repeated = await send();
    assert.deepEqual([repeated.status, repeated.body.status], [201, 'succeeded']);
    assert.deepEqual(await refundsOf(id), ['succeeded 4000']);
    await assertAccounted(stage);
  });

  it('over several payments continues where it stopped, and gives nothing twice', async () => {
    for (const lost of [1, 2]) {
      const id = await subscriber.started();
      const change = (amount: number, more: object) =>
        stage.request('POST', `/subscriptions/${id}/change`, {
          ...{ items: [{ name: 'Membership', unit_amount_cents: amount }], when: 'now' },
          ...more,
        });
      await change(5900, { collect: 'now' });
      await change(900, {});
      let asked = 0;
      stage.ledger.beforeRefundAnswer = async () => {
        asked += 1;
        if (asked === lost) throw new OutcomeUnknown('its process died');
      };
      const send = () =>
        stage.api.send('POST', `/api/v1/subscriptions/${id}/refund_credit`, {
          key: stage.keys.sandboxSecret,
          headers: { 'Idempotency-Key': `refund ${lost}` },
          body: {},
        });
      assert.equal((await send()).status, 503);
      assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
      const { status, body } = await send();
      const amounts = body.refunds.map((refund: typeof body) => `${refund.status} ${refund.amount}`);
      assert.deepEqual([status, body.amount, amounts], [201, 1000, ['succeeded 1000', 'succeeded 4000']]);
      assert.deepEqual((await send()).body, body);
      assert.equal(asked, 3);
      const [sum] = await stage.db.sql<{ count: number; amount: number }[]>`
        select count(*)::integer as count, sum(r.amount)::bigint as amount from refunds r
        join payment_intents i on i.id = r.payment_intent_id where i.subscription_id = ${id}`;
      assert.deepEqual(sum, { count: 2, amount: 5000 });
    }
    await assertAccounted(stage);
  });

  it('is finished by housekeeping if the request is not repeated', async () => {
    const { id } = await lostRefund();
    await recoverRefunds(stage.db.sql, stage.processors, addMs(realNow(), 3_600_000));
    assert.deepEqual(await refundsOf(id), ['succeeded 4000']);
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
    await assertAccounted(stage);
  });
});

describe('requests for a subscription at the same time', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage, here } = subscriber;

  it('start it once, whichever of two comes first', async () => {
    const { id } = await subscriber.create();
    const start = () => stage.request('POST', `/subscriptions/${id}/start`);
    const replies = await Promise.all([start(), start()]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422]);
    assert.equal(stage.ledger.taken.size, 1);
    await assertAccounted(stage);
  });

  for (const [name, body] of [
    ['cancel', { at: 'now' }],
    ['cancel', {}],
    ['pause', {}],
  ] as const) {
    it(`win against a period that begins: after the response to ${name} ${JSON.stringify(body)} none does`, async () => {
      const id = await subscriber.started();
      const [reply] = await Promise.all([
        stage.request('POST', `/subscriptions/${id}/${name}`, body),
        stage.collectSubscription(id, due).catch(() => {}),
      ]);
      assert.equal(reply.status, 200);
      const before = await subscriber.periods(id);
      await stage.collectSubscriptionAll(id, '2027-04-10T00:00:00Z');
      assert.equal((await subscriber.periods(id)).length, before.length);
      await assertAccounted(stage);
    });
  }

  it('make one of two changes that are paid now, and the other sees what the first has made', async () => {
    const id = await subscriber.started();
    const upgrade = { items: [{ name: 'Membership', unit_amount_cents: 9800 }], when: 'now', collect: 'now' };
    const change = () => stage.request('POST', `/subscriptions/${id}/change`, upgrade);
    const replies = await Promise.all([change(), change()]);
    const amounts = replies.filter(({ status }) => status === 200).map(({ body }) => body.amount_cents);
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      4900,
    );
    assert.equal(stage.ledger.taken.size, 2);
    assert.equal((await subscriber.get(id)).items[0].unit_amount_cents, 9800);
    await assertAccounted(stage);
  });

  for (const [rival, body] of [
    ['cancel', { at: 'now' }],
    ['cancel', {}],
    ['pause', {}],
  ] as const) {
    it(`make what is paid, or give credit, for a change and ${rival} ${JSON.stringify(body)}`, async () => {
      const id = await subscriber.started();
      const upgrade = { items: [{ name: 'Membership', unit_amount_cents: 9800 }], when: 'now', collect: 'now' };
      const [changed, other] = await Promise.all([
        stage.request('POST', `/subscriptions/${id}/change`, upgrade),
        stage.request('POST', `/subscriptions/${id}/${rival}`, body),
      ]);
      assert.equal(other.status, 200);
      const after = await subscriber.get(id);
      if (changed.status === 200) {
        const isMade = after.items[0].unit_amount_cents === 9800;
        assert.equal(after.credit_balance_cents, isMade ? 0 : 4900);
      } else assert.equal(stage.ledger.taken.size, 1);
      await assertAccounted(stage);
    });
  }

  it('take one price or the other for a period that begins during a change, and its credit once', async () => {
    const id = await subscriber.started();
    await here.advance('2027-02-09T00:00:00Z');
    const downgrade = { items: [{ name: 'Membership', unit_amount_cents: 3100 }], when: 'now' };
    const [changed] = await Promise.all([
      stage.request('POST', `/subscriptions/${id}/change`, downgrade),
      stage.collectSubscription(id, due).catch(() => {}),
    ]);
    await stage.collectSubscriptionAll(id, due);
    const last = (await subscriber.periods(id)).at(-1);
    assert.ok(
      ['paid 4900', `paid ${3100 - (158 - 100)}`].some((end) => last?.endsWith(end)),
      `${last} ${changed.status}`,
    );
    await assertAccounted(stage);
  });

  it('refund the credit once, if two ask for all of it', async () => {
    const id = await subscriber.started();
    const downgrade = { items: [{ name: 'Membership', unit_amount_cents: 900 }], when: 'now' };
    await stage.request('POST', `/subscriptions/${id}/change`, downgrade);
    const refund = () => stage.request('POST', `/subscriptions/${id}/refund_credit`, {});
    const replies = await Promise.all([refund(), refund()]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422]);
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
    await assertAccounted(stage);
  });

  it('begin its period once, if two workers collect it', async () => {
    const id = await subscriber.started();
    await stage.merchant.beginAdvance(here.clock, due);
    await Promise.all([1, 2, 3].map(() => stage.collectSubscription(id, due)));
    assert.equal((await subscriber.periods(id)).length, 2);
    assert.equal(stage.ledger.taken.size, 2);
  });
});
