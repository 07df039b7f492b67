import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';

describe('the statement of a customer', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  /** What the books have of a customer. */
  async function ledgerOf(customer: string) {
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const [row] = await stage.db.sql`
      select coalesce(sum(e.amount) filter (where t.kind = 'payment' and e.account in ('processor', 'fees')), 0)::integer
          as collected,
        coalesce(sum(0 - e.amount) filter (where t.kind = 'refund' and e.account = 'processor'), 0)::integer as refunded,
        coalesce(sum(0 - e.amount) filter (where t.kind = 'return' and e.account = 'processor'), 0)::integer as returned
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
      where t.customer_id = ${customer}`;
    return { collected: row?.collected, refunded: row?.refunded, returned: row?.returned };
  }

  it('comes out to the cent over a year of two plans by debit, with a dishonour, a refund and a late return', async () => {
    const payer = await debits.payer('2027-01-04T00:00:00.000Z');
    const plan = (name: string, recurring_amount_cents: number, outcomes?: string) =>
      debits.plan(payer, outcomes, {
        name,
        frequency_type: 'monthly',
        recurring_amount_cents,
        start_date: '2027-01-04',
        until_further_notice: true,
      });
    const swimming = await plan('Swimming', 12_000);
    await plan('Music', 4_550, 'dishonoured,settled');
    const sum = async (from: string, to: string) => {
      const { status, body } = await stage.request(
        'GET',
        `/customers/${payer.customer}/statement?from=${from}&to=${to}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    for (const to of [
      '2027-02-20',
      '2027-04-10',
      '2027-06-01',
      '2027-07-20',
      '2027-09-10',
      '2027-11-01',
      '2027-12-20',
      '2028-01-02',
    ]) {
      await stage.advance(payer.clock, `${to}T00:00:00.000Z`);
      if (to === '2027-02-20') {
        const [first] = (await stage.merchant.payments(swimming.id)).filter(({ status }) => status === 'paid');
        const id = first?.payment_intent_id ?? '';
        assert.equal(
          (await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 2_500 })).body.status,
          'succeeded',
        );
      }
      if (to === '2027-06-01') {
        const paid = (await stage.merchant.payments(swimming.id)).filter(({ status }) => status === 'paid');
        const id = paid.at(-1)?.payment_intent_id ?? '';
        const back = await stage.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, {
          result: 'returned',
        });
        assert.equal(back.status, 200, JSON.stringify(back.body));
      }
    }
    const whole = await sum('2027-01-01', '2028-01-02');
    const year = {
      owed_before: 0,
      charged: 12 * 16_550,
      waived: 0,
      refunded: 2_500,
      returned: 12_000,
      owed: 0,
      tax: 0,
      credit: 0,
    };
    assert.deepEqual(whole.totals, [{ currency: 'AUD', ...year, collected: 12 * 16_550 + 12_000 }]);
    assert.deepEqual(await ledgerOf(payer.customer), {
      collected: 12 * 16_550 + 12_000,
      refunded: 2_500,
      returned: 12_000,
    });
    assert.deepEqual((await stage.request('GET', `/customers/${payer.customer}/statement`)).body.totals, whole.totals);
    const february = await sum('2027-02-01', '2027-03-01');
    assert.deepEqual(february.data.map(line), [
      '2027-02-01 owed_before 0 0',
      '2027-02-04 charged 12000 12000',
      '2027-02-04 charged 4550 16550',
      '2027-02-07 collected 12000 4550',
      '2027-02-10 collected 4550 0',
      '2027-02-20 refunded 2500 0',
      '2027-03-01 owed 0 0',
    ]);
    assert.deepEqual((await sum('2027-06-01', '2027-06-05')).data.map(line), [
      '2027-06-01 owed_before 0 0',
      '2027-06-01 returned 12000 12000',
      '2027-06-03 collected 12000 0',
      '2027-06-04 charged 12000 12000',
      '2027-06-04 charged 4550 16550',
      '2027-06-05 owed 16550 16550',
    ]);
    // The months follow each other without a gap.
    let owed = 0;
    for (let month = 1; month <= 12; month++) {
      const [from, to] = [month, month + 1].map((m) => new Date(Date.UTC(2027, m - 1, 1)).toISOString().slice(0, 10));
      const [{ owed_before: before, owed: after }] = (await sum(from ?? '', to ?? '')).totals;
      assert.equal(before, owed);
      owed = after;
    }
  });
});

const line = ({ date, type, amount, owed }: { date: string; type: string; amount: number; owed: number }) =>
  `${date} ${type} ${amount} ${owed}`;
