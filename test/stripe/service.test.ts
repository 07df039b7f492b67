import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { type Answer, ask } from '../../lab/stripe-rig/exchange.ts';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { type CustomerInstant, withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { accountReader } from '../../src/services/customers/bank-accounts.ts';
import { takeDebitStep } from '../../src/services/debits/debit-steps.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { sendChecked } from '../support/api.ts';
import { useDebits } from '../support/debits.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { startAdapter } from './support.ts';

const secret = 'secret-of-the-door-of-stripe';
const liveKey = 'sk_live_rig1234567890';
const noticeSecret = 'whsec_servicewithstripe00001';
const [doorPort = 0, adapterPort = 0, webhookPort = 0] = await findFreePorts(3);
const doorUrl = `http://127.0.0.1:${doorPort}`;
const settledWithinMs = 10_000;
const mostUnderWay = 32;

describe('the service with the processor service of Stripe', function () {
  this.timeout(serverStartTimeoutMs);
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const live = createHttpProcessor({
    ...{ url: doorUrl, secret },
    readAccount: (...of) => accountReader(service.db.sql, () => service.vault)(...of),
  });
  const service = useService({ processors: { sandbox: sandboxProcessor, live }, idle: true });
  let rig: StripeRig;
  let adapter: SupervisedProcess;
  let door: LoopbackServer;
  /** At the adapter's door: each call comes so much later, and how many are under way. */
  const calls = { laterMs: 0, underWay: 0, most: 0 };
  let merchant: Merchant;
  let billerId = '';

  before('start Stripe, its processor service and a worker', async () => {
    rig = await startStripeRig(folder.path);
    door = await serveOnLoopback(
      async (received, response) => {
        const { status, headers, body } = await passOn(received);
        response.writeHead(status, headers).end(body);
      },
      { port: doorPort },
    );
    const { id } = await makeBiller(service.db.sql);
    const { key } = await makeKey(service.db.sql, { billerId: id, livemode: true });
    merchant = createMerchant(service.url, key, 'live');
    billerId = id;
    adapter = await startAdapter(service, {
      ...{ billerId: id, liveKey, logFile: join(folder.path, 'adapter.log') },
      noticeSecret,
      env: {
        ...{ PROCESSOR_PORT: String(adapterPort), PROCESSOR_SECRET: secret, STRIPE_API_URL: rig.url },
        STRIPE_WEBHOOK_PORT: String(webhookPort),
      },
    });
    assert.ok(await adapter.untilUp(60_000));
    service.startDispatcher();
    await service.startWorkerProcess({ LIVE_PROCESSOR_URL: doorUrl, LIVE_PROCESSOR_SECRET: secret });
  });
  after('end them', async () => {
    await live.close();
    await adapter?.stop();
    await door?.close();
    await rig?.stop();
  });

  async function passOn(received: Received): Promise<Answer> {
    calls.underWay += 1;
    calls.most = Math.max(calls.most, calls.underWay);
    try {
      if (calls.laterMs > 0) await pause(calls.laterMs);
      return await ask(`http://127.0.0.1:${adapterPort}`, received);
    } finally {
      calls.underWay -= 1;
    }
  }

  async function payer(): Promise<{ id: string; card: string }> {
    const { id } = await merchant.customer();
    return { id, card: await merchant.card(id, await rig.makeCard('good', liveKey)) };
  }
  /** An intent with a card, and its confirm, always under one key. */
  async function intent() {
    const { id: customer_id, card } = await payer();
    const { id } = await merchant.intent({ customer_id, payment_method: card });
    const send = (path: string, body: object, key: string) =>
      sendChecked(`${service.url}/api/v1/payment_intents/${id}/${path}`, 'POST', {
        ...{ key: merchant.key, body, headers: { 'Idempotency-Key': key } },
      });
    const key = crypto.randomUUID();
    return { id, confirm: () => send('confirm', {}, key), refund: () => send('refunds', { amount: 300 }, `${key} r`) };
  }
  async function duePlan(): Promise<string> {
    const { id: customer_id } = await payer();
    const today = dateIn(withoutClock(realNow()), 'UTC');
    return (await merchant.activePlan({ customer_id, start_date: today })).id;
  }
  const isPaid = async (planId: string) => (await merchant.payments(planId))[0]?.status === 'paid';
  /** Charges in Stripe's store that succeeded for the attempts of an intent. */
  async function taken(intentId: string): Promise<number> {
    const attempts = await service.db.sql<{ id: string }[]>`
      select id from payment_attempts where payment_intent_id = ${intentId}`;
    const { successesOfAttempt } = await rig.judge(liveKey);
    const isOfIt = (key: string) => attempts.some(({ id }) => key.split('.')[0] === id);
    return [...successesOfAttempt].reduce((sum, [key, times]) => sum + (isOfIt(key) ? times : 0), 0);
  }
  const intentOf = async (planId: string) => String((await merchant.payments(planId))[0]?.payment_intent_id);
  const confirmations = () => rig.faults.calls.filter((call) => /^POST .*\/confirm$/.test(call)).length;
  async function killAtConfirm(): Promise<void> {
    const before = confirmations();
    rig.faults.plan(/^POST .*\/confirm/, { kind: 'delay', ms: 400 });
    await eventually('Stripe is asked to confirm', () => confirmations() > before);
    await adapter.hold();
    await pause(500); // Stripe takes the money meanwhile
  }

  it('takes a payment, and gives a part of it back, once', async () => {
    const payment = await intent();
    assert.deepEqual([(await payment.confirm()).body.status, await taken(payment.id)], ['succeeded', 1]);
    const { status, body } = await payment.refund();
    assert.deepEqual([status, body.status], [201, 'succeeded']);
    assert.equal((await payment.refund()).body.id, body.id);
    const { refunds, refunded } = await rig.judge(liveKey);
    assert.deepEqual([refunds.get(body.id), refunded.get(body.id)], [1, 300]);
  });

  it('has the books of Stripe: the fee of a payment, and a payout that adds up', async () => {
    const payment = await intent();
    assert.equal((await payment.confirm()).body.status, 'succeeded');
    const get = async (path: string) =>
      (await sendChecked(`${service.url}/api/v1${path}`, 'GET', { key: merchant.key })).body.data;
    const rowOf = async () => (await get(`/balance_transactions?payment_intent_id=${payment.id}`))[0];
    // A worker compares every fifteen seconds.
    await eventually('it has its fee', async () => (await rowOf())?.fee > 0, { timeoutMs: 45_000 });
    const { gross, fee, net, available_on: date } = await rowOf();
    assert.deepEqual([fee, net], [rig.books.feeOf(gross), gross - fee]);
    assert.match(date, /^20\d\d-/);
    const { id, amount } = await rig.books.payOut(liveKey);
    await eventually(
      'it has the payout, reconciled',
      async () => {
        return (await get('/payouts')).some((each: Record<string, unknown>) => {
          return each.amount === amount && each.reconciliation_status === 'completed';
        });
      },
      { timeoutMs: 45_000 },
    );
    const [item] = await get(`/payouts/${(await get('/payouts'))[0].id}/items`);
    assert.equal(item.payout_id, (await rowOf()).payout_id);
    assert.ok(id.startsWith('po_'));
  });

  it('collects a plan that is due', async () => {
    const plan = await duePlan();
    await eventually('it is paid', () => isPaid(plan));
    assert.equal(await taken(await intentOf(plan)), 1);
  });

  it('knows the outcome of a confirm at once when the adapter is back that was killed in the middle of it', async () => {
    const payment = await intent();
    const [first] = await Promise.all([payment.confirm(), killAtConfirm()]);
    assert.equal(first.status, 503);
    adapter.release();
    assert.ok(await adapter.untilUp(60_000));
    assert.equal((await payment.confirm()).body.status, 'succeeded');
    assert.equal(await taken(payment.id), 1);
  });

  /** Sends an event as Stripe does. Returns whether it was taken. */
  async function notify(type: string, object: Record<string, unknown>): Promise<boolean> {
    const id = `evt_${crypto.randomUUID().replaceAll('-', '')}`;
    const payload = JSON.stringify({ id, object: 'event', type, livemode: true, data: { object } });
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: noticeSecret });
    const url = `http://127.0.0.1:${webhookPort}/webhooks/stripe/${billerId}`;
    const headers = { 'stripe-signature': header };
    const response = await fetch(url, { method: 'POST', headers, body: payload }).catch(() => null);
    return response?.status === 200;
  }
  const referenceOf = async (intentId: string) => {
    const [row] = await service.db.sql<{ reference: string }[]>`
      select r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where a.payment_intent_id = ${intentId}`;
    return row?.reference;
  };

  it('knows by a notice, within seconds and without being asked again, that a payment was made whose answer was lost', async () => {
    const payment = await intent();
    const [first] = await Promise.all([payment.confirm(), killAtConfirm()]);
    assert.equal(first.status, 503);
    adapter.release();
    assert.ok(await adapter.untilUp(60_000));
    const since = performance.now();
    const object = { id: await referenceOf(payment.id), object: 'payment_intent' };
    assert.ok(await notify('payment_intent.succeeded', object));
    assert.ok(await notify('payment_intent.succeeded', object));
    const isPaidNow = async () => (await merchant.getIntent(payment.id)).status === 'succeeded';
    await eventually('it is settled', isPaidNow);
    const took = performance.now() - since;
    console.log(`      settled ${Math.round(took)} ms after the notice`);
    assert.ok(took < settledWithinMs, `it took ${Math.round(took)} ms`);
    assert.equal(await taken(payment.id), 1);
  });

  it('leaves a refund open that Stripe has not decided, and settles it by a notice', async () => {
    const payment = await intent();
    await payment.confirm();
    rig.bridge.showRefundsAs('pending');
    const { status, body } = await payment.refund();
    assert.deepEqual([status, body.status], [201, 'processing']);
    rig.bridge.showRefundsAs(null);
    assert.ok(await notify('refund.updated', { id: 're_1', payment_intent: await referenceOf(payment.id) }));
    const statusOf = async () => (await merchant.client.refunds.get(String(body.id))).status;
    await eventually('it is settled', async () => (await statusOf()) === 'succeeded', { timeoutMs: settledWithinMs });
    assert.equal((await rig.judge(liveKey)).refunded.get(String(body.id)), 300);
  });

  it('loses no notice that it has taken, although the adapter is killed before the service has asked', async () => {
    const payment = await intent();
    const [first] = await Promise.all([payment.confirm(), killAtConfirm()]);
    assert.equal(first.status, 503);
    adapter.release();
    assert.ok(await adapter.untilUp(60_000));
    const object = { id: await referenceOf(payment.id), object: 'payment_intent' };
    assert.ok(await notify('payment_intent.succeeded', object));
    await adapter.hold();
    await pause(1_000);
    adapter.release();
    const isPaidNow = async () => (await merchant.getIntent(payment.id)).status === 'succeeded';
    await eventually('it is settled', isPaidNow, { timeoutMs: 40_000 });
    assert.equal(await taken(payment.id), 1);
  });

  async function stateOf(id: string) {
    const { status, last_payment_error: error } = await merchant.getIntent(id);
    return { status, error };
  }

  it('debits a typed account, gets the result by a notice, and the return of a disputed debit by another', async () => {
    const debits = useDebits({ merchant, request: merchant.request });
    const { id: customer } = await merchant.customer({ email: 'jo@example.com' });
    const account = await debits.account(customer);
    const { id: mandate } = await debits.active({ payment_method_id: account });
    const { id } = await debits.debit({ customer, account });
    // Its cut-off is now: a bank reports on nothing that it does not have.
    const [row] = await service.db.sql<{ attempt_id: string; next_at: CustomerInstant }[]>`
      update bank_debits set hand_over_at = clock_timestamp(), next_at = clock_timestamp(),
        charge_date = (clock_timestamp() at time zone 'Australia/Sydney')::date
      where payment_intent_id = ${id}
      returning attempt_id, next_at`;
    const charging = { processors: { sandbox: sandboxProcessor, live }, hook: chargeHook };
    const step = { at: row?.next_at ?? withoutClock(realNow()), now: realNow(), maxAheadMs: Infinity };
    await takeDebitStep(service.db.sql, charging, row?.attempt_id ?? '', step);
    const debited = async () => rig.becs.debited.get(String(await referenceOf(id)));
    // Its workflow may be taking the same step.
    await eventually('it is decided', async () => (await debited()) === 1 || (await stateOf(id)).status === 'failed');
    assert.deepEqual([await stateOf(id), await debited()], [{ status: 'processing', error: null }, 1]);
    const reference = String(await referenceOf(id));
    const becomes = (status: string) =>
      eventually(`it is ${status}`, async () => (await merchant.getIntent(id)).status === status, {
        timeoutMs: 15_000,
      });
    rig.becs.collect(reference);
    assert.ok(await notify('payment_intent.succeeded', { id: reference }));
    await becomes('succeeded');
    rig.becs.dispute(reference, 'debit_not_authorized');
    assert.ok(await notify('charge.dispute.created', { id: 'du_1', payment_intent: reference }));
    await becomes('returned');
    assert.equal((await merchant.client.mandates.get(mandate)).status, 'canceled');
    assert.equal(rig.becs.debited.get(reference), 1);
  });

  it('settles a payment of a plan within ten seconds after the adapter is back that was killed in it', async () => {
    const killed = killAtConfirm();
    const plan = await duePlan();
    await killed;
    adapter.release();
    assert.ok(await adapter.untilUp(60_000));
    const since = performance.now();
    await eventually('it is paid', () => isPaid(plan));
    const took = performance.now() - since;
    console.log(`      settled ${Math.round(took)} ms after the adapter was back`);
    assert.ok(took < settledWithinMs, `it took ${Math.round(took)} ms`);
    assert.equal(await taken(await intentOf(plan)), 1);
  });

  it('has at most 32 calls under way while Stripe is away with 50 due, and charges soon after its return', async () => {
    rig.faults.choose(() => ({ kind: 'status', status: 503, when: 'before' }));
    Object.assign(calls, { laterMs: 1_500, most: 0 });
    const plans = await Promise.all(Array.from({ length: 50 }, duePlan));
    await pause(6_000);
    const takenBefore = (await rig.judge(liveKey)).charges.size;
    calls.laterMs = 0;
    rig.faults.choose(null);
    const since = performance.now();
    await eventually('one is charged', async () => (await rig.judge(liveKey)).charges.size > takenBefore);
    const first = performance.now() - since;
    await eventually('all are paid', async () => (await Promise.all(plans.map(isPaid))).every(Boolean), {
      timeoutMs: 120_000,
      everyMs: 1_000,
    });
    const all = performance.now() - since;
    console.log(
      `      ${calls.most} calls under way, first after ${Math.round(first)} ms, all after ${Math.round(all)}`,
    );
    assert.ok(calls.most <= mostUnderWay && calls.most > 16, `${calls.most} calls were under way`);
    assert.ok(first < settledWithinMs, `the first came after ${Math.round(first)} ms`);
    for (const plan of plans) assert.equal(await taken(await intentOf(plan)), 1);
    assert.deepEqual(await rig.shadow.complaints(), []);
  });
});
