import assert from 'node:assert/strict';
import { useService } from '../support/service.ts';

describe('a plan on a test clock', () => {
  const service = useService();

  it('collects each slot at its own instant', async () => {
    const merchant = await service.merchant();
    const clock = await merchant.clock('2027-01-04T10:00:00Z');
    const payer = await merchant.payer({ test_clock: clock.id });
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-04' });
    const t = performance.now();
    await merchant.advance(clock.id, '2027-01-18T10:00:00Z');
    console.log(performance.now() - t);
    const payments = await merchant.payments(plan.id);
    assert.deepEqual(
      payments.map(({ slot, status, attempts }) => ({ slot, status, at: attempts.map(({ at }) => at) })),
      [
        { slot: 0, status: 'paid', at: ['2027-01-04T10:00:00.000Z'] },
        { slot: 1, status: 'paid', at: ['2027-01-11T00:00:00.000Z'] },
        { slot: 2, status: 'paid', at: ['2027-01-18T00:00:00.000Z'] },
      ],
    );
  });
});
