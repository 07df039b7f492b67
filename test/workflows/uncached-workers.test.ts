import assert from 'node:assert/strict';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

// With nothing cached the SDK loses a workflow task that ends in local activities alone, and Temporal repeats it after
// its five seconds: that makes this slow, and a good test of repetition.
describe('workers that keep no workflow in memory', () => {
  const service = useService({ maxCachedWorkflows: 0 });

  it('carry plans through payments, retries, suspension, resumption and a scheduled payment', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const card = await merchant.card(payer.id);
    const terms = { customer_id: payer.id, start_date: '2027-01-05' };
    const paying = await merchant.activePlan({ ...terms, total_amount_cents: 2500 });
    const failing = await merchant.activePlan({
      ...terms,
      metadata: { _sandbox_outcome: 'decline,decline,decline,decline,succeed' },
    });
    const intent = await merchant.intent({
      amount: 500,
      customer_id: payer.id,
      payment_method: card,
      scheduled_payment_date: '2027-01-07',
    });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    assert.equal((await merchant.getPlan(failing.id)).state, 'suspended');
    await merchant.move(failing.id, 'resume');
    await merchant.advance(clock.id, '2027-01-27T00:00:00Z');

    assert.deepEqual(paymentLines(await merchant.payments(paying.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
      '2 paid 2027-01-19T00:00:00.000Z',
    ]);
    const { state, collected_amount_cents } = await merchant.getPlan(paying.id);
    assert.deepEqual([state, collected_amount_cents], ['closed', 2500]);
    assert.deepEqual(paymentLines(await merchant.payments(failing.id)), [
      [
        '0 paid 2027-01-05T00:00:00.000Z 2027-01-06T00:00:00.000Z 2027-01-08T00:00:00.000Z 2027-01-10T00:00:00.000Z',
        '2027-01-18T00:00:00.000Z',
      ].join(' '),
      '1 skipped',
      '2 failed 2027-01-19T00:00:00.000Z 2027-01-20T00:00:00.000Z 2027-01-22T00:00:00.000Z 2027-01-24T00:00:00.000Z',
    ]);
    assert.equal((await merchant.getIntent(intent.id)).updated_at, '2027-01-07T00:00:00.000Z');
  }).timeout(60_000);
});
