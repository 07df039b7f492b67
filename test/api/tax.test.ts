import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { beforeEach, describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { ValidationFailed } from '../../src/services/errors.ts';
import { makeKey, tester } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { useStage } from '../support/stage.ts';

const gst = { label: 'GST', basisPoints: 1000 };
const ofAll = (taxable_amount: number) => ({ label: 'GST', percent: 10, taxable_amount });

describe('the tax that the prices of an account include', () => {
  const stage = useStage();
  const change = (tax: { label: string; basisPoints: number } | null) =>
    changeBillerProfile(stage.db.sql, stage.keys.biller.id, { tax }, { by: tester, now: realNow() });
  const shown = ({ tax, tax_amount }: PaymentIntent) => [tax, tax_amount];
  const refund = async (id: string, amount?: number) =>
    (await stage.request('POST', `/payment_intents/${id}/refunds`, amount === undefined ? {} : { amount })).body;
  async function paid(body: Record<string, unknown> = {}) {
    const payer = await stage.merchant.customer();
    const method = await stage.merchant.card(payer.id);
    return stage.merchant.intent({ customer_id: payer.id, payment_method: method, confirm: true, ...body });
  }

  /** Requests with a key that was not used before: what a key is about is remembered for some seconds. */
  const later = async () =>
    createMerchant(stage.api.url, (await makeKey(stage.db.sql, { billerId: stage.keys.biller.id })).key);

  beforeEach('state a tax of 10 %', () => change(gst));

  it('is shown by the account, and no payment has one if it has none', async () => {
    assert.deepEqual((await stage.request('GET', '/account')).body.tax, { label: 'GST', percent: 10 });
    await change(null);
    assert.equal((await stage.request('GET', '/account')).body.tax, null);
    assert.deepEqual(shown(await (await later()).intent({ amount: 2500 })), [null, 0]);
  });

  it('is at most 100 %, at least 0.01 %, and has a label of 1 to 20 characters', async () => {
    for (const wrong of [
      { label: '', basisPoints: 1000 },
      { label: ' ', basisPoints: 1000 },
      { label: 'x'.repeat(21), basisPoints: 1000 },
      { label: 'G\u202eST', basisPoints: 1000 },
      { label: 'GST', basisPoints: 0 },
      { label: 'GST', basisPoints: 10_001 },
      { label: 'GST', basisPoints: 12.5 },
    ]) {
      await assert.rejects(change(wrong), ValidationFailed, JSON.stringify(wrong));
    }
    await change({ label: 'VAT', basisPoints: 1 });
    assert.deepEqual((await stage.request('GET', '/account')).body.tax, { label: 'VAT', percent: 0.01 });
  });

  it('is included in a payment, nothing is added, and a payment can be without it', async () => {
    const taxed = await paid({ amount: 2500 });
    assert.deepEqual([...shown(taxed), taxed.total_amount], [ofAll(2500), 227, 2500]);
    assert.deepEqual(shown(await paid({ amount: 2500, tax_included: true })), [ofAll(2500), 227]);
    assert.deepEqual(shown(await paid({ amount: 2500, tax_included: false })), [null, 0]);
    for (const wrong of [null, 'yes', 1]) {
      const body = { amount: 2500, currency: 'AUD', tax_included: wrong };
      const reply = await stage.request('POST', '/payment_intents', body);
      assert.equal(reply.status, 400, JSON.stringify(wrong));
    }
  });

  it('is included in a surcharge too', async () => {
    const intent = await paid({ amount: 10_000, surcharge_applied: true });
    assert.deepEqual([intent.total_amount, intent.tax_amount], [10_205, 928]);
  });

  it('of a payment stays as it was when the payment was made', async () => {
    const payer = await stage.merchant.payer();
    const waiting = await stage.merchant.intent({ amount: 2500, customer_id: payer.id });
    await change({ label: 'GST', basisPoints: 1500 });
    const method = await stage.merchant.card(payer.id);
    const { client, intent } = await later();
    const confirmed = await client.paymentIntents.confirm(waiting.id, { payment_method: method });
    assert.deepEqual(shown(confirmed), [ofAll(2500), 227]);
    assert.deepEqual(shown(await intent({ amount: 2300 })), [{ label: 'GST', percent: 15, taxable_amount: 2300 }, 300]);
  });

  it('is given back by refunds in parts, all of it by those that give back all', async () => {
    const { id, tax_amount: tax } = await paid({ amount: 2501 });
    assert.equal(tax, 227);
    const parts = [await refund(id, 833), await refund(id, 833), await refund(id)];
    assert.deepEqual(
      parts.map(({ amount, tax_amount: part }) => [amount, part]),
      [
        [833, 75],
        [833, 76],
        [835, 76],
      ],
    );
    assert.equal((await refund((await paid({ amount: 2500, tax_included: false })).id)).tax_amount, 0);
  });

  it('is not given back by a refund that fails: the next one has its share', async () => {
    const { id, tax_amount: tax } = await paid({ amount: 11_103 });
    assert.equal((await refund(id, 5503)).status, 'failed');
    const parts = [await refund(id, 5500), await refund(id)];
    assert.equal(parts[0].tax_amount + parts[1].tax_amount, tax);
  });
});
