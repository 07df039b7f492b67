import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { monday, useDebits } from '../support/debits.ts';
import { refusal, useStage } from '../support/stage.ts';

describe('POST /test_helpers/payment_intents/{id}/bank_result', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const report = (id: string, result: string, bank_code?: string) =>
    stage.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result, bank_code });

  it('settles a debit now, also before its hand-over and in real time, and the bank then says no more about it', async () => {
    const customer = (await stage.merchant.customer()).id;
    const account = await debits.account(customer);
    const mandate = await debits.active({ payment_method_id: account });
    const { id } = await debits.debit({ customer, account }, 'dishonoured');
    const { status, body } = await report(id, 'settled');
    assert.deepEqual([status, body.status, body.mandate_id], [200, 'succeeded', mandate.id]);
    const [debit] = await stage.db.sql`select next_at, submitted_at from bank_debits where payment_intent_id = ${id}`;
    assert.deepEqual([debit?.next_at, debit?.submitted_at === null], [null, false]);
    assert.notEqual((await debits.get(mandate.id)).last_debited_at, null);
  });

  it('dishonours a debit, with the reason that its code has, and ends the mandate if the code does', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    const { body } = await report(id, 'dishonoured', '3');
    assert.deepEqual([body.status, body.last_payment_error.code], ['failed', 'account_closed']);
    assert.equal((await debits.get(payer.mandate)).status, 'failed');
  });

  it('takes back a debit that has succeeded: for a lack of funds, or by a dispute', async () => {
    for (const [result, code] of [
      ['returned', 'insufficient_funds'],
      ['disputed', 'debit_disputed'],
    ] as const) {
      const { id } = await debits.debit(await debits.payer());
      await report(id, 'settled');
      const { body } = await report(id, result);
      assert.deepEqual([body.status, body.last_payment_error.code], ['returned', code]);
      refusal(await report(id, result), 422, 'invalid_state');
      await stage.request(
        'DELETE',
        `/test_helpers/test_clocks/${(await stage.request('GET', '/test_helpers/test_clocks')).body.data[0].id}`,
      );
    }
  });

  it('makes a plan continue at once: it books the success, or retries', async () => {
    const payer = await debits.payer();
    const plan = await debits.plan(payer, undefined, { frequency_period: 4 });
    const [payment] = await stage.merchant.payments(plan.id);
    await report(payment?.payment_intent_id ?? '', 'settled');
    assert.equal((await stage.merchant.getPlan(plan.id)).collected_amount_cents, 1000);
    await report(payment?.payment_intent_id ?? '', 'returned');
    const { collected_amount_cents: collected, next_attempt_at: retry } = await stage.merchant.getPlan(plan.id);
    assert.deepEqual([collected, retry], [0, '2027-03-01T22:00:00.000Z']);
    const signals = await stage.db.sql`
      select 1 from workflow_intents where subject_id = ${plan.id} and signal = 'poke' and not start`;
    assert.equal(signals.length, 2);
  });

  it('is refused in any other status than the result needs', async () => {
    const { id } = await debits.debit(await debits.payer());
    for (const result of ['returned', 'disputed']) refusal(await report(id, result), 422, 'invalid_state');
    await report(id, 'settled');
    for (const result of ['settled', 'dishonoured']) refusal(await report(id, result), 422, 'invalid_state');
  });

  it('is refused for a payment that is no debit under a mandate, and for one that does not exist', async () => {
    const payer = await stage.merchant.payer();
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    refusal(await report(id, 'settled'), 422, 'invalid_state');
    refusal(await report('pi_sandbox_00VbVsXkh05w00000000000000000000', 'settled'), 404, 'resource_missing');
  });

  it('is refused with a code that the bank does not have, or that does not fit the result', async () => {
    const { id } = await debits.debit(await debits.payer());
    assert.deepEqual(refusal(await report(id, 'dishonoured', '8'), 400), ['/bank_code invalid_value']);
    assert.deepEqual(refusal(await report(id, 'settled', '6'), 400), ['/bank_code invalid_value']);
  });

  it('is refused while the clock of the customer advances', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    await stage.merchant.beginAdvance(payer.clock, '2027-03-02T00:00:00Z');
    refusal(await report(id, 'settled'), 422, 'test_clock_advancing');
    await stage.carryOut(payer.clock);
    assert.equal((await stage.merchant.getClock(payer.clock)).status, 'ready');
    assert.notEqual((await stage.merchant.getClock(payer.clock)).frozen_time, monday);
  });
});

describe('a biller that requires mandates', () => {
  const stage = useStage({ biller: { requireMandates: true } });
  const debits = useDebits(stage);

  it('is refused a bank account without one at a confirm, as in live mode', async () => {
    const { payer } = await stage.merchant.customerOnClock(monday);
    const account = await debits.account(payer.id);
    assert.deepEqual(refusal(await debits.charge(account), 400), ['/payment_method mandate_required']);
    await debits.active({ payment_method_id: account });
    assert.equal((await debits.charge(account)).body.status, 'processing');
  });

  it('has plans declined for good that are to be paid from such an account, and cards charged as ever', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(monday);
    await debits.account(payer.id);
    const { id } = await debits.plan({ customer: payer.id });
    const [payment] = await stage.merchant.payments(id);
    assert.deepEqual([payment?.status, payment?.attempts[0]?.code], ['failed', 'mandate_unavailable']);
    const { id: other } = await stage.merchant.customer({ test_clock: clock.id });
    const card = await stage.merchant.card(other);
    assert.equal((await debits.charge(card, { customer_id: other })).body.status, 'succeeded');
  });
});
