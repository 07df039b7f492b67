import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { monday, useDebits } from '../support/debits.ts';
import { refusal, useStage } from '../support/stage.ts';

const handOver = '2027-03-01T05:00:00.000Z';
const result = '2027-03-02T22:00:00.000Z';

describe('a payment by bank debit under an active mandate', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getIntent(id);

  it('is processing at once, with the date of the result, and no processor is asked', async () => {
    const payer = await debits.payer();
    const intent = await debits.debit(payer);
    assert.deepEqual(
      [intent.status, intent.mandate_id, intent.expected_result_date, intent.returnable_until],
      ['processing', payer.mandate, '2027-03-03', undefined],
    );
    assert.deepEqual([intent.total_returned_amount, intent.last_payment_error], [0, null]);
    assert.match(intent.lodgement_reference ?? '', /^PAY-[0-9A-Z]{14}$/);
    assert.equal(stage.ledger.requests.length, 0);
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.processing' });
    assert.deepEqual([event?.created_at, event?.data.expected_result_date], [monday, '2027-03-03']);
  });

  it('goes to the bank at the cut-off, succeeds two business days later, and says until when it can come back', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, undefined, { metadata: {} });
    await stage.advance(payer.clock, handOver);
    const [request] = stage.ledger.requests;
    assert.deepEqual([stage.ledger.requests.length, request?.debit?.chargeDate], [1, '2027-03-01']);
    assert.match(request?.debit?.mandateReference ?? '', /^DDR-/);
    assert.match(request?.debit?.lodgementReference ?? '', /^PAY-/);
    assert.equal((await get(id)).status, 'processing');
    assert.equal((await debits.get(payer.mandate)).last_debited_at, handOver);

    await stage.advance(payer.clock, result);
    const intent = await get(id);
    assert.deepEqual([intent.status, intent.updated_at, intent.returnable_until], ['succeeded', result, '2027-04-02']);
    assert.equal(stage.ledger.requests.length, 1);
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-02T22:00 payment_intent.succeeded',
    ]);
  });

  it('goes with the next business day if it is accepted at the cut-off or later', async () => {
    const payer = await debits.payer('2027-03-05T05:00:00Z');
    const intent = await debits.debit(payer);
    assert.equal(intent.expected_result_date, '2027-03-10');
    await stage.advance(payer.clock, '2027-03-08T04:59:59Z');
    assert.equal(stage.ledger.requests.length, 0);
    await stage.advance(payer.clock, '2027-03-08T05:00:00Z');
    assert.equal(stage.ledger.requests[0]?.debit?.chargeDate, '2027-03-08');
  });

  for (const [word, code, bankCode, mandate] of [
    ['dishonoured', 'insufficient_funds', '6', 'active'],
    ['account_invalid', 'account_invalid', '1', 'failed'],
    ['account_closed', 'account_closed', '3', 'failed'],
    ['account_holder_deceased', 'account_holder_deceased', '4', 'failed'],
    ['payment_stopped', 'payment_stopped', '2', 'canceled'],
    ['mandate_canceled', 'payment_stopped', '2', 'canceled'],
  ] as const) {
    it(`fails at the result, with its own code, when the bank’s word is ${word}, and the mandate is ${mandate}`, async () => {
      const payer = await debits.payer();
      const { id } = await debits.debit(payer, word);
      await stage.advance(payer.clock, result);
      const intent = await get(id);
      assert.deepEqual([intent.status, intent.last_payment_error?.code], ['failed', code]);
      const [failed] = await stage.merchant.events({ event_type: 'payment_intent.failed' });
      assert.deepEqual(
        [failed?.created_at, failed?.data.attempt, failed?.data.will_retry, failed?.data.next_attempt_at],
        [result, 1, false, null],
      );
      const [row] = await stage.db.sql`select bank_code, next_at from bank_debits where payment_intent_id = ${id}`;
      assert.deepEqual([row?.bank_code, row?.next_at], [bankCode, null]);
      assert.equal((await debits.get(payer.mandate)).status, mandate);
    });
  }

  for (const [word, code] of [
    ['timeout', 'gateway_timeout'],
    ['requires_action', 'authentication_required'],
  ] as const) {
    it(`fails at the hand-over, and not before, when the outcome is ${word}`, async () => {
      const payer = await debits.payer();
      const { id } = await debits.debit(payer, undefined, { metadata: { _sandbox_outcome: word } });
      assert.equal((await get(id)).status, 'processing');
      await stage.advance(payer.clock, handOver);
      const intent = await get(id);
      assert.deepEqual([intent.status, intent.last_payment_error?.code, intent.updated_at], ['failed', code, handOver]);
    });
  }

  it('can be confirmed again after a dishonour, as a new debit', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'dishonoured,settled');
    await stage.advance(payer.clock, result);
    const again = await stage.merchant.client.paymentIntents.confirm(id, {});
    assert.deepEqual([again.status, again.last_payment_error], ['processing', null]);
    await stage.advance(payer.clock, '2027-03-10T00:00:00Z');
    assert.equal((await get(id)).status, 'succeeded');
    const references = stage.ledger.requests.map(({ debit }) => debit?.lodgementReference);
    assert.equal(new Set(references).size, 2);
    assert.equal((await get(id)).lodgement_reference, references[1]);
  });

  it('is charged at once, as a card is, while the account has no mandate', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(monday);
    const account = await debits.account(payer.id);
    const intent = await debits.debit({ customer: payer.id, account });
    assert.deepEqual(
      [intent.status, intent.mandate_id, intent.expected_result_date, intent.lodgement_reference],
      ['succeeded', undefined, undefined, undefined],
    );
    assert.deepEqual(await debits.story(clock.id), ['2027-03-01T00:00 payment_intent.succeeded']);
  });

  it('is refused while the mandate is pending or after it has ended, and nothing is attempted', async () => {
    const payer = await debits.payer();
    const pending = await debits.pending({ payment_method_id: await debits.account(payer.customer) });
    refusal(await debits.charge(pending.payment_method_id), 422, 'mandate_unavailable');
    await debits.cancel(payer.mandate);
    refusal(await debits.charge(payer.account, { customer_id: payer.customer }), 422, 'mandate_unavailable');
    const attempts = await stage.db.sql`
      select 1 from payment_attempts where payment_method_id in (${payer.account}, ${pending.payment_method_id})`;
    assert.equal(attempts.length, 0);
  });

  it('is refused above the limit of the mandate, surcharge included', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(monday);
    assert.ok(clock);
    const account = await debits.account(payer.id);
    await debits.active({ payment_method_id: account, max_amount_cents: 1040 });
    refusal(await debits.charge(account, { surcharge_applied: true }), 422, 'mandate_limit_exceeded');
    assert.equal((await debits.charge(account)).body.status, 'processing');
  });

  it('is refused in another currency than the scheme’s', async () => {
    const { account } = await debits.payer();
    assert.deepEqual(refusal(await debits.charge(account, { currency: 'NZD' }), 400), [
      '/payment_method currency_of_scheme',
    ]);
  });

  it('is the same payment when the confirm is repeated with its Idempotency-Key', async () => {
    const payer = await debits.payer();
    const { id } = await stage.merchant.intent({ customer_id: payer.customer });
    const confirm = () =>
      stage.api.send('POST', `/api/v1/payment_intents/${id}/confirm`, {
        key: stage.keys.sandboxSecret,
        body: { payment_method: payer.account },
        headers: { 'Idempotency-Key': 'debit-1' },
      });
    const first = await confirm();
    const second = await confirm();
    assert.deepEqual([first.status, second.text], [200, first.text]);
    assert.equal((await stage.db.sql`select 1 from payment_attempts where payment_intent_id = ${id}`).length, 1);
  });

  it('can be made with the create, and by a schedule, which ends when the debit is accepted', async () => {
    const payer = await debits.payer();
    const terms = {
      ...{ amount: 1000, currency: 'AUD' as const },
      ...{ customer_id: payer.customer, payment_method: payer.account },
    };
    const made = await stage.merchant.client.paymentIntents.create({ ...terms, confirm: true });
    assert.equal(made.status, 'processing');
    const scheduled = await stage.merchant.intent({ ...terms, scheduled_payment_date: '2027-03-02' });
    await stage.advance(payer.clock, '2027-03-02T00:00:00Z');
    const accepted = await get(scheduled.id);
    assert.deepEqual([accepted.status, accepted.expected_result_date], ['processing', '2027-03-04']);
    await stage.advance(payer.clock, '2027-03-03T22:00:00Z');
    assert.deepEqual([(await get(made.id)).status, (await get(scheduled.id)).status], ['succeeded', 'succeeded']);
  });

  it('is declined for good by a schedule whose mandate has ended meanwhile', async () => {
    const payer = await debits.payer();
    const { id } = await stage.merchant.intent({
      ...{ customer_id: payer.customer, payment_method: payer.account },
      scheduled_payment_date: '2027-03-02',
    });
    await debits.cancel(payer.mandate);
    await stage.advance(payer.clock, '2027-03-02T00:00:00Z');
    const intent = await get(id);
    assert.deepEqual([intent.status, intent.last_payment_error?.code], ['failed', 'mandate_unavailable']);
    assert.equal(stage.ledger.requests.length, 0);
  });
});

