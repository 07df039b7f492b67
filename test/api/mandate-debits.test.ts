import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebtor } from '../support/debtor.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const frozen = '2027-01-29T00:00:00.000Z';

describe('a payment by a bank account', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const customer = async (): Promise<string> => (await stage.merchant.customer()).id;

  it('follows the outcome rules at once without a mandate, as ever', async () => {
    const account = await here.account(await customer());
    assert.equal((await here.charge(account)).body.status, 'succeeded');
    const declined = await here.charge(account, { metadata: { _sandbox_outcome: 'decline' } });
    assert.equal(declined.body.last_payment_error.code, 'insufficient_funds');
  });

  it('is noted on its active mandate at the hand-over: each time, whatever the outcome', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const { id, payment_method_id: account } = await here.active({ payment_method_id: await here.account(payer.id) });
    for (const [handOver, outcome] of [
      ['2027-01-29T05:00:00.000Z', 'succeed'],
      ['2027-02-01T05:00:00.000Z', 'decline'],
    ] as const) {
      const { status } = await here.charge(account, { metadata: { _sandbox_outcome: outcome } });
      await stage.advance(clock.id, handOver);
      const { last_debited_at, updated_at } = await here.get(id);
      assert.deepEqual([status, last_debited_at, updated_at], [200, handOver, handOver]);
    }
    assert.deepEqual(await here.told(), ['mandate.created active', 'mandate.activated active']);
  });

  it('is refused as 422 mandate_unavailable while its mandate is pending or has ended, and nothing is attempted', async () => {
    const pending = await here.pending();
    const canceled = await here.active();
    await here.cancel(canceled.id);
    for (const { id, payment_method_id: account, customer_id } of [pending, canceled]) {
      const intent = await stage.merchant.intent({ customer_id });
      const before = await rowCounts(stage);
      const reply = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: account });
      assert.deepEqual(refusal(reply, 422, 'mandate_unavailable'), []);
      const { client_secret: _, ...unchanged } = intent;
      const { client_secret: __, ...after } = await stage.merchant.getIntent(intent.id);
      assert.deepEqual([after, await rowCounts(stage)], [unchanged, before]);
      assert.equal((await here.get(id)).last_debited_at, null);
    }
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('is refused as 422 mandate_limit_exceeded above the limit, which a surcharge counts against', async () => {
    const { payment_method_id: account } = await here.active({ max_amount_cents: 1000 });
    assert.equal((await here.charge(account)).body.status, 'processing');
    for (const terms of [{ amount: 1001 }, { surcharge_applied: true }]) {
      refusal(await here.charge(account, terms), 422, 'mandate_limit_exceeded');
    }
    assert.equal(stage.ledger.requests.length, 0);
  });

  it('is refused on creation with confirm, and leaves no payment intent', async () => {
    const { payment_method_id: payment_method, customer_id } = await here.pending();
    const before = await rowCounts(stage);
    const terms = { amount: 1000, currency: 'AUD', customer_id, payment_method, confirm: true };
    refusal(await stage.request('POST', '/payment_intents', terms), 422, 'mandate_unavailable');
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is made again under a new mandate', async () => {
    const { id, payment_method_id } = await here.active();
    await here.payerCancels(id);
    refusal(await here.charge(payment_method_id), 422, 'mandate_unavailable');
    const { id: next } = await here.active({ payment_method_id });
    const { status, mandate_id: mandate } = (await here.charge(payment_method_id)).body;
    assert.deepEqual([status, mandate], ['processing', next]);
  });

  it('leaves the mandate of another account out of it', async () => {
    const owner = await customer();
    const { id } = await here.active({ payment_method_id: await here.account(owner) });
    await here.cancel(id);
    assert.equal((await here.charge(await here.account(owner))).body.status, 'succeeded');
    assert.equal(
      (await here.charge(await stage.merchant.card(owner), { customer_id: owner })).body.status,
      'succeeded',
    );
  });
});

