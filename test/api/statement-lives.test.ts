import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebits } from '../support/debits.ts';
import { useSubscriber } from '../support/subscriber.ts';

interface Line {
  date: string;
  type: string;
  amount: number;
  owed: number;
}

describe('a statement', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debits = useDebits(stage);
  const statement = async (customer: string, query = '') => {
    const { status, body } = await stage.request('GET', `/customers/${customer}/statement${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    for (const sums of body.totals) {
      const { owed_before: before, charged, waived, collected, returned, owed } = sums;
      assert.equal(owed, before + charged - waived - collected + returned);
    }
    return body;
  };
  const lines = async (customer: string) =>
    (await statement(customer)).data.map(({ date, type, amount, owed }: Line) => `${date} ${type} ${amount} ${owed}`);
  const weekly = (outcomes: string) =>
    subscriber.started({
      frequency_type: 'weekly',
      items: [{ name: 'Class', unit_amount_cents: 1000 }],
      metadata: { _sandbox_outcome_by_period: outcomes },
    });
  const day = (n: number) => new Date(Date.UTC(2027, 0, 10 + n)).toISOString();

  it('charges of a period that was not paid what was served of it, when that is known, and the rest not', async () => {
    const id = await weekly('succeed;decline;succeed');
    await here.advance(day(20));
    const owed = (await subscriber.get(id)).owed_amount_cents;
    assert.equal((await statement(here.customer)).totals[0].owed, owed);
    await subscriber.ask(id, 'resume');
    assert.deepEqual(await lines(here.customer), [
      '2027-01-10 owed_before 0 0',
      '2027-01-10 charged 1000 1000',
      '2027-01-10 collected 1000 0',
      '2027-01-17 charged 1000 1000',
      '2027-01-24 charged -286 714',
      '2027-01-30 charged 1000 1714',
      '2027-01-30 collected 1714 0',
      '2027-01-31 owed 0 0',
    ]);
  });

  it('says what was let go by name', async () => {
    const id = await weekly('succeed;decline;succeed');
    await here.advance(day(20));
    await subscriber.ask(id, 'resume', { unpaid: 'waive' });
    const [sums] = (await statement(here.customer)).totals;
    assert.deepEqual([sums.charged, sums.waived, sums.collected, sums.owed], [2_714, 714, 2_000, 0]);
  });

  it('of a time that has passed is the same whatever happens after it', async () => {
    const id = await weekly('succeed;decline;succeed');
    await here.advance(day(20));
    const past = await statement(here.customer, '?from=2027-01-10&to=2027-01-28');
    await subscriber.ask(id, 'resume', { unpaid: 'waive' });
    await subscriber.ask(id, 'cancel', { at: 'now' });
    assert.deepEqual(await statement(here.customer, '?from=2027-01-10&to=2027-01-28'), past);
  });

  it('whose one end is given has its other end where that fits: it is empty before the customer and after today', async () => {
    await weekly('succeed');
    for (const query of ['?to=2020-01-01', '?from=2040-01-01']) {
      const { from, to, data } = await statement(here.customer, query);
      assert.deepEqual([from, data.filter(({ type }: Line) => !type.startsWith('owed'))], [to, []], query);
    }
    assert.equal((await statement(here.customer, '?from=2040-01-01')).totals[0].owed, 0);
  });

  it('owes a debit that came back after its refund: the bank has taken what was given back already', async () => {
    const payer = await debits.payer();
    const paid = await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, '2027-03-03T00:00:00.000Z');
    const refund = await stage.request('POST', `/payment_intents/${paid.id}/refunds`, { amount: 400 });
    assert.equal(refund.body.status, 'succeeded');
    await stage.advance(payer.clock, '2027-03-10T00:00:00.000Z');
    const [sums] = (await statement(payer.customer)).totals;
    const { amount } = paid;
    assert.deepEqual(
      [sums.charged, sums.collected, sums.refunded, sums.returned, sums.owed],
      [amount, amount, 400, amount, amount],
    );
    const [row] = (await stage.request('GET', `/reports/aging?test_clock=${payer.clock}`)).body.data;
    assert.deepEqual([row.type, row.id, row.owed], ['payment_intent', paid.id, amount]);
  });

  it('charges a surcharge when it is collected, and each currency by itself', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00.000Z');
    const card = await stage.merchant.card(payer.id);
    for (const [amount, currency, surcharge_applied] of [
      [10_000, 'AUD', true],
      [5_000, 'JPY', false],
    ] as const) {
      const { id } = await stage.merchant.intent({ amount, currency, surcharge_applied, customer_id: payer.id });
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
    }
    const { totals } = await statement(payer.id);
    assert.deepEqual(
      totals.map((sums: Record<string, unknown>) => [sums.currency, sums.charged, sums.collected, sums.owed]),
      [
        ['AUD', 10_205, 10_205, 0],
        ['JPY', 5_000, 5_000, 0],
      ],
      clock.id,
    );
  });

  it('waives what a plan that is closed gives up, and charges nothing that was never due', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00.000Z');
    await stage.merchant.card(payer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-03-01' });
    await stage.collectAll(plan.id, '2027-03-01T00:00:00.000Z');
    await stage.request('POST', `/payment_plans/${plan.id}/close`);
    await stage.advance(clock.id, '2027-03-20T00:00:00.000Z');
    assert.deepEqual(await lines(payer.id), [
      '2027-03-01 owed_before 0 0',
      '2027-03-01 charged 1000 1000',
      '2027-03-01 waived 1000 0',
      '2027-03-21 owed 0 0',
    ]);
  });
});
