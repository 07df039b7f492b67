import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { chanceOf } from '../../lab/random.ts';
import { addMs, type CustomerInstant } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { takeDebitStep } from '../../src/services/debits/debit-steps.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { recoverRefunds } from '../../src/services/payments/refunds.ts';
import { readNotices } from '../../src/services/processor-notices/reading.ts';
import { sendChecked } from '../support/api.ts';
import { useDebits } from '../support/debits.ts';
import { makeBiller } from '../support/factories.ts';
import type { Merchant } from '../support/merchant.ts';
import { useNoticing } from '../support/noticing.ts';
import { stuckBySubject } from '../support/stuck.ts';

describe('notices of the live processor', function () {
  this.timeout(60_000);
  const here = useNoticing();
  const { service } = here;

  async function payment(metadata: Record<string, string> = {}) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const card = await merchant.card(payer.id);
    const { id, biller_id: account } = await merchant.intent({ customer_id: payer.id, payment_method: card, metadata });
    const send = async (path: string, body: object, key: string = crypto.randomUUID()) => {
      const url = `${service.url}/api/v1/payment_intents/${id}/${path}`;
      return sendChecked(url, 'POST', { key: merchant.key, body, headers: { 'Idempotency-Key': key } });
    };
    return {
      ...{ id, account, merchant },
      confirm: () => send('confirm', {}),
      refund: (amount: number, key?: string) => send('refunds', { amount }, key),
      status: async () => (await merchant.getIntent(id)).status,
      notice: async (kind = 'charge') => ({ kind, reference: await here.referenceOf(id), account }),
    };
  }
  /** A payment that was made, and whose outcome the service does not know. */
  async function paidUnseen() {
    const unseen = await payment({ _stand_in: 'answer_lost', _stand_in_inquire: 'reset_before' });
    assert.equal((await unseen.confirm()).status, 503);
    assert.equal(await unseen.status(), 'processing');
    return unseen;
  }
  const told = async (merchant: Merchant, id: string) =>
    (await merchant.events()).filter(({ data }) => data.id === id).map(({ event_type: type }) => type);
  const open = async () => [
    ...(await service.db.sql<{ reference: string; tries: number }[]>`select reference, tries from processor_notices`),
  ];
  const makeDue = () => service.db.sql`update processor_notices set next_try_at = clock_timestamp()`;

  afterEach('nothing is left, and every row is right', async () => {
    assert.deepEqual(await open(), []);
    assert.deepEqual(await findViolations(service.db.sql), []);
  });

  it('settle a payment at once whose answer was lost, with one event', async () => {
    const paid = await paidUnseen();
    here.notices.push(await paid.notice());
    await here.hear();
    assert.equal(await paid.status(), 'succeeded');
    assert.deepEqual(await told(paid.merchant, paid.id), ['payment_intent.succeeded']);
    assert.equal(await here.takenFor(paid.id), 1);
  });

  it('are no outcome: the processor is asked, and a payment that it has not made is not made because of a hint', async () => {
    const unmade = await payment({ _stand_in: 'reset_before', _stand_in_inquire: 'reset_before' });
    assert.equal((await unmade.confirm()).status, 503);
    here.notices.push({ ...(await unmade.notice()), outcome: 'succeeded' });
    await here.hear();
    assert.equal(await unmade.status(), 'processing');
    assert.equal(await here.takenFor(unmade.id), 0);
    await recoverCharges(service.db.sql, here.charging, addMs(await databaseNow(service.db.sql), 120_000));
    assert.deepEqual([await unmade.status(), await here.takenFor(unmade.id)], ['succeeded', 1]);
  });

  it('for a reference that nobody knows, of another biller, or of a kind that is not known do nothing', async () => {
    const [paid, other] = [await paidUnseen(), await payment()];
    const notice = await paid.notice();
    here.notices.push(
      { ...notice, reference: 'ref_unknown' },
      { ...notice, account: other.account },
      { ...notice, account: 'acct_nobody' },
      { ...notice, kind: 'dispute' },
    );
    here.calls.length = 0;
    await here.hear();
    assert.deepEqual(
      here.calls.filter((call) => !call.startsWith('/notices')),
      [],
    );
    assert.equal(await paid.status(), 'processing');
    here.notices.push(notice);
    await here.hear();
    assert.equal(await paid.status(), 'succeeded');
  });

  for (const seed of ['1', '2', '3']) {
    it(`come to the same end in any order and number (seed ${seed})`, async () => {
      const chance = chanceOf(`notices ${seed}`);
      const payments = await Promise.all(Array.from({ length: 5 }, paidUnseen));
      const hints = await Promise.all(payments.map((each) => each.notice()));
      const many = chance.shuffled([...hints, ...hints, ...hints.map((each) => ({ ...each, kind: 'refund' }))]);
      while (many.length > 0) {
        here.notices.push(...many.splice(0, chance.between(1, 4)));
        // Two workers, of which one dies after reading and before it has asked.
        await Promise.all([here.hear('one'), here.hear('other')]);
        await service.db.sql`update processor_notices_position set held_by = null, held_until = null`;
        if (chance.happens(0.3)) here.notices.push(chance.pick(hints));
      }
      await here.hear();
      await makeDue();
      await here.hear();
      for (const each of payments) {
        assert.deepEqual(await told(each.merchant, each.id), ['payment_intent.succeeded']);
        assert.equal(await here.takenFor(each.id), 1);
      }
    });
  }

  it('come with the accounts that the acquirer refuses, which operators see until it takes them again', async () => {
    const { sql } = service.db;
    const [{ id }, other] = [await makeBiller(sql), await makeBiller(sql)];
    const read = (refused: { account: string; reason: string }[] | undefined) => {
      here.refused = refused;
      here.notices.push({ kind: 'charge', reference: 'ref_nobody', account: id });
      return here.hear();
    };
    const found = async () => {
      const rows = await sql<{ biller_id: string; reason: string }[]>`
        select biller_id, reason from refused_accounts order by biller_id`;
      return rows.map(({ biller_id, reason }) => [biller_id, reason]);
    };
    const refused = { account: id, reason: 'Stripe responded 401' };
    await read([refused, refused, { account: 'acct_nobody', reason: 'x' }]);
    assert.deepEqual(await found(), [[id, refused.reason]]);
    const { account_refused: stuck } = await stuckBySubject(sql, id);
    assert.match(stuck?.why ?? '', /refuses the account of acct_\w+, or a right that it needs: Stripe responded 401/);
    assert.equal((await stuckBySubject(sql, other.id)).account_refused, undefined);
    await read(undefined);
    assert.equal((await found()).length, 1, 'a processor that does not say changes nothing');
    await read([]);
    assert.deepEqual(await found(), []);
    here.refused = undefined;
  });

  it('stay while the processor does not respond, and are asked about again', async () => {
    const paid = await paidUnseen();
    const notice = await paid.notice();
    here.answers.set(`/inquire ${notice.reference}`, null);
    here.notices.push(notice);
    await assert.rejects(here.hear(), /1 notices could not be settled/);
    assert.deepEqual(await open(), [{ reference: notice.reference, tries: 1 }]);
    await here.hear();
    assert.equal(await paid.status(), 'processing', 'the pause is not over');
    here.answers.clear();
    await makeDue();
    await here.hear();
    assert.equal(await paid.status(), 'succeeded');
  });

  it('that are heard again while the processor is asked are asked about once more', async () => {
    const paid = await paidUnseen();
    const notice = await paid.notice();
    here.notices.push(notice);
    await readNotices(service.db.sql, here.processors.live, 'the test', new AbortController().signal);
    const [before] = await service.db.sql`select heard from processor_notices`;
    here.notices.push(notice);
    await readNotices(service.db.sql, here.processors.live, 'the test', new AbortController().signal);
    const [after] = await service.db.sql`select heard from processor_notices`;
    assert.deepEqual([before?.heard, after?.heard], [1, 2]);
    await here.hear();
  });

  it('are read by one process at a time, and by another at once when it ends, or soon when it dies', async () => {
    const read = (by: string) => readNotices(service.db.sql, here.processors.live, by, new AbortController().signal);
    assert.equal(await read('the test'), 0);
    assert.equal(await read('another'), null);
    await service.db.sql`update processor_notices_position set held_until = clock_timestamp() - interval '1 second'`;
    assert.equal(await read('another'), 0);
    assert.equal(await read('the test'), null);
    await service.db.sql`update processor_notices_position set held_by = null, held_until = null`;
  });

  it('settle a refund that the processor has taken and not decided: it stays open, counts as given, and is not asked for in a storm', async () => {
    const paid = await payment();
    assert.equal((await paid.confirm()).body.status, 'succeeded');
    here.answers.set('/refunds', { outcome: 'pending' });
    here.answers.set('/refunds/inquire', { outcome: 'pending' });
    const key = crypto.randomUUID();
    const pending = await paid.refund(500, key);
    assert.deepEqual([pending.status, pending.body.status], [201, 'processing'], pending.text);
    assert.deepEqual((await paid.refund(500, key)).body, pending.body);
    assert.equal((await paid.refund(600)).status, 400, 'what is pending is not given back twice');
    here.calls.length = 0;
    const later = addMs(await databaseNow(service.db.sql), 120_000);
    await recoverRefunds(service.db.sql, here.processors, later);
    assert.deepEqual(here.calls, []);
    assert.equal((await stuckBySubject(service.db.sql, null)).refund_processing, undefined);
    here.notices.push(await paid.notice('refund'));
    await here.hear();
    assert.deepEqual(here.calls.at(-1), `/refunds/inquire ${pending.body.id}`);
    here.answers.clear();
    here.notices.push(await paid.notice('refund'), await paid.notice('refund'));
    await here.hear();
    const refund = await paid.merchant.client.refunds.get(String(pending.body.id));
    assert.equal(refund.status, 'succeeded');
    assert.equal((await paid.merchant.getIntent(paid.id)).total_refunded_amount, 500);
    assert.deepEqual(await told(paid.merchant, refund.id), ['refund.succeeded']);
  });

  it('settle a refund that fails days later: what was to be given back remains', async () => {
    const paid = await payment();
    await paid.confirm();
    here.answers.set('/refunds', { outcome: 'pending' });
    const { body } = await paid.refund(500);
    here.answers.set(`/refunds/inquire ${body.id}`, { outcome: 'failed' });
    here.notices.push(await paid.notice('refund'));
    await here.hear();
    assert.deepEqual(await told(paid.merchant, String(body.id)), ['refund.failed']);
    here.answers.clear();
    const { total_amount: total } = await paid.merchant.getIntent(paid.id);
    assert.equal((await paid.refund(total)).body.status, 'succeeded');
  });

  /** A debit that the bank has. */
  async function submittedDebit() {
    const merchant = await service.liveMerchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    const { id: mandate } = await debits.active({ payment_method_id: account });
    const intent = await debits.debit({ customer, account }, 'settled');
    // Its cut-off is now: a bank reports on nothing that it does not have.
    const [row] = await service.db.sql<{ attempt_id: string; next_at: CustomerInstant }[]>`
      update bank_debits set hand_over_at = clock_timestamp(), next_at = clock_timestamp(),
        charge_date = (clock_timestamp() at time zone 'Australia/Sydney')::date
      where payment_intent_id = ${intent.id}
      returning attempt_id, next_at`;
    assert.ok(row);
    const step = { at: row.next_at, now: realNow(), maxAheadMs: Infinity };
    await takeDebitStep(service.db.sql, here.charging, row.attempt_id, step);
    const reference = await here.referenceOf(intent.id);
    return {
      ...intent,
      merchant,
      mandate,
      reference,
      notice: { kind: 'charge', reference, account: intent.biller_id },
    };
  }

  it('give a debit its result before its time, and take it back when the bank does, each once', async () => {
    const debit = await submittedDebit();
    const status = async () => (await debit.merchant.getIntent(debit.id)).status;
    here.notices.push(debit.notice);
    await here.hear();
    assert.equal(await status(), 'processing', 'the bank has not decided');
    here.answers.set(`/inquire ${debit.reference}`, { outcome: 'succeeded' });
    here.notices.push(debit.notice, debit.notice);
    await here.hear();
    assert.equal(await status(), 'succeeded');
    const returned_at = new Date().toISOString();
    here.answers.set(`/inquire ${debit.reference}`, { outcome: 'returned', code: 'debit_disputed', returned_at });
    for (let times = 0; times < 2; times += 1) {
      here.notices.push(debit.notice);
      await here.hear();
    }
    assert.equal(await status(), 'returned');
    assert.deepEqual(await told(debit.merchant, debit.id), [
      'payment_intent.processing',
      'payment_intent.succeeded',
      'payment_intent.returned',
    ]);
    assert.equal((await debit.merchant.client.mandates.get(debit.mandate)).status, 'canceled');
  });

  it('cancel a mandate that has ended at the processor, once; what the bank has of it runs on, and nothing new does', async () => {
    const debit = await submittedDebit();
    const { reference } = await debit.merchant.client.mandates.get(debit.mandate);
    const status = async () => (await debit.merchant.client.mandates.get(debit.mandate)).status;
    const notice = { kind: 'mandate', reference, account: debit.notice.account };
    const ask = `/mandates/inquire ${reference}`;
    here.answers.set(ask, { mandate_reference: reference, outcome: 'active' });
    here.notices.push(notice, { ...notice, account: 'acct_nobody' }, { ...notice, reference: 'DDR-00000000000000' });
    await here.hear();
    assert.equal(await status(), 'active', 'still in force there');
    here.answers.set(ask, null);
    here.notices.push(notice);
    await assert.rejects(here.hear(), /1 notices could not be settled/);
    assert.equal(await status(), 'active', 'not known');
    here.answers.set(ask, { mandate_reference: reference, outcome: 'ended' });
    await makeDue();
    for (let times = 0; times < 2; times += 1) {
      here.notices.push(notice);
      await here.hear();
    }
    const { status: ended, status_reason } = await debit.merchant.client.mandates.get(debit.mandate);
    assert.deepEqual([ended, status_reason], ['canceled', 'payer_canceled']);
    const types = (await debit.merchant.events()).filter(({ event_type: type }) => type === 'mandate.canceled');
    assert.equal(types.length, 1);
    here.answers.set(`/inquire ${debit.reference}`, { outcome: 'succeeded' });
    here.notices.push(debit.notice);
    await here.hear();
    assert.equal((await debit.merchant.getIntent(debit.id)).status, 'succeeded');
  });

  for (const seed of ['1', '2', '3']) {
    it(`bring a debit to the same end whenever and however often they come (seed ${seed})`, async () => {
      const chance = chanceOf(`notices of a debit ${seed}`);
      const debit = await submittedDebit();
      const returned_at = new Date().toISOString();
      const course = [{ outcome: 'succeeded' }, { outcome: 'returned', code: 'insufficient_funds', returned_at }];
      while (course.length > 0) {
        if (chance.happens(0.4)) here.answers.set(`/inquire ${debit.reference}`, course.shift() ?? null);
        if (chance.happens(0.6)) here.notices.push(...Array.from({ length: chance.between(1, 3) }, () => debit.notice));
        await Promise.all([here.hear('one'), here.hear('other')]);
        await service.db.sql`update processor_notices_position set held_by = null, held_until = null`;
      }
      here.notices.push(debit.notice);
      await here.hear();
      await here.hear();
      const events = await told(debit.merchant, debit.id);
      assert.deepEqual(events, ['payment_intent.processing', 'payment_intent.succeeded', 'payment_intent.returned']);
      assert.equal(await here.takenFor(debit.id), 1);
    });
  }

  it('tell of a debit that was dishonoured', async () => {
    const debit = await submittedDebit();
    here.answers.set(`/inquire ${debit.reference}`, { outcome: 'failed', code: 'account_closed', bank_code: '3' });
    here.notices.push(debit.notice);
    await here.hear();
    const { status, last_payment_error: error } = await debit.merchant.getIntent(debit.id);
    assert.deepEqual([status, error?.code], ['failed', 'account_closed']);
  });

  it('are not lost when the worker is killed while it asks: the next one asks, within a minute', async () => {
    const paid = await paidUnseen();
    const notice = await paid.notice();
    here.answers.set(`/inquire ${notice.reference}`, null);
    const first = await service.startWorkerProcess(here.environment);
    here.calls.length = 0;
    here.notices.push(notice);
    await eventually('the worker has asked', () => here.calls.includes(`/inquire ${notice.reference}`));
    await first.end('SIGKILL');
    here.answers.clear();
    const [kept] = await open();
    assert.equal(kept?.reference, notice.reference);
    const second = await service.startWorkerProcess(here.environment);
    await eventually('it is settled', async () => (await paid.status()) === 'succeeded', { timeoutMs: 50_000 });
    await eventually('it is done with', async () => (await open()).length === 0);
    await second.end('SIGTERM');
    assert.equal(await here.takenFor(paid.id), 1);
  }).timeout(120_000);
});
