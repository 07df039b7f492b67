import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { writeAccount } from '../../processors/stripe/accounts.ts';
import { sealingKeys, useStripe } from './support.ts';

const dayMs = 24 * 3_600_000;

describe('a refund by Stripe', function () {
  this.timeout(60_000);
  const stripe = useStripe();
  let last = 0;

  async function paid() {
    const reserved = await stripe.reserved(await stripe.card());
    await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key);
    return reserved.reference;
  }
  const bodyOf = (reference: string | null, amount = 400) => ({
    ...{ payment_intent_id: 'pi_1', charge_reference: reference, amount, currency: 'AUD', metadata: {} },
  });
  const newKey = () => `re_${++last}x${Date.now()}`;
  const given = async (key: string) => (await stripe.rig.judge()).refunded.get(key) ?? 0;

  afterEach('Stripe’s own document takes every request', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });

  it('is given once by ten calls at once, and by a later one under its key', async () => {
    const [key, body] = [newKey(), bodyOf(await paid())];
    const answers = await Promise.all(Array.from({ length: 10 }, () => stripe.call('/refunds', body, key)));
    assert.ok(answers.some((answer) => answer.body.outcome === 'succeeded'));
    assert.equal((await stripe.call('/refunds', body, key)).body.outcome, 'succeeded');
    assert.equal(await given(key), 400);
  });

  it('is given once although Stripe has forgotten the key and this database has lost the refund', async () => {
    const [key, body] = [newKey(), bodyOf(await paid())];
    await stripe.call('/refunds', body, key);
    stripe.rig.keys.age(dayMs + 1);
    await stripe.sql`delete from processor_stripe.refunds where idempotency_key = ${key}`;
    assert.equal((await stripe.call('/refunds', body, key)).body.outcome, 'succeeded');
    assert.equal(await given(key), 400);
  });

  it('whose answer was lost is found when it is asked for', async () => {
    const [key, body] = [newKey(), bodyOf(await paid())];
    assert.equal((await stripe.call('/refunds/inquire', body, key)).body.outcome, 'not_found');
    stripe.rig.faults.plan('POST /v1/refunds', { kind: 'reset_answer', at: 0 });
    assert.equal((await stripe.call('/refunds', body, key)).body.outcome, undefined);
    assert.equal((await stripe.call('/refunds/inquire', body, key)).body.outcome, 'succeeded');
    assert.equal((await stripe.call('/refunds', body, key)).body.outcome, 'succeeded');
    assert.equal(await given(key), 400);
  });

  it('that Stripe has not decided is pending, moves nothing, and gets its outcome when it is asked for', async () => {
    for (const [status, outcome] of [
      [null, 'succeeded'],
      ['failed', 'failed'],
    ] as const) {
      const { cursor } = (await stripe.call('/movements', { after: null })).body;
      const [key, body] = [newKey(), bodyOf(await paid())];
      const moved = async () => {
        const { movements } = (await stripe.call('/movements', { after: cursor })).body;
        return (movements as { kind: string; idempotency_key: string }[]).filter(
          (each) => each.kind === 'refund' && each.idempotency_key === key,
        ).length;
      };
      for (const waiting of ['pending', 'requires_action'] as const) {
        stripe.rig.bridge.showRefundsAs(waiting);
        for (const path of ['/refunds', '/refunds', '/refunds/inquire']) {
          const answer = await stripe.call(path, body, key);
          assert.deepEqual([answer.status, answer.body.outcome], [200, 'pending'], path);
        }
      }
      assert.equal(await moved(), 0);
      stripe.rig.bridge.showRefundsAs(status);
      assert.equal((await stripe.call('/refunds/inquire', body, key)).body.outcome, outcome);
      assert.equal((await stripe.call('/refunds', body, key)).body.outcome, outcome);
      assert.equal(await moved(), outcome === 'succeeded' ? 1 : 0);
      stripe.rig.bridge.showRefundsAs(null);
      assert.equal(await given(key), 400);
    }
  });

  it('of more than was paid is rejected, and not found afterwards', async () => {
    const [key, body] = [newKey(), bodyOf(await paid(), 1019)];
    const answer = await stripe.call('/refunds', body, key);
    assert.deepEqual([answer.status, answer.body.outcome], [422, 'rejected']);
    assert.equal((await stripe.call('/refunds/inquire', body, key)).body.outcome, 'not_found');
  });

  it('under the key of another amount is no outcome', async () => {
    const [key, reference] = [newKey(), await paid()];
    await stripe.call('/refunds', bodyOf(reference, 400), key);
    const other = await stripe.call('/refunds', bodyOf(reference, 500), key);
    assert.deepEqual([other.status, other.body.outcome], [400, undefined]);
    assert.equal(await given(key), 400);
  });

  it('of a payment that Stripe does not know is rejected', async () => {
    for (const each of ['pi_unknown', null]) {
      const answer = await stripe.call('/refunds', bodyOf(each), newKey());
      assert.deepEqual([each, answer.status, answer.body.outcome], [each, 422, 'rejected'], JSON.stringify(answer));
    }
  });

  it('of another biller’s payment is rejected, and its refund not found, although both have one Stripe account', async () => {
    const other = { account: 'acct_other', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, other, { key: rigKey, by: 'test' });
    const [key, body] = [newKey(), bodyOf(await paid())];
    const stranger = await stripe.call('/refunds', { ...body, ...other }, key);
    assert.deepEqual([stranger.status, stranger.body.outcome], [422, 'rejected']);
    assert.equal(await given(key), 0);
    await stripe.call('/refunds', body, key);
    assert.equal((await stripe.call('/refunds/inquire', { ...body, ...other }, key)).body.outcome, 'not_found');
    assert.equal(await given(key), 400);
  });
});
