import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebits } from '../support/debits.ts';
import { refusal, useStage } from '../support/stage.ts';

const result = '2027-03-02T22:00:00.000Z';
const lateDishonour = '2027-03-07T22:00:00.000Z';
const dispute = '2027-04-01T22:00:00.000Z';
const monthly = { frequency_period: 4 };

describe('a payment whose debit comes back after it has succeeded', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getIntent(id);

  it('is returned three business days later by a late dishonour, with its own event and never failed', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, result);
    assert.equal((await get(id)).status, 'succeeded');
    await stage.advance(payer.clock, lateDishonour);
    const intent = await get(id);
    assert.deepEqual(
      [intent.status, intent.total_returned_amount, intent.last_payment_error?.code, intent.returnable_until],
      ['returned', 1000, 'insufficient_funds', '2027-04-02'],
    );
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    const { attempt, reason, bank_code, returned_at, will_retry, next_attempt_at } = returned?.data ?? {};
    assert.deepEqual(
      [returned?.created_at, attempt, reason, bank_code, returned_at, will_retry, next_attempt_at],
      [lateDishonour, 1, 'insufficient_funds', '6', lateDishonour, false, null],
    );
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-02T22:00 payment_intent.succeeded',
      '2027-03-07T22:00 payment_intent.returned',
    ]);
    assert.equal((await debits.get(payer.mandate)).status, 'active');
  });

  it('is returned on the last possible day by a dispute, which cancels the mandate', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'disputed');
    await stage.advance(payer.clock, dispute);
    const intent = await get(id);
    assert.deepEqual(
      [intent.status, intent.last_payment_error?.code, intent.updated_at],
      ['returned', 'debit_disputed', dispute],
    );
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    assert.deepEqual([returned?.data.reason, returned?.data.bank_code], ['debit_disputed', null]);
    const mandate = await debits.get(payer.mandate);
    assert.deepEqual(
      [mandate.status, mandate.status_reason, mandate.ended_at],
      ['canceled', 'debit_disputed', dispute],
    );
  });

  it('can then be neither confirmed nor canceled nor refunded', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, lateDishonour);
    for (const action of ['confirm', 'cancel', 'refunds']) {
      refusal(await stage.request('POST', `/payment_intents/${id}/${action}`, {}), 422, 'invalid_state');
    }
  });

  it('comes back whole after a part was refunded, and the event has both amounts', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, result);
    const refund = await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 400 });
    assert.deepEqual([refund.body.status, refund.body.refund_at_risk], ['succeeded', true]);
    await stage.advance(payer.clock, lateDishonour);
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    const { total_refunded_amount, total_returned_amount, net_collected_amount } = returned?.data ?? {};
    assert.deepEqual([total_refunded_amount, total_returned_amount, net_collected_amount], [400, 1000, -400]);
    assert.equal((await stage.request('GET', `/refunds/${refund.body.id}`)).body.refund_at_risk, true);
  });

  it('can no longer come back after the last date, so a refund then is at no risk', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer);
    await stage.advance(payer.clock, '2027-04-02T13:00:00Z'); // 3 April in Sydney
    const refund = await stage.request('POST', `/payment_intents/${id}/refunds`, {});
    assert.deepEqual([refund.body.status, refund.body.refund_at_risk], ['succeeded', undefined]);
  });

  it('gets both events in their order when the bank is first asked after it has taken the debit back', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, '2027-03-01T05:00:00Z');
    const [debit] = await stage.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await stage.debit(debit?.attempt_id ?? '', '2027-03-09T00:00:00Z');
    assert.deepEqual((await debits.story(payer.clock)).slice(1), [
      '2027-03-09T00:00 payment_intent.succeeded',
      '2027-03-09T00:00 payment_intent.returned',
    ]);
  });

  it('takes other debits under the mandate along that the bank does not have, when the mandate ends', async () => {
    const payer = await debits.payer();
    await debits.debit(payer, 'disputed');
    // Friday evening in Sydney: the debit waits for Monday, and the dispute comes before.
    await stage.advance(payer.clock, '2027-04-01T06:00:00Z');
    const waiting = await debits.debit(payer);
    assert.equal(waiting.status, 'processing');
    const charged = stage.ledger.requests.length;
    await stage.advance(payer.clock, '2027-04-10T00:00:00Z');
    const intent = await get(waiting.id);
    assert.deepEqual(
      [intent.status, intent.last_payment_error?.code, intent.updated_at],
      ['failed', 'mandate_unavailable', dispute],
    );
    assert.equal(stage.ledger.requests.length, charged);
  });
});

