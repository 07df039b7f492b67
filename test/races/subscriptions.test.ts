import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { assertAccounted } from './account.ts';

const due = '2027-02-10T00:00:00Z';

describe('a subscription whose process dies', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  /** The next response of the processor is lost, after it has taken the money. */
  function loseNextResponse(): void {
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      throw new OutcomeUnknown('its process died');
    };
  }

  it('after its period was charged, takes the money of it once', async () => {
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
    const later = new Date(realNow().getTime() + 3_600_000);
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

describe('requests for a subscription at the same time', () => {
  const subscriber = useSubscriber({ connections: 10 });
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

  it('begin its period once, if two workers collect it', async () => {
    const id = await subscriber.started();
    await stage.merchant.beginAdvance(here.clock, due);
    await Promise.all([1, 2, 3].map(() => stage.collectSubscription(id, due)));
    assert.equal((await subscriber.periods(id)).length, 2);
    assert.equal(stage.ledger.taken.size, 2);
  });
});
