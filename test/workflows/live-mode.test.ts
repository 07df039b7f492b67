import assert from 'node:assert/strict';
import { letRetryFallDue } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type Reply, sendChecked } from '../support/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { refusal } from '../support/stage.ts';

const today = () => dateIn(withoutClock(realNow()), 'UTC');
const hour = 3_600_000;
/** The weather in which a charge or a refund is made, and neither its answer nor that of the inquiry arrives. */
const outcomeLost = { _stand_in: 'answer_lost', _stand_in_inquire: 'answer_lost' };

describe('live mode with a processor service', function () {
  this.timeout(60_000);
  const service = useService({ live: true });

  const firstPayment = async (merchant: Merchant, planId: string) => (await merchant.payments(planId))[0];
  const paid = (merchant: Merchant, planId: string) =>
    eventually('the first payment is paid', async () => {
      const payment = await firstPayment(merchant, planId);
      return payment?.status === 'paid' && payment;
    });

  /** What the processor did for a payment, by its own ledger: the outcome of each key. */
  async function doneFor(intentId: string | undefined): Promise<string[]> {
    const calls = (await service.standIn.calls()).filter((call) => call.payment_intent_id === intentId);
    return calls.flatMap((call) => {
      const isOutcome = (call.kind === 'charge' || call.kind === 'refund') && !call.repeated;
      return isOutcome ? [`${call.kind} ${call.outcome}`] : [];
    });
  }
  /** How often the processor was asked to charge, those that it turned away included. */
  async function chargesFor(intentId: string): Promise<number> {
    const calls = (await service.standIn.calls()).filter((call) => call.payment_intent_id === intentId);
    return calls.filter((call) => call.kind === 'charge' || ('call' in call && call.call === 'charge')).length;
  }

  /** An intent with a card, and its confirm under a key. */
  async function makeIntent(merchant: Merchant, metadata: Record<string, string> = {}, token?: string) {
    const payer = await merchant.customer();
    const card = await merchant.card(payer.id, token);
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: card, metadata });
    const confirm = (key: string = crypto.randomUUID()) => send(merchant, `/payment_intents/${id}/confirm`, {}, key);
    return { id, confirm };
  }

  function send(merchant: Merchant, path: string, body: object, key: string): Promise<Reply> {
    const headers = { 'Idempotency-Key': key };
    return sendChecked(`${service.url}/api/v1${path}`, 'POST', { key: merchant.key, body, headers });
  }

  it('collects a plan that is due, by an activity that sends heartbeats, and asks the processor once', async () => {
    const merchant = await service.liveMerchant();
    const plan = await merchant.activePlan({ start_date: today() });
    const payment = await paid(merchant, plan.id);
    assert.deepEqual(await doneFor(payment.payment_intent_id ?? ''), ['charge succeeded']);
    assert.equal((await merchant.getIntent(payment.payment_intent_id ?? '')).livemode, true);
    const history = await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id)).fetchHistory();
    const scheduled = history.events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []) ?? [];
    assert.deepEqual(
      scheduled.map(({ activityType, heartbeatTimeout }) => [activityType?.name, Number(heartbeatTimeout?.seconds)]),
      [['collectPlan', 8]],
    );
  });

  it('retries a plan’s declined payment on its date, under a key of its own, and counts both', async () => {
    const merchant = await service.liveMerchant();
    const metadata = { _sandbox_outcome: 'decline,succeed' };
    const { id } = await merchant.activePlan({ start_date: today(), metadata });
    const declined = await eventually('it was declined', async () => {
      const payment = await firstPayment(merchant, id);
      return payment?.status === 'retrying' && payment;
    });
    assert.deepEqual(
      declined.attempts.map(({ code }) => code),
      ['insufficient_funds'],
    );
    const { sql } = service.db;
    await letRetryFallDue(sql, id, 0, realNow());
    await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', id)).signal('recheck');
    const payment = await paid(merchant, id);
    assert.deepEqual(await doneFor(payment.payment_intent_id ?? ''), ['charge failed', 'charge succeeded']);
  });

  it('suspends a plan whose card is lost or has expired, or needs the payer, or is refused by the processor', async () => {
    const merchant = await service.liveMerchant();
    for (const [token, code] of [
      ['tok_sandbox_visa_decline_card_lost', 'card_declined'],
      ['tok_sandbox_visa_decline_expired_card', 'expired_card'],
      ['tok_sandbox_visa_3ds_required', 'authentication_required'],
      ['tok_of_another_vault', 'processor_rejected'],
    ]) {
      const payer = await merchant.customer();
      await merchant.card(payer.id, token);
      const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today() });
      const isSuspended = async () => (await merchant.getPlan(id)).state === 'suspended';
      await eventually(`the plan with ${token} is suspended`, isSuspended);
      const payment = await firstPayment(merchant, id);
      assert.equal(payment?.attempts[0]?.code, code);
    }
  });

  it('makes a scheduled payment on its date', async () => {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: today(),
    });
    await eventually('it is paid', async () => (await merchant.getIntent(id)).status === 'succeeded');
    assert.deepEqual(await doneFor(id), ['charge succeeded']);
  });

  it('refuses to charge a bank account that has no mandate, and asks the processor nothing', async () => {
    const merchant = await service.liveMerchant();
    const { id: payer } = await merchant.customer();
    const { payment_method } = await merchant.client.paymentMethods.create({
      type: 'au_becs_debit',
      customer_reference: payer,
      payment_method_data: { bsb_number: '062-000', account_name: 'A Lovelace', account_number: '12345678' },
    });
    const intent = await merchant.intent({ customer_id: payer, payment_method: payment_method.id });
    const refused = await send(merchant, `/payment_intents/${intent.id}/confirm`, {}, crypto.randomUUID());
    assert.deepEqual(refusal(refused, 400), ['/payment_method mandate_required']);
    assert.deepEqual(await doneFor(intent.id), []);
  });

  for (const [token, status] of [
    ['tok_sandbox_visa_succeed', 'succeeded'],
    ['tok_sandbox_visa_decline_insufficient_funds', 'failed'],
    ['tok_sandbox_visa_3ds_required', 'requires_action'],
    ['tok_of_another_vault', 'failed'],
  ] as const) {
    it(`confirms a payment with ${token}, which is then ${status}`, async () => {
      const merchant = await service.liveMerchant();
      const { id, confirm } = await makeIntent(merchant, {}, token);
      const { status: code, body } = await confirm();
      assert.deepEqual([code, body.status], [200, status]);
      assert.equal((await merchant.getIntent(id)).status, status);
    });
  }

  it('lets a biller cancel a payment whose challenge no payer has completed', async () => {
    const merchant = await service.liveMerchant();
    const { id, confirm } = await makeIntent(merchant, {}, 'tok_sandbox_visa_3ds_required');
    await confirm();
    assert.equal((await merchant.client.paymentIntents.cancel(id)).status, 'canceled');
  });

  it('gives refunds, and reports one that the processor refuses', async () => {
    const merchant = await service.liveMerchant();
    const { id, confirm } = await makeIntent(merchant);
    await confirm();
    assert.equal((await merchant.client.refunds.create(id, { amount: 300 })).status, 'succeeded');
    assert.equal((await merchant.client.refunds.create(id, { amount: 203 })).status, 'failed');
    assert.deepEqual(await doneFor(id), ['charge succeeded', 'refund succeeded', 'refund failed']);
    assert.equal((await merchant.getIntent(id)).total_refunded_amount, 300);
  });

  for (const weather of ['answer_lost', 'error_500', 'http_500_stored', 'html', 'truncated', 'refused_after']) {
    it(`asks by the reference for the outcome of a confirm in the weather ${weather}, and charges once`, async () => {
      const merchant = await service.liveMerchant();
      const { id, confirm } = await makeIntent(merchant, { _stand_in: weather });
      const { status, body } = await confirm();
      assert.deepEqual([status, body.status], [200, 'succeeded']);
      assert.deepEqual([await doneFor(id), await chargesFor(id)], [['charge succeeded'], 1]);
    });
  }

  for (const [charge, inquiry, charges] of [
    ['answer_lost', 'answer_lost', 1],
    ['http_500_stored', 'error_500', 1],
    ['refused_after', 'html', 1],
    ['busy', 'truncated', 2],
    ['reset_before', '', 2],
  ] as const) {
    const weather = inquiry === '' ? charge : `${charge}, then ${inquiry},`;
    it(`leaves a confirm in the weather ${weather} processing, and its repetition learns the truth`, async () => {
      const merchant = await service.liveMerchant();
      const { id, confirm } = await makeIntent(merchant, { _stand_in: charge, _stand_in_inquire: inquiry });
      const key = crypto.randomUUID();
      const first = await confirm(key);
      assert.deepEqual([first.status, first.body.error.code], [503, 'unavailable']);
      assert.match(first.body.error.message, /The payment stays processing/);
      assert.ok(Number(first.headers.get('retry-after')) >= 1);
      assert.equal((await merchant.getIntent(id)).status, 'processing');
      const second = await confirm(key);
      assert.deepEqual([second.status, second.body.status], [200, 'succeeded']);
      assert.deepEqual([await doneFor(id), await chargesFor(id)], [['charge succeeded'], charges]);
    });
  }

  it('refuses another confirm, and a cancel, of a payment whose outcome is unknown', async () => {
    const merchant = await service.liveMerchant();
    const { id, confirm } = await makeIntent(merchant, outcomeLost);
    await confirm();
    for (const reply of [await confirm(), await merchant.request('POST', `/payment_intents/${id}/cancel`)]) {
      assert.deepEqual([reply.status, reply.body.error.code], [422, 'invalid_state']);
    }
    assert.equal(await chargesFor(id), 1);
  });

  it('gives a refund once when its response was lost and the request is repeated under its key', async () => {
    const merchant = await service.liveMerchant();
    const { id, confirm } = await makeIntent(merchant);
    await confirm();
    const refund = (key: string) =>
      send(merchant, `/payment_intents/${id}/refunds`, { amount: 300, metadata: outcomeLost }, key);
    const key = crypto.randomUUID();
    const first = await refund(key);
    assert.equal(first.status, 503);
    assert.match(first.body.error.message, /The refund stays processing/);
    const second = await refund(key);
    assert.deepEqual([second.status, second.body.status], [201, 'succeeded']);
    assert.deepEqual(await doneFor(id), ['charge succeeded', 'refund succeeded']);
  });

  it('collects a plan once through lost answers, HTML and a busy processor, without stalling', async () => {
    const merchant = await service.liveMerchant();
    const metadata = {
      _stand_in_prepare: 'answer_lost',
      _stand_in: 'busy,answer_lost',
      _stand_in_inquire: 'html',
    };
    const { id } = await merchant.activePlan({ start_date: today(), metadata });
    const { payment_intent_id: intentId, attempts } = await paid(merchant, id);
    assert.deepEqual([await doneFor(intentId ?? ''), await chargesFor(intentId ?? '')], [['charge succeeded'], 2]);
    assert.equal(attempts.length, 1);
  });

  it('finishes by a worker’s housekeeping what a client has begun and left', async () => {
    const merchant = await service.liveMerchant();
    const { id, confirm } = await makeIntent(merchant, outcomeLost);
    await confirm();
    const ago = new Date(realNow().getTime() - hour);
    await service.db.sql`update payment_attempts set opened_at = ${ago} where payment_intent_id = ${id}`;
    const worker = await service.startWorkerProcess();
    await eventually('it is paid', async () => (await merchant.getIntent(id)).status === 'succeeded');
    await worker.end();
    assert.deepEqual(await doneFor(id), ['charge succeeded']);
  });

  it('names the live processor that does not respond in `ops stuck`, and collects when it is back', async () => {
    const merchant = await service.liveMerchant();
    const { process: processor } = service.standIn;
    await processor.hold();
    const { id } = await merchant.activePlan({ start_date: today() });
    const intentId = await eventually('its payment is open', async () => {
      return (await firstPayment(merchant, id))?.payment_intent_id;
    });
    const ago = new Date(realNow().getTime() - hour);
    await service.db.sql`update payment_attempts set opened_at = ${ago} where payment_intent_id = ${intentId}`;
    const stuck = await eventually('it is reported', async () => {
      const reports = await lookForStuck(service.db.sql, service.sides, realNow());
      const found = reports.flatMap((report) => report.found).find(({ subject_id }) => subject_id === intentId);
      return found?.why.includes('collectPlan') && found;
    });
    assert.deepEqual([stuck.kind, stuck.livemode], ['payment_processing', true]);
    assert.match(stuck.why, /no outcome: the live processor has not responded.*collectPlan has failed/);
    assert.match(stuck.why, /the live processor gave no outcome: connection refused$/);
    assert.match(stuck.remedy, /^Fix the live processor \(LIVE_PROCESSOR_URL, docs\/processors\.md\)/);
    processor.release();
    await paid(merchant, id);
    assert.deepEqual(await doneFor(intentId), ['charge succeeded']);
  });
});
