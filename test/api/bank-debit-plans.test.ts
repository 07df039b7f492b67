import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Debtor, monday, useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';

const handOver = '2027-03-01T05:00:00.000Z';
const result = '2027-03-02T22:00:00.000Z';
const monthly = { frequency_period: 4 };

describe('a plan that is paid by bank debits', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getPlan(id);

  async function planOf(outcomes?: string, terms: object = {}, frozenTime = monday) {
    const payer = await debits.payer(frozenTime);
    return { payer, id: (await debits.plan(payer, outcomes, terms)).id };
  }

  it('has a slot processing until the result, while the calendar goes on beside it', async () => {
    const { payer, id } = await planOf();
    await stage.advance(payer.clock, handOver);
    const between = await get(id);
    assert.deepEqual(
      [between.state, between.collected_amount_cents, between.next_payment_date, between.next_attempt_at],
      ['active', 0, '2027-03-08', null],
    );
    assert.deepEqual(await debits.slots(id), ['0 processing submitted']);
    await stage.advance(payer.clock, '2027-03-15T00:00:00Z');
    assert.deepEqual(await debits.slots(id), ['0 paid succeeded', '1 paid succeeded', '2 processing accepted']);
    assert.equal((await get(id)).collected_amount_cents, 2000);
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_plan.activated',
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-02T22:00 payment_intent.succeeded',
      '2027-03-08T00:00 payment_intent.processing',
      '2027-03-09T22:00 payment_intent.succeeded',
      '2027-03-15T00:00 payment_intent.processing',
    ]);
  });

  it('debits on the next business day if the due date is closed, and shows both dates', async () => {
    const { payer, id } = await planOf(undefined, { start_date: '2027-03-26' }, '2027-03-25T00:00:00Z');
    await stage.advance(payer.clock, '2027-04-01T00:00:00Z');
    const [payment] = await stage.merchant.payments(id);
    const [attempt] = payment?.attempts ?? [];
    const intent = await stage.merchant.getIntent(String(payment?.payment_intent_id));
    assert.deepEqual(
      [payment?.due_date, attempt?.at, attempt?.outcome, attempt?.bank_debit],
      [
        '2027-03-26',
        '2027-03-26T00:00:00.000Z',
        'succeeded',
        {
          mandate_id: payer.mandate,
          lodgement_reference: intent.lodgement_reference,
          charge_date: '2027-03-30',
          submitted_at: '2027-03-30T05:00:00.000Z',
          expected_result_at: '2027-03-31T22:00:00.000Z',
          settled_at: '2027-03-31T22:00:00.000Z',
          returnable_until: '2027-04-29',
          returned_at: null,
          bank_code: null,
        },
      ],
    );
  });

  it('keeps the amount of a slot committed from the acceptance on, so that the total holds', async () => {
    const { payer, id } = await planOf('dishonoured,dishonoured,settled', { total_amount_cents: 1500 });
    await stage.advance(payer.clock, '2027-03-09T06:00:00Z');
    const payments = await stage.merchant.payments(id);
    assert.deepEqual(
      payments.map(({ amount, status }) => [amount, status]),
      [
        [1000, 'processing'],
        [500, 'processing'],
      ],
    );
    assert.equal((await get(id)).next_payment_date, null);
  });

  it('is closed at the result that completes its total', async () => {
    const { payer, id } = await planOf(undefined, { total_amount_cents: 1500 });
    await stage.advance(payer.clock, '2027-03-14T00:00:00Z');
    const plan = await get(id);
    assert.deepEqual(
      [plan.state, plan.state_reason, plan.collected_amount_cents, plan.updated_at],
      ['closed', 'total_collected', 1500, '2027-03-09T22:00:00.000Z'],
    );
    assert.equal((await debits.story(payer.clock)).at(-1), '2027-03-09T22:00 payment_plan.closed');
  });

  it('retries 1, 3 and 5 days after the first result, on business days, after the latest result, and is then suspended', async () => {
    const { payer, id } = await planOf('dishonoured', monthly);
    await stage.advance(payer.clock, result);
    const between = await get(id);
    assert.deepEqual([between.state, between.next_attempt_at], ['active', '2027-03-03T22:00:00.000Z']);
    await stage.advance(payer.clock, '2027-03-20T00:00:00Z');
    const failed = await stage.merchant.events({ event_type: 'payment_intent.failed' });
    assert.deepEqual(
      failed.map(({ created_at: at, data }) => [at, data.attempt, data.next_attempt_at]),
      [
        [result, 1, '2027-03-03T22:00:00.000Z'],
        ['2027-03-07T22:00:00.000Z', 2, '2027-03-08T22:00:00.000Z'],
        ['2027-03-10T22:00:00.000Z', 3, '2027-03-11T22:00:00.000Z'],
        ['2027-03-15T22:00:00.000Z', 4, null],
      ],
    );
    const plan = await get(id);
    assert.deepEqual([plan.state, plan.state_reason], ['suspended', 'payment_failed']);
    assert.deepEqual(await debits.slots(id), ['0 failed failed,failed,failed,failed']);
  });

  it('is suspended at the first dishonour when it says stop', async () => {
    const { payer, id } = await planOf('dishonoured', { failure_behaviour: 'stop' });
    await stage.advance(payer.clock, result);
    const plan = await get(id);
    assert.deepEqual([plan.state, plan.state_reason], ['suspended', 'payment_failed']);
  });

  it('is suspended at once by a code that is final, and its mandate has failed', async () => {
    const { payer, id } = await planOf('account_closed');
    await stage.advance(payer.clock, result);
    assert.equal((await get(id)).state, 'suspended');
    assert.equal((await debits.get(payer.mandate)).status, 'failed');
    const types = (await stage.merchant.events({ test_clock: payer.clock })).map(({ event_type }) => event_type);
    assert.deepEqual(types.slice(-4, -1), ['payment_intent.failed', 'payment_plan.suspended', 'mandate.failed']);
  });

  it('is charged by the card that replaced the account between two attempts, at the instant of the retry', async () => {
    const { payer, id } = await planOf('dishonoured');
    await stage.advance(payer.clock, result);
    const card = await stage.merchant.card(payer.customer);
    await stage.merchant.updatePlan(id, { payment_instrument_id: card });
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    const [payment] = await stage.merchant.payments(id);
    assert.deepEqual(
      payment?.attempts.map(({ at, outcome }) => [at, outcome]),
      [
        [monday, 'failed'],
        ['2027-03-03T22:00:00.000Z', 'succeeded'],
      ],
    );
  });

  it('counts in the manifest of an advance as recalculated when the bank reports, and its payment not as enqueued', async () => {
    const { payer } = await planOf();
    await stage.advance(payer.clock, handOver);
    await stage.advance(payer.clock, result);
    await stage.advance(payer.clock, '2027-03-08T00:00:00Z');
    const manifests = await stage.merchant.manifests(payer.clock);
    assert.deepEqual(
      manifests.map(({ payment_intents_enqueued: intents, plans_recalculated: plans }) => [intents, plans]),
      [
        [0, 0],
        [0, 1],
        [1, 1],
      ],
    );
  });
});