describe('a plan whose payment comes back after it was collected', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = (id: string) => stage.merchant.getPlan(id);

  async function returnedTo(target: string, outcomes: string, terms: object = {}) {
    const payer = await debits.payer();
    const { id } = await debits.plan(payer, outcomes, { ...monthly, ...terms });
    await stage.advance(payer.clock, target);
    return { payer, id };
  }

  it('has collected less, and retries in a fresh series', async () => {
    const { payer, id } = await returnedTo(lateDishonour, 'late_dishonour,dishonoured,dishonoured,dishonoured');
    const plan = await get(id);
    assert.deepEqual(
      [plan.state, plan.collected_amount_cents, plan.next_attempt_at],
      ['active', 0, '2027-03-08T22:00:00.000Z'],
    );
    assert.deepEqual(await debits.slots(id), ['0 retrying returned']);
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    assert.deepEqual([returned?.data.will_retry, returned?.data.next_attempt_at], [true, '2027-03-08T22:00:00.000Z']);
    // The return is the first failure of the series, so three attempts follow.
    await stage.advance(payer.clock, '2027-03-28T00:00:00Z');
    assert.deepEqual(await debits.slots(id), ['0 failed returned,failed,failed,failed']);
    assert.deepEqual([(await get(id)).state, (await get(id)).state_reason], ['suspended', 'payment_failed']);
  });

  it('collects it again by a retry, as one payment that succeeded once in the end', async () => {
    const { id } = await returnedTo('2027-03-15T00:00:00Z', 'late_dishonour,settled');
    const [payment] = await stage.merchant.payments(id);
    const intent = await stage.merchant.getIntent(payment?.payment_intent_id ?? '');
    assert.deepEqual(
      [intent.status, intent.total_returned_amount, intent.last_payment_error],
      ['succeeded', 1000, null],
    );
    assert.deepEqual(
      [payment?.status, payment?.attempts.map(({ outcome }) => outcome)],
      ['paid', ['returned', 'succeeded']],
    );
    assert.equal((await get(id)).collected_amount_cents, 1000);
  });

  it('is suspended with payment_returned when it says stop, and resume tries the slot again at once', async () => {
    const { payer, id } = await returnedTo(lateDishonour, 'late_dishonour,settled', { failure_behaviour: 'stop' });
    const plan = await get(id);
    assert.deepEqual(
      [plan.state, plan.state_reason, plan.collected_amount_cents],
      ['suspended', 'payment_returned', 0],
    );
    assert.deepEqual(await debits.slots(id), ['0 returned returned']);
    await stage.merchant.move(id, 'resume');
    await stage.collectAll(id, lateDishonour);
    assert.deepEqual(await debits.slots(id), ['0 processing returned,accepted']);
    await stage.advance(payer.clock, '2027-03-12T00:00:00Z');
    assert.equal((await get(id)).collected_amount_cents, 1000);
  });

  it('is suspended with payment_returned by a dispute, which is final', async () => {
    const { id } = await returnedTo('2027-04-02T00:00:00Z', 'disputed', { frequency_period: 8 });
    assert.deepEqual(
      [(await get(id)).state, (await get(id)).state_reason, await debits.slots(id)],
      ['suspended', 'payment_returned', ['0 returned returned']],
    );
  });

  it('stays closed after its total was collected, and shows what is missing', async () => {
    const { id } = await returnedTo(lateDishonour, 'late_dishonour,settled', { total_amount_cents: 1000 });
    const plan = await get(id);
    assert.deepEqual(
      [plan.state, plan.state_reason, plan.collected_amount_cents, plan.shortfall_amount_cents],
      ['closed', 'payment_returned', 0, 1000],
    );
    assert.deepEqual(await debits.slots(id), ['0 returned returned']);
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    assert.equal(returned?.data.will_retry, false);
  });

  it('keeps the reason for which it was stopped before, without a shortfall; a resume tries the slot again', async () => {
    const payer = await debits.payer();
    const plans = [];
    for (const transition of ['suspend', 'close'] as const) {
      const { id } = await debits.plan(payer, 'late_dishonour,settled', { ...monthly, total_amount_cents: 5000 });
      plans.push({ id, transition });
    }
    await stage.advance(payer.clock, result);
    for (const { id, transition } of plans) await stage.merchant.move(id, transition);
    await stage.advance(payer.clock, lateDishonour);
    for (const { id } of plans) {
      const plan = await get(id);
      assert.deepEqual(
        [plan.state_reason, plan.collected_amount_cents, plan.shortfall_amount_cents, await debits.slots(id)],
        ['requested', 0, undefined, ['0 returned returned']],
      );
    }
    await stage.merchant.move(plans[0]?.id ?? '', 'resume');
    await stage.collectAll(plans[0]?.id ?? '', lateDishonour);
    assert.deepEqual(await debits.slots(plans[0]?.id ?? ''), ['0 processing returned,accepted']);
  });

  it('is counted with the other steps of debits in the effects of a clock, of one advance or of all', async () => {
    const payer = await debits.payer();
    await debits.plan(payer, 'late_dishonour,dishonoured,settled', { start_date: '2027-03-02' });
    await debits.debit(payer, 'settled');
    const card = await stage.merchant.payer({ test_clock: payer.clock });
    await stage.merchant.activePlan({ customer_id: card.id, start_date: '2027-03-03' });
    const counts = async (query: string) => {
      const path = `/test_helpers/test_clocks/${payer.clock}/effects?${query}`;
      const { body } = await stage.request('GET', path);
      return body.bank_debits;
    };
    await stage.advance(payer.clock, '2027-03-08T23:00:00Z');
    // The confirm of the single debit was a request, and its result is an effect.
    assert.deepEqual(await counts('limit=1'), { accepted: 1, settled: 2, failed: 0, returned: 1 });
    await stage.advance(payer.clock, '2027-03-20T00:00:00Z');
    const { last_advance: advance } = await stage.merchant.getClock(payer.clock);
    assert.deepEqual(await counts(`limit=1&advance_id=${advance?.id}`), {
      accepted: 5,
      settled: 3,
      failed: 2,
      returned: 1,
    });
    assert.deepEqual(await counts(''), { accepted: 6, settled: 5, failed: 2, returned: 2 });
  });
});
