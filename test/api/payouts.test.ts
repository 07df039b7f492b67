import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type RealInstant, realNow } from '../../src/platform/real-time.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { takePayoutsInRealTime } from '../../src/services/ledger/payouts.ts';
import { useDebits } from '../support/debits.ts';
import { refusal, useStage } from '../support/stage.ts';

const day = 86_400_000;

describe('payouts of the sandbox', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const get = async (path: string) => {
    const reply = await stage.request('GET', path);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  /** A customer with a card on a new clock at this time, or in real time. */
  async function payer(frozenTime: string | null) {
    if (frozenTime === null) {
      const { id } = await stage.merchant.customer();
      return { clock: null, customer: id, card: await stage.merchant.card(id) };
    }
    const { clock, payer: customer } = await stage.merchant.customerOnClock(frozenTime);
    return { clock: clock.id, customer: customer.id, card: await stage.merchant.card(customer.id) };
  }
  type Payer = Awaited<ReturnType<typeof payer>>;

  async function pay({ customer, card }: Payer, amount: number, terms: object = {}): Promise<string> {
    const { id } = await stage.merchant.intent({ amount, customer_id: customer, ...terms });
    const paid = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
    assert.equal(paid.body.status, 'succeeded', paid.text);
    return id;
  }

  /** What happened to payouts on a clock, oldest first, such as `2027-03-03T00:00 payout.created 9795 AUD`. */
  async function story(clock: string | null): Promise<string[]> {
    const events = await stage.merchant.events(clock === null ? {} : { test_clock: clock });
    return events
      .filter(({ event_type: type }) => /^payout\.|succeeded|failed$/.test(type))
      .map(({ created_at: at, event_type: type, data }) => {
        const { amount, currency } = data as { amount: number; currency: string };
        return `${at.slice(0, 16)} ${type} ${amount} ${currency}`;
      });
  }

  it('pay on the second business day what a payment has left, and arrive on the next one', async () => {
    const friday = await payer('2027-03-05T10:00:00Z');
    const id = await pay(friday, 10_000);
    await stage.advance(String(friday.clock), '2027-03-12T00:00:00Z');
    assert.deepEqual(await story(friday.clock), [
      '2027-03-05T10:00 payment_intent.succeeded 10000 AUD',
      '2027-03-09T00:00 payout.created 9795 AUD',
      '2027-03-09T00:00 payout.reconciled 9795 AUD',
      '2027-03-10T00:00 payout.paid 9795 AUD',
    ]);
    const clock = `test_clock=${friday.clock}`;
    const { data } = await get(`/payouts?${clock}`);
    assert.equal(data.length, 1);
    const [payout] = data;
    assert.deepEqual(
      [payout.status, payout.amount, payout.paid_out_on, payout.arrives_on, payout.ended_at, payout.test_clock],
      ['paid', 9_795, '2027-03-09', '2027-03-10', '2027-03-10T00:00:00.000Z', friday.clock],
    );
    assert.deepEqual(await get(`/payouts/${payout.id}`), payout);
    const { data: items } = await get(`/payouts/${payout.id}/items`);
    assert.deepEqual(
      items.map((row: Record<string, unknown>) => [row.type, row.net, row.payment_intent_id, row.payout_id]),
      [['payment', 9_795, id, payout.id]],
    );
    const { data: rows } = await get(`/balance_transactions?${clock}`);
    assert.deepEqual(
      rows.map((row: Record<string, unknown>) => [
        row.type,
        row.reporting_category,
        row.net,
        row.source,
        row.payout_id,
      ]),
      [
        ['payout', 'payout', -9_795, payout.id, null],
        ['payment', 'charge', 9_795, id, payout.id],
      ],
    );
    assert.deepEqual((await get(`/balance_transactions?${clock}&payout_id=${payout.id}`)).data, items);
    assert.deepEqual((await get(`/balance?${clock}`)).data, [
      { currency: 'AUD', in_flight: 0, pending: 0, available: 0, held: 0, credit: 0 },
    ]);
    assert.deepEqual((await get('/payouts')).data, []);
  });

  it('stand in the order of the time of a clock, however it is advanced', async () => {
    const stories = [];
    for (const stepDays of [14, 7, 1]) {
      const { clock, customer, card } = await payer('2027-03-01T00:00:00Z');
      await stage.merchant.activePlan({
        customer_id: customer,
        payment_instrument_id: card,
        start_date: '2027-03-02',
        metadata: { _sandbox_outcome: 'succeed,decline,succeed' },
      });
      for (let at = Date.parse('2027-03-01'); at < Date.parse('2027-03-29'); at += stepDays * day) {
        await stage.advance(String(clock), new Date(at + stepDays * day).toISOString());
      }
      stories.push(await story(clock));
    }
    const [long = [], weekly, daily] = stories;
    assert.deepEqual(
      long,
      [...long].sort((a, b) => (a.slice(0, 16) < b.slice(0, 16) ? -1 : a.slice(0, 16) > b.slice(0, 16) ? 1 : 0)),
    );
    assert.ok(long.filter((line) => line.includes('payout.paid')).length >= 3, long.join('\n'));
    assert.deepEqual([weekly, daily], [long, long]);
  });

  it('fail as a payment says, and the next one has their items', async () => {
    const failing = await payer('2027-03-01T10:00:00Z');
    await pay(failing, 10_000, { metadata: { _sandbox_payout: 'fail,fail,paid' } });
    await stage.advance(String(failing.clock), '2027-03-10T00:00:00Z');
    assert.deepEqual(await story(failing.clock), [
      '2027-03-01T10:00 payment_intent.succeeded 10000 AUD',
      '2027-03-03T00:00 payout.created 9795 AUD',
      '2027-03-03T00:00 payout.reconciled 9795 AUD',
      '2027-03-04T00:00 payout.failed 9795 AUD',
      '2027-03-04T00:00 payout.created 9795 AUD',
      '2027-03-04T00:00 payout.reconciled 9795 AUD',
      '2027-03-05T00:00 payout.failed 9795 AUD',
      '2027-03-05T00:00 payout.created 9795 AUD',
      '2027-03-05T00:00 payout.reconciled 9795 AUD',
      '2027-03-08T00:00 payout.paid 9795 AUD',
    ]);
    const { data } = await get(`/payouts?test_clock=${failing.clock}`);
    const [paid, ...failed] = data;
    for (const { id, failure_code: code } of failed) {
      assert.equal(code, 'declined');
      const [item] = (await get(`/payouts/${id}/items`)).data;
      assert.equal(item.payout_id, paid.id);
    }
    const { data: rows } = await get(`/balance_transactions?test_clock=${failing.clock}`);
    const net = rows.reduce((sum: number, row: { net: number }) => sum + row.net, 0);
    assert.equal(net, 0);
    refusal(
      await stage.request('POST', '/payment_intents', {
        amount: 100,
        currency: 'AUD',
        metadata: { _sandbox_payout: 'late' },
      }),
      400,
    );
  });

  it('wait while more has left than was collected, each currency by itself', async () => {
    const here = await payer('2027-03-01T10:00:00Z');
    const id = await pay(here, 10_000);
    await pay(here, 5_000, { currency: 'JPY' });
    await stage.advance(String(here.clock), '2027-03-04T10:00:00Z');
    // Paid out on Wednesday, refunded on Thursday: the next payment has to make up for it.
    assert.equal((await stage.request('POST', `/payment_intents/${id}/refunds`, {})).body.status, 'succeeded');
    await pay(here, 6_000);
    await stage.advance(String(here.clock), '2027-03-12T10:00:00Z');
    await pay(here, 6_000);
    await stage.advance(String(here.clock), '2027-03-19T10:00:00Z');
    const made = (await story(here.clock)).filter((line) => line.includes('payout.created'));
    assert.deepEqual(made, [
      '2027-03-03T00:00 payout.created 9795 AUD',
      '2027-03-03T00:00 payout.created 4882 JPY',
      `2027-03-16T00:00 payout.created ${2 * 5_865 - 10_000} AUD`,
    ]);
  });

  it('are foretold by a dry run as the advance makes them', async () => {
    const here = await payer('2027-03-01T10:00:00Z');
    await pay(here, 10_000, { metadata: { _sandbox_payout: 'fail,paid' } });
    await stage.merchant.activePlan({
      customer_id: here.customer,
      payment_instrument_id: here.card,
      start_date: '2027-03-02',
    });
    const target = '2027-03-15T10:00:00.000Z';
    const path = `/test_helpers/test_clocks/${here.clock}`;
    const dry = await stage.request('POST', `${path}/advance`, { frozen_time: target, dry_run: true });
    assert.equal(dry.status, 200, dry.text);
    const known = (effect: Record<string, unknown>) => [effect.at, effect.event_type, effect.changes];
    await stage.advance(String(here.clock), target);
    const { data } = await get(`${path}/effects?limit=100`);
    assert.ok(data.some((effect: { object: string }) => effect.object === 'payout'));
    assert.deepEqual(dry.body.effects.map(known), data.map(known));
  });

  it('are made in real time once, by any number of workers, and again after a failure', async () => {
    const here = await payer(null);
    await pay(here, 10_000, { metadata: { _sandbox_payout: 'fail,paid' } });
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const later = (days: number) => new Date(realNow().getTime() + days * day) as RealInstant;
    await takePayoutsInRealTime(stage.db.sql, later(0));
    assert.deepEqual((await get('/payouts')).data, []);
    await Promise.all([0, 1, 2].map(() => takePayoutsInRealTime(stage.db.sql, later(7))));
    assert.deepEqual(
      (await get('/payouts')).data.map(({ status, amount }: { status: string; amount: number }) => [status, amount]),
      [['in_transit', 9_795]],
    );
    await Promise.all([0, 1, 2].map(() => takePayoutsInRealTime(stage.db.sql, later(14))));
    await Promise.all([0, 1, 2].map(() => takePayoutsInRealTime(stage.db.sql, later(21))));
    assert.deepEqual(
      (await get('/payouts')).data.map(({ status }: { status: string }) => status),
      ['paid', 'failed'],
    );
  });

  it('go with their clock, and no others', async () => {
    const [kept, gone] = [await payer('2027-03-01T10:00:00Z'), await payer('2027-03-01T10:00:00Z')];
    for (const one of [kept, gone]) {
      await pay(one, 10_000);
      await stage.advance(String(one.clock), '2027-03-05T00:00:00Z');
    }
    assert.equal((await stage.request('DELETE', `/test_helpers/test_clocks/${gone.clock}`)).status, 200);
    const left = await stage.db.sql`select test_clock_id from payouts where biller_id = ${stage.keys.biller.id}`;
    assert.deepEqual([...left], [{ test_clock_id: kept.clock }]);
  });

  it('pay a debit after it has settled', async () => {
    const debtor = await debits.payer();
    await debits.debit(debtor, 'settled', { amount: 10_000 });
    await stage.advance(debtor.clock, '2027-03-10T00:00:00Z');
    assert.deepEqual(
      (await story(debtor.clock)).map((line) => line.split(' ').slice(0, 2).join(' ')),
      [
        '2027-03-02T22:00 payment_intent.succeeded',
        '2027-03-04T00:00 payout.created',
        '2027-03-04T00:00 payout.reconciled',
        '2027-03-05T00:00 payout.paid',
      ],
    );
  });
});
