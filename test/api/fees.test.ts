import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { makeDebtor } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile, type ProfileChange } from '../../src/services/accounts/biller-profile.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

const at = '2027-01-10T00:00:00Z';
const paysFees = { fee_preferences: { customer_pays_transaction_fees: true } };

describe('the fee of a payment', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const costs = (change: ProfileChange) =>
    changeBillerProfile(stage.db.sql, stage.keys.biller.id, change, { by: tester, now: realNow() });
  const debitsAreCheap = () =>
    costs({
      standardFee: { basisPoints: 175, fixed: 30 },
      feesByMethod: { au_becs_debit: { basisPoints: 100, fixed: 0 }, card: null },
    });

  /** A customer on a clock, with a card and with an account under a mandate, which is the default. */
  async function payer(more: object = {}) {
    const clock = await stage.merchant.clock(at);
    const debtor = await makeDebtor(stage.merchant.client, { test_clock: clock.id, ...more });
    const card = await stage.merchant.card(debtor.customerId);
    return { clock, customer_id: debtor.customerId, account: debtor.methodId, card };
  }
  const paid = async (id: string) => {
    const { fee_amount, total_amount } = await stage.merchant.getIntent(id);
    return [fee_amount, total_amount];
  };

  it('is that of the way by which it is paid; before that is known, the most that any way costs', async () => {
    await debitsAreCheap();
    const { customer_id, account, card } = await payer();
    for (const [payment_method, fee] of [
      [card, 205],
      [account, 100],
    ] as const) {
      const intent = await stage.merchant.intent({ customer_id, amount: 10_000 });
      assert.equal(intent.fee_amount, 205);
      await stage.merchant.client.paymentIntents.confirm(intent.id, { payment_method });
      assert.deepEqual(await paid(intent.id), [fee, 10_000]);
    }
  });

  it('is what a payer adds to a debit of a plan, who pays the fees', async () => {
    await debitsAreCheap();
    const { clock, customer_id } = await payer(paysFees);
    const plan = await stage.merchant.activePlan({
      customer_id,
      recurring_amount_cents: 10_000,
      start_date: '2027-01-13',
    });
    await stage.advance(clock.id, '2027-01-20T00:00:00Z');
    const { data } = await stage.merchant.client.paymentIntents.list({ payment_plan_id: plan.id });
    assert.deepEqual(await Promise.all(data.map(({ id }) => paid(id))), [
      [100, 10_100],
      [100, 10_100],
    ]);
  });

  it('is shown to the payer by the way that is chosen, and taken as shown', async () => {
    await debitsAreCheap();
    const { customer_id, card, account } = await payer(paysFees);
    for (const [id, shownTotal, other] of [
      [card, 10_205, 10_100],
      [account, 10_100, 10_205],
    ] as const) {
      const link = await links.link({ amount: 10_000, customer_id });
      const token = await links.open(link);
      assert.equal((await links.pay(token, { method: { id }, shownTotal: other })).kind, 'stale');
      assert.equal((await links.pay(token, { method: { id }, shownTotal })).kind, 'done');
    }
  });

  it('is the present one when a payment that was declined is tried again', async () => {
    const clock = await stage.merchant.clock(at);
    const { id: customer_id } = await stage.merchant.payer({ test_clock: clock.id });
    const metadata = { _sandbox_outcome: 'decline,succeed' };
    const plan = await stage.merchant.activePlan({ customer_id, start_date: '2027-01-10', metadata });
    const only = async () => {
      const [intent] = (await stage.merchant.client.paymentIntents.list({ payment_plan_id: plan.id })).data;
      return [intent?.status, intent?.fee_amount];
    };
    await stage.advance(clock.id, '2027-01-10T00:00:01Z');
    assert.deepEqual(await only(), ['failed', 48]);
    await costs({ standardFee: { basisPoints: 0, fixed: 7 } });
    await stage.advance(clock.id, '2027-01-11T00:00:00Z');
    assert.deepEqual(await only(), ['succeeded', 7]);
  });
});
