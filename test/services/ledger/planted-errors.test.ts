import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { invariants, violationsOf } from '../../../src/operations/invariants/invariants.ts';
import { followLedgers } from '../../../src/services/ledger/follower.ts';
import { rebuildLedgers } from '../../../src/services/ledger/rebuild.ts';
import { useStage } from '../../support/stage.ts';

const signal = new AbortController().signal;

/** Somebody with all rights changes the row TXN of the ledger by hand. What must be named: its event or its payment. */
const planted: Record<string, { damage: string; names: ('EVENT' | 'PAYMENT' | 'TXN')[] }> = {
  missing: { damage: `delete from ledger_transactions where id = TXN`, names: ['EVENT', 'PAYMENT'] },
  'there twice': {
    damage: `
      insert into ledger_transactions select 'txn_00000000000000000000000000000001', biller_id, livemode, test_clock_id,
        kind, currency, source_id, payment_intent_id, customer_id, source_key || '.2', rule_version, sequence,
        available_on, occurred_at, recorded_at from ledger_transactions where id = TXN;
      insert into ledger_entries select 'txn_00000000000000000000000000000001', account, amount from ledger_entries
        where transaction_id = TXN`,
    names: ['PAYMENT'],
  },
  'of another amount': {
    damage: `
      update ledger_entries set amount = amount + case account when 'payers' then -100 else 100 end
      where transaction_id = TXN and account in ('payers', 'processor')`,
    names: ['EVENT', 'PAYMENT'],
  },
  'of another currency': {
    damage: `update ledger_transactions set currency = 'USD' where id = TXN`,
    names: ['EVENT'],
  },
  'of another biller': {
    damage: `update ledger_transactions set biller_id = (select min(id) from billers where id <> biller_id) where id = TXN`,
    names: ['EVENT', 'TXN'],
  },
  'of another fee': {
    damage: `
      update ledger_entries set amount = amount + case account when 'fees' then 100 else -100 end
      where transaction_id = TXN and account in ('fees', 'processor')`,
    names: ['EVENT'],
  },
  unbalanced: {
    damage: `update ledger_entries set amount = amount + 1 where transaction_id = TXN and account = 'fees'`,
    names: ['EVENT', 'TXN'],
  },
};

describe('a row of the ledger that was changed by hand', () => {
  const stage = useStage({ isDamaged: true });

  /** Two billers with a payment each; the rows of the first one by name. */
  async function makePayments(): Promise<Record<string, string>> {
    const stranger = await stage.stranger();
    for (const merchant of [stage.merchant, stranger.merchant]) {
      const { id: customer_id } = await merchant.customer();
      const { id } = await merchant.intent({ amount: 10_000, customer_id });
      const payment_method = await merchant.card(customer_id);
      await merchant.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    }
    await followLedgers(stage.db.sql, signal);
    const [row] = await stage.db.sql`
      select id as "TXN", split_part(source_key, '.', 1) as "EVENT", payment_intent_id as "PAYMENT"
      from ledger_transactions where biller_id = ${stage.keys.biller.id}`;
    return { ...row };
  }

  async function found(): Promise<string[]> {
    const ofLedger = invariants.filter(({ name }) => name.includes('ledger'));
    const violations = [];
    for (const invariant of ofLedger) violations.push(...(await violationsOf(stage.db.sql, invariant)));
    return violations.map(({ id }) => id);
  }

  async function byHand(statement: string): Promise<void> {
    const switched = (how: string) =>
      ['ledger_transactions', 'ledger_entries'].map(
        (table) => `alter table ${table} ${how} trigger ${table}_only_grow;`,
      );
    const kept = (how: string) =>
      ['ledger_transactions', 'ledger_entries'].map((table) => `alter table ${table} ${how} trigger ${table}_kept;`);
    await stage.db.sql.unsafe([...switched('disable'), ...kept('disable')].join('\n'));
    await stage.db.sql.unsafe(statement);
    await stage.db.sql.unsafe([...switched('enable always'), ...kept('enable always')].join('\n'));
  }

  for (const [error, { damage, names }] of Object.entries(planted)) {
    it(`is found and named if it is ${error}`, async () => {
      const ids = await makePayments();
      assert.deepEqual(await found(), []);
      await byHand(damage.replaceAll('TXN', `'${ids.TXN}'`));
      const offenders = await found();
      for (const name of names) assert.ok(offenders.includes(String(ids[name])), `${name} not in ${offenders}`);
      // The books are sound again for the next test: posted anew.
      await byHand('delete from ledger_entries; delete from ledger_transactions');
      const { transactions, added } = await rebuildLedgers(stage.db.sql, null, signal);
      assert.equal(added, transactions);
      assert.deepEqual(await found(), []);
    });
  }

  it('is found if it is a balance, and a rebuild corrects it', async () => {
    await makePayments();
    const balance = async () => (await stage.request('GET', '/balance')).body.data;
    const before = await balance();
    for (const damage of ['update ledger_balances set amount = amount + 1', 'delete from ledger_balances']) {
      await stage.db.sql.unsafe(`${damage} where biller_id = '${stage.keys.biller.id}' and account = 'processor'`);
      assert.deepEqual(await found(), [stage.keys.biller.id]);
      assert.notDeepEqual(await balance(), before);
      const { added } = await rebuildLedgers(stage.db.sql, stage.keys.biller.id, signal);
      assert.equal(added, 0);
      assert.deepEqual([await found(), await balance()], [[], before]);
    }
  });
});