describe('a debit that the bank does not have yet', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getIntent(id);

  it('can be canceled, and is never handed over', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    const canceled = await stage.merchant.client.paymentIntents.cancel(id);
    assert.equal(canceled.status, 'canceled');
    await stage.advance(payer.clock, '2027-03-10T00:00:00Z');
    assert.deepEqual([(await get(id)).status, stage.ledger.requests.length], ['canceled', 0]);
  });

  for (const [what, end, code] of [
    ['the mandate is canceled', (payer) => debits.cancel(payer.mandate), 'mandate_unavailable'],
    ['the payer cancels the mandate at the bank', (payer) => debits.payerCancels(payer.mandate), 'mandate_unavailable'],
    [
      'the account is detached',
      (payer) => stage.request('POST', `/payment_methods/${payer.account}/detach`),
      'payment_method_unavailable',
    ],
    [
      'the customer is deleted',
      (payer) => stage.request('DELETE', `/customers/${payer.customer}`),
      'mandate_unavailable',
    ],
  ] as [
    string,
    (payer: { mandate: string; account: string; customer: string }) => Promise<{ status: number }>,
    string,
  ][]) {
    it(`fails at once when ${what}, and is never handed over`, async () => {
      const payer = await debits.payer();
      const { id } = await debits.debit(payer);
      assert.equal((await end(payer)).status, 200);
      const intent = await get(id);
      assert.deepEqual([intent.status, intent.last_payment_error?.code], ['failed', code]);
      await stage.advance(payer.clock, '2027-03-10T00:00:00Z');
      assert.equal(stage.ledger.requests.length, 0);
    });
  }

  it('waits for the next cut-off if its own was missed by more than half an hour, with a later result', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    const [debit] = await stage.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await stage.debit(debit?.attempt_id ?? '', '2027-03-01T06:00:00Z');
    assert.equal((await get(id)).expected_result_date, '2027-03-04');
    await stage.debit(debit?.attempt_id ?? '', '2027-03-02T05:00:00Z');
    assert.equal(stage.ledger.requests[0]?.debit?.chargeDate, '2027-03-02');
  });
});

