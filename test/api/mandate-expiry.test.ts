import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { millisecondsPerDay } from '../../src/domain/calendar.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { expireMandates } from '../../src/services/mandates/mandate-ends.ts';
import { useDebtor } from '../support/debtor.ts';
import { refusal, useStage } from '../support/stage.ts';

const frozen = '2027-01-29T00:00:00.000Z';
/** The start of 29 April 2028 in Sydney: 15 months after the day of the activation there. */
const lapse = '2028-04-28T14:00:00.000Z';
const justBefore = '2028-04-28T13:59:59.999Z';

describe('a mandate on a test clock', () => {
  const stage = useStage({ isAlone: true });
  const here = useDebtor(stage);

  async function debtorOnClock() {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const mandate = await here.active({ payment_method_id: await here.account(payer.id) });
    return { clock: clock.id, payer: payer.id, mandate };
  }

  /** Advances by at most 62 days at a time. */
  async function advanceTo(clock: string, target: string): Promise<void> {
    const { frozen_time, max_frozen_time } = await stage.merchant.getClock(clock);
    if (frozen_time === target) return;
    await stage.advance(clock, String(max_frozen_time) < target ? String(max_frozen_time) : target);
    await advanceTo(clock, target);
  }

  it('expires 15 months after its activation, at the start of the day in Sydney, with its event', async () => {
    const { clock, mandate } = await debtorOnClock();
    await advanceTo(clock, justBefore);
    assert.equal((await here.get(mandate.id)).status, 'active');
    await advanceTo(clock, '2028-05-10T00:00:00.000Z');
    const { status, status_reason, ended_at, updated_at, next_possible_charge_date } = await here.get(mandate.id);
    assert.deepEqual(
      [status, status_reason, ended_at, updated_at, next_possible_charge_date],
      ['expired', 'unused', lapse, lapse, null],
    );
    const [event, ...more] = await stage.merchant.events({ event_type: 'mandate.expired' });
    assert.deepEqual(
      [event?.created_at, event?.test_clock, event?.data, more],
      [lapse, clock, await here.get(mandate.id), []],
    );
  });

  it('is listed among the effects of the advance, and foreseen by a dry run, in the order of the clock’s time', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    await advanceTo(clock, '2028-04-25T00:00:00.000Z');
    // Another account pays before and after the lapse.
    const method = await stage.merchant.card(payer);
    const plan = { customer_id: payer, start_date: '2028-04-28', payment_instrument_id: method };
    await stage.merchant.activePlan(plan);
    const frozen_time = '2028-05-06T00:00:00Z';
    const path = `/test_helpers/test_clocks/${clock}`;
    const { body: dry } = await stage.request('POST', `${path}/advance`, { frozen_time, dry_run: true });
    await stage.advance(clock, frozen_time);
    const { body: done } = await stage.request('GET', `${path}/effects?limit=100`);
    const lines = ({ at, event_type, object, object_id }: Record<string, string>) => [
      at,
      event_type,
      object === 'mandate' ? object_id : object,
    ];
    const expected = [
      ['2028-04-28T00:00:00.000Z', 'payment_intent.succeeded', 'payment_intent'],
      [lapse, 'mandate.expired', mandate.id],
      ['2028-05-02T00:00:00.000Z', 'payout.created', 'payout'],
      ['2028-05-02T00:00:00.000Z', 'payout.reconciled', 'payout'],
      ['2028-05-03T00:00:00.000Z', 'payout.paid', 'payout'],
      ['2028-05-05T00:00:00.000Z', 'payment_intent.succeeded', 'payment_intent'],
    ];
    assert.deepEqual(dry.effects.map(lines), expected);
    assert.deepEqual(done.data.map(lines), expected);
    const [, effect] = done.data;
    assert.deepEqual(effect.changes, { status: 'expired', status_reason: 'unused', ended_at: lapse });
    assert.deepEqual(dry.effects_manifest, (await stage.merchant.manifests(clock)).at(-1));
  });

  it('is not debited from the lapse on, although the advance ends it only when all payments are made', async () => {
    const { clock, payer } = await debtorOnClock();
    await advanceTo(clock, '2028-04-20T00:00:00.000Z');
    const plan = await stage.merchant.activePlan({ customer_id: payer, start_date: '2028-04-29' });
    await stage.advance(clock, '2028-04-30T00:00:00Z');
    const [payment] = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      payment?.attempts.map(({ code }) => code),
      ['mandate_unavailable'],
    );
  });

  it('allows no debit after the last cut-off before its lapse, at no door, and says so before', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    const account = mandate.payment_method_id;
    await advanceTo(clock, '2028-04-28T05:59:59.999Z');
    assert.equal((await here.get(mandate.id)).next_possible_charge_date, '2028-04-28');
    await advanceTo(clock, '2028-04-28T06:00:00.000Z');
    const { status, next_possible_charge_date } = await here.get(mandate.id);
    assert.deepEqual([status, next_possible_charge_date], ['active', null]);
    const intent = { amount: 1000, currency: 'AUD', customer_id: payer, payment_method: account };
    const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
    const terms = { customer_id: payer, name: 'Membership', currency: 'AUD', payment_instrument_id: account };
    const subscription = await stage.request('POST', '/subscriptions', {
      ...{ ...terms, frequency_type: 'monthly', items },
    });
    for (const reply of [
      await here.charge(account),
      await stage.request('POST', '/payment_intents', { ...intent, confirm: true }),
      await stage.request('POST', `/subscriptions/${subscription.body.id}/start`),
    ]) {
      refusal(reply, 422, 'mandate_unavailable');
    }
    const plan = await stage.merchant.activePlan({ customer_id: payer, start_date: '2028-04-28' });
    await stage.collectAll(plan.id, '2028-04-28T06:00:00.000Z');
    const scheduled = await stage.merchant.intent({
      ...{ customer_id: payer, payment_method: account },
      scheduled_payment_date: '2028-04-28',
    });
    await stage.collectScheduled(scheduled.id, '2028-04-28T06:00:00.000Z');
    for (const id of [(await stage.merchant.payments(plan.id))[0]?.payment_intent_id, scheduled.id]) {
      assert.equal((await stage.merchant.getIntent(id ?? '')).last_payment_error?.code, 'mandate_unavailable');
    }
    assert.equal((await stage.db.sql`select from bank_debits where mandate_id = ${mandate.id}`).length, 0);
  });

  it('lives on if it is debited before: 15 months from then on', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    await advanceTo(clock, '2028-04-20T00:00:00.000Z');
    await stage.merchant.activePlan({
      customer_id: payer,
      start_date: '2028-04-28',
      total_amount_cents: 1000,
      until_further_notice: false,
    });
    await stage.advance(clock, '2028-04-30T00:00:00Z');
    assert.equal((await here.get(mandate.id)).status, 'active');
    assert.equal((await here.get(mandate.id)).last_debited_at, '2028-04-28T06:00:00.000Z');
    await advanceTo(clock, '2029-07-29T00:00:00.000Z');
    assert.equal((await here.get(mandate.id)).ended_at, '2029-07-27T14:00:00.000Z');
  });

  it('that is pending or canceled does not expire', async () => {
    const { clock, payer, mandate } = await debtorOnClock();
    await here.cancel(mandate.id);
    const pending = await here.pending({ payment_method_id: await here.account(payer) });
    await advanceTo(clock, '2028-05-10T00:00:00.000Z');
    assert.deepEqual(
      [(await here.get(mandate.id)).status, (await here.get(pending.id)).status],
      ['canceled', 'pending'],
    );
    assert.deepEqual(await stage.merchant.events({ event_type: 'mandate.expired' }), []);
  });
});