describe('a plan and a scheduled payment by a bank account', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  /** A clock with a payer whose default is a bank account with an active mandate. */
  async function debtorOnClock(terms: object = {}) {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const mandate = await here.active({ payment_method_id: await here.account(payer.id), ...terms });
    return { clock, payer, mandate };
  }

  it('are made under an active mandate, and noted on it', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01' });
    await stage.advance(clock.id, '2027-02-12T00:00:00Z');
    const payments = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      payments.map(({ status }) => status),
      ['paid', 'paid'],
    );
    assert.equal((await here.get(mandate.id)).last_debited_at, '2027-02-08T05:00:00.000Z');
  });

  it('fail for good without an active mandate: the plan is suspended, and the processor is not asked', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01' });
    await here.cancel(mandate.id);
    await stage.advance(clock.id, '2027-02-12T00:00:00Z');
    const { state, state_reason } = await stage.merchant.getPlan(plan.id);
    assert.deepEqual([state, state_reason], ['suspended', 'payment_failed']);
    const [payment, ...more] = await stage.merchant.payments(plan.id);
    assert.deepEqual(more, []);
    assert.equal(payment?.status, 'failed');
    assert.deepEqual(
      payment?.attempts.map(({ at, outcome, code }) => [at, outcome, code]),
      [['2027-02-01T00:00:00.000Z', 'failed', 'mandate_unavailable']],
    );
    assert.deepEqual(stage.ledger.requests, []);
    const [failed] = await stage.merchant.events({ event_type: 'payment_intent.failed' });
    assert.deepEqual([failed?.data.will_retry, failed?.data.next_attempt_at], [false, null]);
    assert.equal(failed?.data.payment_method_id, mandate.payment_method_id);
  });

  it('are collected by the plan’s resume once there is a new mandate', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01' });
    await here.cancel(mandate.id);
    await stage.advance(clock.id, '2027-02-01T00:00:00Z');
    await here.active({ payment_method_id: mandate.payment_method_id });
    await stage.merchant.move(plan.id, 'resume');
    await stage.collectAll(plan.id, '2027-02-01T00:00:00Z');
    const [payment] = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      payment?.attempts.map(({ outcome, code }) => [outcome, code]),
      [
        ['failed', 'mandate_unavailable'],
        ['accepted', null],
      ],
    );
    assert.equal(payment?.status, 'processing');
  });

  it('fail for good with mandate_limit_exceeded when a later mandate allows less than the plan takes', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01' });
    await here.cancel(mandate.id);
    await here.active({ payment_method_id: mandate.payment_method_id, max_amount_cents: 999 });
    await stage.advance(clock.id, '2027-02-01T00:00:00Z');
    const [payment] = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      payment?.attempts.map(({ code }) => code),
      ['mandate_limit_exceeded'],
    );
    assert.equal((await stage.merchant.getPlan(plan.id)).state, 'suspended');
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('are refused on a retry too, if the mandate has ended since', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const metadata = { _sandbox_outcome: 'decline,succeed' };
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01', metadata });
    await stage.advance(clock.id, '2027-02-03T00:00:00Z');
    await here.payerCancels(mandate.id);
    await stage.advance(clock.id, '2027-02-05T00:00:00Z');
    const [payment] = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      payment?.attempts.map(({ code }) => code),
      ['insufficient_funds', 'mandate_unavailable'],
    );
    assert.equal(stage.ledger.requests.length, 1);
    assert.equal((await stage.merchant.getPlan(plan.id)).state, 'suspended');
  });

  for (const [title, terms, end, code] of [
    ['without an active mandate', {}, true, 'mandate_unavailable'],
    ['above the limit', { max_amount_cents: 999 }, false, 'mandate_limit_exceeded'],
  ] as const) {
    it(`fail on a schedule ${title} with ${code}, and the processor is not asked`, async () => {
      const { clock, payer, mandate } = await debtorOnClock(terms);
      const { id } = await stage.merchant.intent({
        customer_id: payer.id,
        payment_method: mandate.payment_method_id,
        scheduled_payment_date: '2027-02-01',
      });
      if (end) await here.cancel(mandate.id);
      await stage.advance(clock.id, '2027-02-01T00:00:00Z');
      const { status, last_payment_error: error } = await stage.merchant.getIntent(id);
      assert.deepEqual([status, error?.code], ['failed', code]);
      assert.deepEqual(stage.ledger.requests, []);
    });
  }

  it('is foreseen by a dry run: the payment that would fail, and nothing noted on the mandate', async () => {
    const { clock, payer, mandate: before } = await debtorOnClock();
    await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-02-01' });
    await here.cancel(before.id);
    const mandate = await here.active({ payment_method_id: before.payment_method_id, max_amount_cents: 999 });
    const { body } = await stage.request('POST', `/test_helpers/test_clocks/${clock.id}/advance`, {
      frozen_time: '2027-02-02T00:00:00Z',
      dry_run: true,
    });
    assert.deepEqual(
      body.effects.map(({ event_type }: { event_type: string }) => event_type),
      ['payment_intent.failed', 'payment_plan.suspended'],
    );
    assert.deepEqual(await here.get(mandate.id), mandate);
  });
});