describe('a debit that the bank has', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getIntent(id);

  async function handedOver() {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    await stage.advance(payer.clock, handOver);
    return { ...payer, id };
  }

  it('cannot be canceled, and the refusal says why', async () => {
    const { id } = await handedOver();
    const refused = await stage.request('POST', `/payment_intents/${id}/cancel`);
    refusal(refused, 422, 'invalid_state');
    assert.match(refused.body.error.message, /The bank already has the debit/);
  });

  it('runs on when the mandate is canceled or the account detached', async () => {
    const { id, ...payer } = await handedOver();
    await debits.cancel(payer.mandate);
    await stage.request('POST', `/payment_methods/${payer.account}/detach`);
    assert.equal((await get(id)).status, 'processing');
    await stage.advance(payer.clock, result);
    assert.equal((await get(id)).status, 'succeeded');
  });

  it('goes to the sandbox’s processor again under the same key when the process died after the hand-over', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the worker dies');
    };
    const [debit] = await stage.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await assert.rejects(stage.debit(debit?.attempt_id ?? '', handOver), /the worker dies/);
    stage.ledger.beforeAnswer = async () => {};
    await stage.advance(payer.clock, result);
    const keys = new Set(stage.ledger.requests.map(({ idempotencyKey }) => idempotencyKey));
    assert.deepEqual([stage.ledger.requests.length, keys.size], [2, 1]);
    assert.equal((await get(id)).status, 'succeeded');
  });
});
