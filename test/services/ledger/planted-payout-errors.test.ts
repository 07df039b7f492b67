import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { invariants, violationsOf } from '../../../src/operations/invariants/invariants.ts';
import { useStage } from '../../support/stage.ts';

/** Somebody with all rights changes a payout by hand. What must be named: it, or the row TXN of its item. */
const planted: Record<string, { damage: string; names: ('PAYOUT' | 'TXN')[] }> = {
  'of another amount': {
    damage: `update payouts set amount = amount + 1 where id = PAYOUT`,
    names: ['PAYOUT'],
  },
  'without an item': { damage: `delete from payout_items where payout_id = PAYOUT`, names: ['PAYOUT', 'TXN'] },
  'with an item that waits for another one': {
    damage: `insert into payable_transactions
      select t.id, t.biller_id, t.livemode, t.test_clock_id, t.currency, e.amount, now() from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id and e.account = 'processor' where t.id = TXN`,
    names: ['TXN'],
  },
  'paid, with an item that is released': {
    damage: `update payout_items set released = true where payout_id = PAYOUT`,
    names: ['PAYOUT', 'TXN'],
  },
  'of another currency': {
    damage: `update payouts set currency = 'USD' where id = PAYOUT`,
    names: ['PAYOUT'],
  },
  'failed, while its money is at the bank': {
    damage: `update payouts set status = 'failed', failure_code = 'declined' where id = PAYOUT`,
    names: ['PAYOUT'],
  },
};

describe('a payout that was changed by hand', () => {
  const stage = useStage({ isDamaged: true });

  async function makePayout(): Promise<Record<'PAYOUT' | 'TXN', string>> {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T10:00:00Z');
    const { id } = await stage.merchant.intent({ amount: 10_000, customer_id: payer.id });
    const payment_method = await stage.merchant.card(payer.id);
    await stage.merchant.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    await stage.advance(clock.id, '2027-03-05T00:00:00Z');
    const [item] = await stage.db.sql`
      select payout_id, transaction_id from payout_items join payouts on payouts.id = payout_id
      where test_clock_id = ${clock.id}`;
    return { PAYOUT: item?.payout_id, TXN: item?.transaction_id };
  }

  async function found(): Promise<string[]> {
    const ofPayouts = invariants.filter(({ name }) => name.includes('payout'));
    const violations = [];
    for (const invariant of ofPayouts) violations.push(...(await violationsOf(stage.db.sql, invariant)));
    return violations.map(({ id }) => id);
  }

  for (const [error, { damage, names }] of Object.entries(planted)) {
    it(`is found and named if it is ${error}`, async () => {
      const ids = await makePayout();
      const before = await found();
      for (const name of names) assert.ok(!before.includes(ids[name]));
      const statement = Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(name, `'${id}'`), damage);
      await stage.db.sql.unsafe(statement);
      const offenders = await found();
      for (const name of names) assert.ok(offenders.includes(ids[name]), `${name} not in ${offenders}`);
    });
  }

  it('is missed if it is gone: its item is in none, and its money is at the bank', async () => {
    const { PAYOUT, TXN } = await makePayout();
    await stage.db.sql`delete from payouts where id = ${PAYOUT}`;
    const offenders = await found();
    assert.ok(offenders.includes(TXN) && offenders.includes(PAYOUT), String(offenders));
  });
});