describe('a plan whose debit is accepted and not handed over', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  const withdrawn = async (payer: Debtor, id: string, status = 'failed') => {
    const [payment] = await stage.merchant.payments(id);
    const intent = await stage.merchant.getIntent(payment?.payment_intent_id ?? '');
    assert.deepEqual(
      [payment?.status, intent.status, intent.last_payment_error?.code],
      ['failed', status, 'debit_withdrawn'],
    );
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    assert.equal(stage.ledger.requests.length, 0);
  };

  for (const transition of ['suspend', 'deactivate', 'close'] as const) {
    it(`withdraws it on ${transition}: the bank never gets it`, async () => {
      const payer = await debits.payer();
      const { id } = await debits.plan(payer);
      await stage.merchant.move(id, transition);
      await withdrawn(payer, id, transition === 'suspend' ? 'failed' : 'canceled');
    });
  }

  it('tries the slot again on resume, as if it had never been tried', async () => {
    const payer = await debits.payer();
    const { id } = await debits.plan(payer, 'dishonoured,settled', monthly);
    await stage.merchant.move(id, 'suspend');
    await withdrawn(payer, id);
    await stage.merchant.move(id, 'resume');
    await stage.collectAll(id, '2027-03-04T00:00:00Z');
    await stage.advance(payer.clock, '2027-03-07T22:00:00Z');
    const [payment] = await stage.merchant.payments(id);
    assert.deepEqual(
      payment?.attempts.map(({ code }) => code),
      ['debit_withdrawn', 'insufficient_funds'],
    );
    const [row] = await stage.db.sql`select failures from payment_plan_slots where payment_plan_id = ${id}`;
    assert.equal(row?.failures, 1);
    await stage.advance(payer.clock, '2027-03-20T00:00:00Z');
    assert.deepEqual(await debits.slots(id), ['0 paid failed,failed,succeeded']);
  });

  it('is suspended when the mandate is canceled, because the debit fails for good', async () => {
    const payer = await debits.payer();
    const { id } = await debits.plan(payer);
    await debits.cancel(payer.mandate);
    const plan = await stage.merchant.getPlan(id);
    assert.deepEqual([plan.state, plan.state_reason], ['suspended', 'payment_failed']);
    const [payment] = await stage.merchant.payments(id);
    assert.deepEqual([payment?.status, payment?.attempts[0]?.code], ['failed', 'mandate_unavailable']);
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    assert.equal(stage.ledger.requests.length, 0);
  });
});

