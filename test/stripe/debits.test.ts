import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { expectedAt } from '../../processors/stripe/debits.ts';
import { codeOfDebit, codeOfDispute } from '../../processors/stripe/decline-codes.ts';
import { useStripe } from './support.ts';

const dayMs = 24 * 3_600_000;
const number = '000123456';

describe('a BECS debit by Stripe', function () {
  this.timeout(60_000);
  const stripe = useStripe();
  let last = 0;
  const at = () => new Date().toISOString();

  const debit = (reference = `DDR-${++last}`, over: Record<string, unknown> = {}) => ({
    ...{ scheme: 'au_becs', charge_date: '2026-11-24', mandate_reference: reference, lodgement_reference: 'PAY-1' },
    mandate: {
      ...{ accepted_at: '2026-11-20T03:11:42.000Z', type: 'online', ip_address: '203.0.113.7' },
      ...{ user_agent: 'Mozilla/5.0', signatory_name: 'Jo Nguyen', text_sha256: null, ...over },
    },
  });
  function bodyOf(over: Record<string, unknown> = {}): Record<string, unknown> {
    const bank_account = {
      bsb_number: '000000',
      account_number: number,
      account_name: 'Jo Nguyen',
      email: 'jo@example.com',
    };
    const method = { id: `pm_bank${++last}`, type: 'au_becs_debit', token: null, bank_account };
    return { ...stripe.payment(''), payment_method: method, debit: debit(), ...over };
  }
  async function reserved(body = bodyOf(), key = `att_debit${++last}x${Date.now()}`) {
    const answer = await stripe.call('/prepare', body, key);
    assert.equal(answer.body.outcome, 'reserved', JSON.stringify(answer));
    const reference = String(answer.body.reference);
    const charge = () => stripe.call('/charges', { ...body, reference }, key);
    const inquire = async () => (await stripe.call('/inquire', { reference, at: at() })).body;
    return { key, body, reference, charge, inquire };
  }
  async function submitted(body = bodyOf()) {
    const payment = await reserved(body);
    const { status, body: answer } = await payment.charge();
    assert.deepEqual([status, answer.outcome], [200, 'submitted'], JSON.stringify(answer));
    return payment;
  }
  const { becs } = { becs: () => stripe.rig.becs };
  const times = (reference: string) => becs().debited.get(reference) ?? 0;

  afterEach('Stripe’s own document takes every request', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });

  it('is handed over once by twenty calls at once, and has a day of its result', async () => {
    const payment = await reserved();
    assert.equal((await payment.inquire()).outcome, 'not_charged');
    const answers = await Promise.all(Array.from({ length: 20 }, payment.charge));
    const told = answers.filter(({ body }) => body.outcome !== undefined);
    assert.ok(told.length > 0 && told.every(({ body }) => body.outcome === 'submitted'));
    assert.equal(times(payment.reference), 1);
    const { outcome, expected_at: expected } = await payment.inquire();
    assert.equal(outcome, 'submitted');
    const days = (Date.parse(String(expected)) - Date.now()) / dayMs;
    assert.ok(days > 2 && days <= 5, String(expected));
  });

  it('is given back in part once it was collected: pending until the bank has paid it, once, and never more than there was', async () => {
    const payment = await submitted();
    const refund = (key: string, amount: number, path = '/refunds') => {
      const of = { payment_intent_id: 'pi_1', charge_reference: payment.reference, currency: 'AUD' };
      return stripe.call(path, { ...of, amount }, key);
    };
    const early = await refund(`re_early${last}`, 400);
    assert.deepEqual([early.status, early.body.outcome], [422, 'rejected'], 'nothing was collected');
    becs().collect(payment.reference);
    assert.equal((await payment.inquire()).outcome, 'succeeded');
    const key = `re_part${last}`;
    const told = await Promise.all([1, 2, 3].map(() => refund(key, 400)));
    assert.ok(told.every(({ body }) => body.outcome === 'pending' || body.outcome === undefined));
    assert.equal((await refund(key, 400, '/refunds/inquire')).body.outcome, 'pending');
    assert.equal((await refund(`re_more${last}`, 700)).body.outcome, 'rejected');
    const { cursor } = (await stripe.call('/movements', { after: null })).body;
    becs().endRefunds(payment.reference, 'succeeded');
    assert.equal((await refund(key, 400, '/refunds/inquire')).body.outcome, 'succeeded');
    assert.equal((await refund(key, 400)).body.outcome, 'succeeded');
    const { movements } = (await stripe.call('/movements', { after: cursor })).body;
    const ofRefund = (movements as Record<string, unknown>[]).filter(({ idempotency_key: of }) => of === key);
    assert.deepEqual(ofRefund.map(({ kind, amount }) => [kind, amount]).sort(), [
      ['refund', 400],
      ['settlement', -400],
    ]);
  });

  it('that is sent back by the bank was not given back, and what is left can be', async () => {
    const payment = await submitted();
    becs().collect(payment.reference);
    const of = { payment_intent_id: 'pi_1', charge_reference: payment.reference, currency: 'AUD', amount: 1018 };
    const key = `re_back${last}`;
    assert.equal((await stripe.call('/refunds', of, key)).body.outcome, 'pending');
    becs().endRefunds(payment.reference, 'failed');
    assert.equal((await stripe.call('/refunds/inquire', of, key)).body.outcome, 'failed');
    assert.equal((await stripe.call('/refunds', of, key)).body.outcome, 'failed');
    assert.equal((await stripe.call('/refunds', of, `${key}2`)).body.outcome, 'pending');
  });

  it('is never rejected because others reserve the same at the same time', async () => {
    for (let nth = 0; nth < 5; nth++) {
      const [body, key] = [bodyOf(), `att_together${++last}x${Date.now()}`];
      const answers = await Promise.all(Array.from({ length: 10 }, () => stripe.call('/prepare', body, key)));
      const told = answers.flatMap(({ body: { outcome, reference } }) =>
        outcome === undefined ? [] : [[outcome, reference]],
      );
      assert.deepEqual([...new Set(told.map(String))].length, 1, JSON.stringify(told));
      assert.equal(told[0]?.[0], 'reserved');
    }
  });

  it('is in the list when its answer is sent, once, also when it is collected later', async () => {
    const { cursor } = (await stripe.call('/movements', { after: null })).body;
    const { key, reference } = await submitted();
    becs().collect(reference);
    const { movements } = (await stripe.call('/movements', { after: cursor })).body;
    const found = (movements as { kind: string; idempotency_key: string; amount: number }[]).filter(
      (each) => each.idempotency_key === key,
    );
    assert.deepEqual(
      found.map(({ kind, amount }) => [kind, amount]),
      [
        ['charge', 1018],
        ['settlement', 1018],
      ],
    );
  });

  it('tells whether its mandate is in force, and nothing of one that Stripe has not seen', async () => {
    const body = bodyOf();
    const { mandate_reference } = body.debit as { mandate_reference: string };
    const asked = () => stripe.call('/mandates/inquire', { mandate_reference });
    assert.deepEqual([(await asked()).status, (await asked()).body.outcome], [404, undefined]);
    const { reference } = await submitted(body);
    const { body: active } = await asked();
    assert.deepEqual([active.mandate_reference, active.outcome], [mandate_reference, 'active']);
    becs().endMandate(reference);
    assert.equal((await asked()).body.outcome, 'ended');
  });

  it('makes a Stripe method of an account once, and keeps no number', async () => {
    const body = bodyOf();
    const before = stripe.rig.faults.calls.filter((call) => call === 'POST /v1/payment_methods').length;
    // Of several at once, those that Stripe is busy with have no outcome, and ask again.
    const keys = Array.from({ length: 3 }, () => `att_debit${++last}x${Date.now()}`);
    await Promise.all(keys.map((key) => stripe.call('/prepare', body, key)));
    for (const key of keys) await reserved(body, key);
    await submitted(body);
    const made = stripe.rig.faults.calls.filter((call) => call === 'POST /v1/payment_methods').length - before;
    assert.ok(made >= 1 && made <= 3, `${made}`);
    const rows = await stripe.sql<{ token: string }[]>`
      select token from processor_stripe.bank_methods where payment_method = ${(body.payment_method as { id: string }).id}`;
    assert.equal(rows.length, 1);
    const [all] = await stripe.sql<{ text: string }[]>`
      select string_agg(t::text, ' ') as text from (
        select to_jsonb(r) as t from processor_stripe.reservations r
        union all select to_jsonb(m) from processor_stripe.bank_methods m
        union all select to_jsonb(m) from processor_stripe.methods m
      ) x`;
    assert.ok(!all?.text.includes(number));
  });

  it('gives Stripe the evidence of a mandate with its first debit, and names that mandate with later ones', async () => {
    const body = bodyOf();
    await submitted(body);
    await submitted(body);
    const [first, second] = becs()
      .confirmed.slice(-2)
      .map((form) => Object.fromEntries(form));
    assert.equal(first?.['mandate_data[customer_acceptance][type]'], 'online');
    assert.equal(first?.['mandate_data[customer_acceptance][online][ip_address]'], '203.0.113.7');
    assert.equal(
      first?.['mandate_data[customer_acceptance][accepted_at]'],
      String(Date.parse('2026-11-20T03:11:42Z') / 1000),
    );
    assert.equal(first?.mandate, undefined);
    assert.match(second?.mandate ?? '', /^mandate_/);
    assert.equal(second?.['mandate_data[customer_acceptance][type]'], undefined);
    await submitted({ ...body, debit: debit('DDR-another', { type: 'paper', ip_address: null, user_agent: null }) });
    const third = Object.fromEntries(becs().confirmed.at(-1) ?? []);
    assert.deepEqual([third['mandate_data[customer_acceptance][type]'], third.mandate], ['offline', undefined]);
  });

  it('takes a method that the biller has made at Stripe, as a token', async () => {
    const first = bodyOf();
    await submitted(first);
    const [row] = await stripe.sql<{ token: string }[]>`
      select token from processor_stripe.bank_methods where payment_method = ${(first.payment_method as { id: string }).id}`;
    const method = { id: 'pm_token', type: 'au_becs_debit', token: row?.token };
    assert.equal(times((await submitted(bodyOf({ payment_method: method }))).reference), 1);
  });

  it('has its result when the bank reports: collected, which is asked for anew each time, or refused for good', async () => {
    const good = await submitted();
    becs().collect(good.reference);
    for (let nth = 0; nth < 2; nth += 1) assert.equal((await good.inquire()).outcome, 'succeeded');
    assert.equal((await good.charge()).body.outcome, 'succeeded');
    const bad = await submitted();
    becs().refuse(bad.reference, 'account_closed');
    for (let nth = 0; nth < 2; nth += 1) {
      const { outcome, code, processor_code: own } = await bad.inquire();
      assert.deepEqual([outcome, code, own], ['failed', 'account_closed', 'account_closed']);
    }
    assert.deepEqual([(await bad.charge()).status, times(bad.reference)], [402, 1]);
  });

  it('is returned when it is disputed, or fails after it was collected, and stays so', async () => {
    const disputed = await submitted();
    becs().collect(disputed.reference);
    await disputed.inquire();
    becs().dispute(disputed.reference, 'debit_not_authorized');
    const first = await disputed.inquire();
    assert.deepEqual([first.outcome, first.code], ['returned', 'debit_disputed']);
    assert.ok(Math.abs(Date.parse(String(first.returned_at)) - Date.now()) < 60_000);
    assert.deepEqual(await disputed.inquire(), first);
    const late = await submitted();
    becs().collect(late.reference);
    assert.equal((await late.inquire()).outcome, 'succeeded');
    becs().refuse(late.reference, 'refer_to_customer');
    const returned = await late.inquire();
    assert.deepEqual([returned.outcome, returned.code], ['returned', 'insufficient_funds']);
    assert.deepEqual(await late.inquire(), returned);
    assert.equal((await late.charge()).body.outcome, undefined, 'a charge has no such outcome');
    assert.equal(times(late.reference), 1);
  });

  it('whose answer is lost is found as submitted, and not handed over again', async () => {
    const payment = await reserved();
    stripe.rig.faults.plan(/^POST .*\/confirm/, { kind: 'reset_answer', at: 0 });
    assert.equal((await payment.charge()).body.outcome, undefined);
    assert.equal((await payment.inquire()).outcome, 'submitted');
    assert.equal((await payment.charge()).body.outcome, 'submitted');
    assert.equal(times(payment.reference), 1);
  });

  it('is known by its reference although this database has lost it', async () => {
    const payment = await submitted();
    await stripe.sql`delete from processor_stripe.reservations where reference = ${payment.reference}`;
    assert.equal((await payment.inquire()).outcome, 'submitted');
    becs().collect(payment.reference);
    assert.equal((await payment.inquire()).outcome, 'succeeded');
  });

  it('that is canceled before it is handed over never goes to the bank', async () => {
    const payment = await reserved();
    const { body } = await stripe.call('/cancel', { reference: payment.reference });
    assert.equal(body.outcome, 'canceled');
    assert.deepEqual([(await payment.charge()).body.outcome, times(payment.reference)], ['rejected', 0]);
    const gone = await submitted();
    assert.equal((await stripe.call('/cancel', { reference: gone.reference })).body.outcome, 'submitted');
  });

  for (const [what, over] of [
    ['without a mandate', { debit: undefined }],
    ['in another currency', { currency: 'NZD' }],
    ['without an account', { payment_method: { id: 'pm_1', type: 'au_becs_debit', token: null } }],
    ['with the token of something else', { payment_method: { id: 'pm_1', type: 'au_becs_debit', token: '../x' } }],
    ['by another kind', { payment_method: { id: 'pm_1', type: 'pay_id', token: 'pm_x' } }],
  ] as const) {
    it(`is rejected ${what}`, async () => {
      const answer = await stripe.call('/prepare', bodyOf(over), `att_rejected${++last}`);
      assert.deepEqual([answer.status, answer.body.outcome], [422, 'rejected'], JSON.stringify(answer));
    });
  }

  for (const [stripes, ours] of [
    ['insufficient_funds', 'insufficient_funds'],
    ['refer_to_customer', 'insufficient_funds'],
    ['account_closed', 'account_closed'],
    ['no_account', 'account_invalid'],
    ['account_invalid', 'account_invalid'],
    ['account_number_invalid', 'account_invalid'],
    ['routing_number_invalid', 'account_invalid'],
    ['bank_account_unusable', 'account_invalid'],
    ['bank_account_restricted', 'payment_stopped'],
    ['debit_not_authorized', 'payment_stopped'],
    ['payment_method_customer_decline', 'payment_stopped'],
    ['processing_error', 'gateway_timeout'],
    ['payment_method_provider_timeout', 'gateway_timeout'],
    ['something_new', 'processor_rejected'],
    ['constructor', 'processor_rejected'],
    [null, 'processor_rejected'],
  ] as const) {
    it(`that fails with ${stripes} fails with ${ours}`, () => assert.equal(codeOfDebit(stripes), ours));
  }

  for (const [reason, ours] of [
    ['insufficient_funds', 'insufficient_funds'],
    ['incorrect_account_details', 'account_invalid'],
    ['debit_not_authorized', 'debit_disputed'],
    ['something_new', 'debit_disputed'],
  ] as const) {
    it(`that is disputed for ${reason} is returned with ${ours}`, () => assert.equal(codeOfDispute(reason), ours));
  }

  it('has its result some weekdays after it was charged, in the morning of Sydney', () => {
    for (const [charged, expected] of [
      ['2026-11-23T05:00:00Z', '2026-11-26T00:00:00.000Z'],
      ['2026-11-26T05:00:00Z', '2026-12-01T00:00:00.000Z'],
      ['2026-11-28T05:00:00Z', '2026-12-02T00:00:00.000Z'],
    ] as const) {
      assert.equal(expectedAt(new Date(charged)).toISOString(), expected);
    }
  });
});