describe('a mandate in real time', () => {
  const stage = useStage({ isAlone: true });
  const here = useDebtor(stage);
  const inMonths = (months: number) => addMs(realNow(), months * 30.5 * millisecondsPerDay);

  it('expires by housekeeping once 15 months have passed, and once only, whichever process looks', async () => {
    const [first, second] = [await here.active(), await here.active()];
    const canceled = await here.active();
    await here.cancel(canceled.id);
    await expireMandates(stage.db.sql, inMonths(14));
    assert.equal((await here.get(first.id)).status, 'active');
    const later = inMonths(16);
    await Promise.all([expireMandates(stage.db.sql, later), expireMandates(stage.db.sql, later)]);
    await expireMandates(stage.db.sql, later);
    for (const { id } of [first, second]) {
      const { status, status_reason, ended_at } = await here.get(id);
      assert.deepEqual([status, status_reason], ['expired', 'unused']);
      assert.ok(ended_at !== null && Date.parse(ended_at) < later.getTime());
    }
    const expired = await stage.merchant.events({ event_type: 'mandate.expired' });
    assert.deepEqual(expired.map(({ data }) => data.id).sort(), [first.id, second.id].sort());
  });

  it('is not touched by housekeeping on a test clock, however late it is in real time', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2001-01-05T00:00:00Z');
    const { id } = await here.active({ payment_method_id: await here.account(payer.id) });
    await expireMandates(stage.db.sql, inMonths(100));
    assert.equal((await here.get(id)).status, 'active');
    await stage.merchant.deleteClock(clock.id);
  });

  it('that cannot be ended does not keep the others from it', async () => {
    const [stuck, other] = [await here.active(), await here.active()];
    const { sql } = stage.db;
    await sql.unsafe(`create function refuse_end() returns trigger language plpgsql as
      $$ begin if new.id = '${stuck.id}' then raise 'refused'; end if; return new; end $$`);
    await sql.unsafe('create trigger refuse_end before update on mandates for each row execute function refuse_end()');
    try {
      await assert.rejects(expireMandates(sql, inMonths(16)), /1 mandates could not be ended/);
    } finally {
      await sql.unsafe('drop trigger refuse_end on mandates');
    }
    assert.deepEqual([(await here.get(stuck.id)).status, (await here.get(other.id)).status], ['active', 'expired']);
  });
});
