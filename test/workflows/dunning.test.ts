import assert from 'node:assert/strict';
import { type Merchant, paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

describe('a plan on a test clock whose payments fail', () => {
  const service = useService();

  /** An active weekly plan whose first slot is due at 2027-01-05, on a clock at the day before. */
  async function planOf(
    merchant: Merchant,
    { outcomes, ...terms }: { outcomes: string } & Partial<Parameters<Merchant['plan']>[0]>,
  ) {
    const { clock, payer, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: outcomes },
      ...terms,
    });
    return { clock, payer, plan };
  }

  it('is tried again 1, 3 and 5 days after the first failure, and then suspended', async () => {
    const merchant = await service.merchant();
    const { clock, plan } = await planOf(merchant, { outcomes: 'decline' });
    await merchant.advance(clock.id, '2027-01-06T12:00:00Z');
    const between = await merchant.getPlan(plan.id);
    assert.deepEqual(
      [between.state, between.next_attempt_at, between.next_payment_date],
      ['active', '2027-01-08T00:00:00.000Z', '2027-01-12'],
    );
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');

    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 failed 2027-01-05T00:00:00.000Z 2027-01-06T00:00:00.000Z 2027-01-08T00:00:00.000Z 2027-01-10T00:00:00.000Z',
    ]);
    const suspended = await merchant.getPlan(plan.id);
    assert.deepEqual(
      [suspended.state, suspended.state_reason, suspended.next_payment_date, suspended.next_attempt_at],
      ['suspended', 'payment_failed', null, null],
    );
    const failures = await merchant.events({ event_type: 'payment_intent.failed' });
    assert.deepEqual(
      failures.map(({ created_at, data }) => [created_at, data.attempt, data.will_retry, data.next_attempt_at]),
      [
        ['2027-01-05T00:00:00.000Z', 1, true, '2027-01-06T00:00:00.000Z'],
        ['2027-01-06T00:00:00.000Z', 2, true, '2027-01-08T00:00:00.000Z'],
        ['2027-01-08T00:00:00.000Z', 3, true, '2027-01-10T00:00:00.000Z'],
        ['2027-01-10T00:00:00.000Z', 4, false, null],
      ],
    );
    const [event] = await merchant.events({ event_type: 'payment_plan.suspended' });
    assert.equal(event?.created_at, '2027-01-10T00:00:00.000Z');
  });

  it('is suspended at the first failure when it says stop', async () => {
    const merchant = await service.merchant();
    const { clock, plan } = await planOf(merchant, { outcomes: 'decline', failure_behaviour: 'stop' });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 failed 2027-01-05T00:00:00.000Z']);
    const { state, state_reason } = await merchant.getPlan(plan.id);
    assert.deepEqual([state, state_reason], ['suspended', 'payment_failed']);
  });

  it('is suspended at once by a decline that is final, though it says retry', async () => {
    const merchant = await service.merchant();
    const { clock, plan } = await planOf(merchant, { outcomes: 'requires_action' });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    const payments = await merchant.payments(plan.id);
    assert.deepEqual(paymentLines(payments), ['0 failed 2027-01-05T00:00:00.000Z']);
    assert.equal(payments[0]?.attempts[0]?.code, 'authentication_required');
    assert.equal((await merchant.getPlan(plan.id)).state, 'suspended');
  });

  it('is charged on the method that replaced the failing one between two tries', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const bad = await merchant.card(payer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    const good = await merchant.card(payer.id, 'tok_sandbox_mastercard_succeed');
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      start_date: '2027-01-05',
      payment_instrument_id: bad,
    });
    await merchant.advance(clock.id, '2027-01-05T12:00:00Z');
    await merchant.updatePlan(plan.id, { payment_instrument_id: good });
    await merchant.advance(clock.id, '2027-01-07T00:00:00Z');

    const [payment] = await merchant.payments(plan.id);
    assert.ok(payment?.payment_intent_id);
    assert.deepEqual(paymentLines([payment]), ['0 paid 2027-01-05T00:00:00.000Z 2027-01-06T00:00:00.000Z']);
    assert.equal((await merchant.getIntent(payment.payment_intent_id)).payment_method_id, good);
  });

  it('fails for good on the method that it names once that is detached', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    const named = await merchant.card(payer.id);
    const terms = { customer_id: payer.id, start_date: '2027-01-05', payment_instrument_id: named };
    const plan = await merchant.activePlan(terms);
    await merchant.detach(named);
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    const payments = await merchant.payments(plan.id);
    assert.deepEqual(paymentLines(payments), ['0 failed 2027-01-05T00:00:00.000Z']);
    assert.equal(payments[0]?.attempts[0]?.code, 'payment_method_unavailable');
    assert.equal((await merchant.getPlan(plan.id)).state, 'suspended');
  });

  it('tries the unpaid slot at once when it is resumed, with fresh retries, and skips what passed meanwhile', async () => {
    const merchant = await service.merchant();
    const outcomes = ['decline', 'decline', 'decline', 'decline', 'decline', 'succeed'].join();
    const { clock, plan } = await planOf(merchant, { outcomes });
    await merchant.advance(clock.id, '2027-01-15T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-20T06:00:00Z');
    assert.equal((await merchant.getPlan(plan.id)).state, 'suspended');
    await merchant.move(plan.id, 'resume');
    await merchant.advance(clock.id, '2027-01-25T00:00:00Z');

    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      [
        '0 paid 2027-01-05T00:00:00.000Z 2027-01-06T00:00:00.000Z 2027-01-08T00:00:00.000Z 2027-01-10T00:00:00.000Z',
        '2027-01-20T06:00:00.000Z 2027-01-21T06:00:00.000Z',
      ].join(' '),
      '1 skipped',
      '2 skipped',
    ]);
    assert.equal((await merchant.getPlan(plan.id)).next_payment_date, '2027-01-26');
  });

  it('lets the retry of an older slot go before a slot that is due at the same instant', async () => {
    const merchant = await service.merchant();
    // Slot 0 comes three days before slot 1, so its second retry and slot 1 are due together.
    const { clock, plan } = await planOf(merchant, {
      outcomes: 'decline,decline,succeed',
      start_date: '2027-01-05',
      first_date: '2027-01-09',
    });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-09T00:00:00.000Z 2027-01-10T00:00:00.000Z 2027-01-12T00:00:00.000Z',
      '1 retrying 2027-01-12T00:00:00.000Z',
    ]);
    const events = await merchant.events({ test_clock: clock.id });
    const [slot0, slot1] = await merchant.payments(plan.id);
    assert.deepEqual(
      events
        .filter(({ created_at, data }) => created_at === '2027-01-12T00:00:00.000Z' && 'status' in data)
        .filter(({ event_type }) => event_type.startsWith('payment_intent.'))
        .map(({ event_type, data }) => [event_type, data.id]),
      [
        ['payment_intent.succeeded', slot0?.payment_intent_id],
        ['payment_intent.failed', slot1?.payment_intent_id],
      ],
    );
  });

  it('reaches its total by a retry, and then neither retries nor charges anything else', async () => {
    const merchant = await service.merchant();
    const { clock, plan } = await planOf(merchant, {
      outcomes: 'decline,decline,succeed',
      start_date: '2027-01-05',
      first_date: '2027-01-09',
      total_amount_cents: 2000,
    });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    await merchant.advance(clock.id, '2027-02-18T00:00:00Z');
    const payments = await merchant.payments(plan.id);
    assert.deepEqual(
      payments.map(({ status, amount }) => [status, amount]),
      [
        ['paid', 1000],
        ['paid', 1000],
      ],
    );
    const { state, collected_amount_cents } = await merchant.getPlan(plan.id);
    assert.deepEqual([state, collected_amount_cents], ['closed', 2000]);
  });
});