describe('a plan whose debit the bank has', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  async function handedOver(outcomes?: string, terms: object = {}) {
    const payer = await debits.payer();
    const { id } = await debits.plan(payer, outcomes, terms);
    await stage.advance(payer.clock, handOver);
    return { payer, id };
  }

  for (const [transition, state] of [
    ['suspend', 'suspended'],
    ['deactivate', 'deactivated'],
    ['close', 'closed'],
  ] as const) {
    it(`books its success after ${transition}, and stays ${state}`, async () => {
      const { payer, id } = await handedOver();
      await stage.merchant.move(id, transition);
      assert.deepEqual(await debits.slots(id), ['0 processing submitted']);
      await stage.advance(payer.clock, result);
      const plan = await stage.merchant.getPlan(id);
      assert.deepEqual([plan.state, plan.collected_amount_cents], [state, 1000]);
      assert.deepEqual(await debits.slots(id), ['0 paid succeeded']);
    });
  }

  it('leaves a dishonour after suspend to the resume, which tries the slot again at once', async () => {
    const { payer, id } = await handedOver('dishonoured,settled');
    await stage.merchant.move(id, 'suspend');
    await stage.advance(payer.clock, result);
    assert.deepEqual(await debits.slots(id), ['0 failed failed']);
    await stage.merchant.move(id, 'resume');
    await stage.collectAll(id, result);
    assert.deepEqual(await debits.slots(id), ['0 processing failed,accepted']);
    await stage.advance(payer.clock, '2027-03-07T00:00:00Z');
    assert.deepEqual(await debits.slots(id), ['0 paid failed,succeeded']);
  });

  it('goes on when the mandate is canceled; the next slot is declined for good', async () => {
    const { payer, id } = await handedOver();
    await debits.cancel(payer.mandate);
    await stage.advance(payer.clock, '2027-03-08T00:00:00Z');
    assert.deepEqual(await debits.slots(id), ['0 paid succeeded', '1 failed failed']);
    const payments = await stage.merchant.payments(id);
    assert.equal(payments[1]?.attempts[0]?.code, 'mandate_unavailable');
    assert.equal((await stage.merchant.getPlan(id)).state, 'suspended');
  });

  it('takes a payer’s own confirm of what was dishonoured while it is suspended for that, and none once it has ended', async () => {
    const { payer, id } = await handedOver('dishonoured,settled', { failure_behaviour: 'stop' });
    await stage.advance(payer.clock, result);
    const [payment] = await stage.merchant.payments(id);
    const intent = payment?.payment_intent_id ?? '';
    assert.equal((await stage.merchant.client.paymentIntents.confirm(intent, {})).status, 'processing');
    await stage.advance(payer.clock, '2027-03-06T00:00:00Z');
    const plan = await stage.merchant.getPlan(id);
    assert.deepEqual([plan.state, plan.collected_amount_cents], ['suspended', 1000]);
  });

  it('cancels what is dishonoured after it has ended: no payer pays that', async () => {
    const { payer, id } = await handedOver('dishonoured,settled', { failure_behaviour: 'stop' });
    const { in_flight_amount } = await stage.merchant.move(id, 'close');
    assert.equal(in_flight_amount, 1000);
    await stage.advance(payer.clock, result);
    const [payment] = await stage.merchant.payments(id);
    const intent = payment?.payment_intent_id ?? '';
    const refused = await stage.request('POST', `/payment_intents/${intent}/confirm`, {});
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    assert.equal((await stage.merchant.getIntent(intent)).status, 'canceled');
    assert.equal((await stage.merchant.getPlan(id)).in_flight_amount, undefined);
  });
});
