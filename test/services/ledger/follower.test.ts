import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resetPositions } from '../../../src/db/ledger.ts';
import { atomically } from '../../../src/platform/postgres/transaction.ts';
import { followLedgers, postEvents } from '../../../src/services/ledger/follower.ts';
import { useDebits } from '../../support/debits.ts';
import { useStage } from '../../support/stage.ts';

describe('the ledger', () => {
  const stage = useStage({ isAlone: true });
  const debits = useDebits(stage);
  const tenant = () => ({ billerId: stage.keys.biller.id, livemode: false });
  const follow = () => followLedgers(stage.db.sql, new AbortController().signal);

  /** All that is posted of the biller of the test: the kind, and what each account has gained. */
  async function posted(): Promise<string[]> {
    const rows = await stage.db.sql<{ text: string }[]>`
      select t.kind || ': ' || string_agg(e.account || ' ' || e.amount, ', ' order by e.account) as text
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
      where t.biller_id = ${stage.keys.biller.id} group by t.id order by t.sequence, t.kind`;
    return rows.map(({ text }) => text);
  }
  const dump = async () => ({
    transactions: [...(await stage.db.sql`select *, null as recorded_at from ledger_transactions order by id`)],
    entries: [...(await stage.db.sql`select * from ledger_entries order by transaction_id, account`)],
    balances: [
      ...(await stage.db.sql`
        select *, null as number from ledger_balances
        order by biller_id, test_clock_id, currency, account, available_on`),
    ],
  });

  async function pay(amount: number, outcome = 'succeed'): Promise<string> {
    const metadata = { _sandbox_outcome: outcome };
    const { body: intent } = await stage.request('POST', '/payment_intents', { amount, currency: 'AUD', metadata });
    const card = await stage.request('POST', '/payment_methods', {
      type: 'card',
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2031,
        token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
      },
    });
    const confirmed = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, {
      payment_method: card.body.payment_method.id,
    });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    return intent.id;
  }

  it('has a payment with its fee, a refund without one, and nothing of a decline', async () => {
    const id = await pay(10_000);
    await pay(5_000, 'decline');
    await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 4_000 });
    await follow();
    assert.deepEqual(await posted(), [
      'payment: fees 205, payers -10000, processor 9795',
      'refund: payers 4000, processor -4000',
    ]);
  });

  it('has the course of a debit: in flight, settled, returned with its fee', async () => {
    const payer = await debits.payer();
    const plan = await debits.plan(payer, 'settled', { frequency_period: 8 });
    await stage.advance(payer.clock, '2027-03-02T22:00:00.000Z');
    const [slot] = (await stage.request('GET', `/payment_plans/${plan.id}/payments`)).body.data;
    await stage.request('POST', `/test_helpers/payment_intents/${slot.payment_intent_id}/bank_result`, {
      result: 'returned',
    });
    await follow();
    const kinds = (await posted()).map((text) => text.split(':')[0]);
    assert.deepEqual(kinds, ['debit_accepted', 'payment', 'adjustment', 'return']);
    const [sums] = await stage.db.sql`
      select sum(amount) filter (where account = 'in_flight') as in_flight,
        sum(amount) filter (where account = 'processor') as processor, sum(amount) as sum
      from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
      where t.biller_id = ${stage.keys.biller.id}`;
    assert.deepEqual({ ...sums }, { in_flight: '0', processor: '0', sum: '0' });
  });

  it('posts each event once, however many processes follow at the same time', async () => {
    for (let count = 0; count < 5; count++) await pay(1_000 + count);
    await Promise.all([follow(), follow(), postEvents(stage.db.sql, tenant()), follow()]);
    assert.equal((await posted()).length, 5);
  });

  it('posts the rest after it was ended within a transaction, and nothing twice', async () => {
    for (let count = 0; count < 3; count++) await pay(1_000 + count);
    const ended = atomically(stage.db.sql, async (tx) => {
      await postEvents(tx, tenant());
      throw new Error('the process ends');
    });
    await assert.rejects(ended, /the process ends/);
    assert.deepEqual(await posted(), []);
    await follow();
    assert.equal((await posted()).length, 3);
  });

  it('is the same under the same ids when it is made again from the events', async () => {
    const payer = await debits.payer();
    await debits.plan(payer, 'dishonoured,settled', { frequency_period: 8 });
    await stage.advance(payer.clock, '2027-03-07T22:00:00Z');
    const id = await pay(10_000);
    await stage.request('POST', `/payment_intents/${id}/refunds`, {});
    await follow();
    const before = await dump();
    assert.ok(before.transactions.length >= 6);
    await stage.db.sql.unsafe(`
      alter table ledger_transactions disable trigger ledger_transactions_kept;
      alter table ledger_entries disable trigger ledger_entries_kept;
      delete from ledger_transactions where true;
      delete from ledger_balances;
      alter table ledger_transactions enable always trigger ledger_transactions_kept;
      alter table ledger_entries enable always trigger ledger_entries_kept`);
    await resetPositions(stage.db.sql, null);
    await follow();
    assert.deepEqual(await dump(), before);
    // What is there is not posted again.
    await resetPositions(stage.db.sql, null);
    await follow();
    assert.deepEqual(await dump(), before);
  });

  it('loses the books of a test clock with the clock, and no other row; they do not come back', async () => {
    await pay(10_000);
    const payer = await debits.payer();
    await debits.plan(payer, 'settled', { frequency_period: 8 });
    await stage.advance(payer.clock, '2027-03-07T22:00:00Z');
    await follow();
    assert.equal((await posted()).length, 4);
    assert.equal((await stage.request('DELETE', `/test_helpers/test_clocks/${payer.clock}`)).status, 200);
    const left = ['payment: fees 205, payers -10000, processor 9795'];
    assert.deepEqual(await posted(), left);
    await resetPositions(stage.db.sql, stage.keys.biller.id);
    await follow();
    assert.deepEqual(await posted(), left);
  });

  it('is not changed or deleted by anybody, and holds no transaction that does not add up', async () => {
    await pay(10_000);
    await follow();
    const { sql } = stage.db;
    await assert.rejects(sql`update ledger_entries set amount = amount + 1`, /only ever added/);
    await assert.rejects(sql`update ledger_transactions set currency = 'USD'`, /only ever added/);
    await assert.rejects(sql`delete from ledger_entries`, /not deleted/);
    await assert.rejects(sql`delete from ledger_transactions`, /not deleted/);
    await assert.rejects(sql`truncate ledger_entries`, /only ever added/);
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
      select id from ledger_transactions where biller_id = ${stage.keys.biller.id}`;
    await assert.rejects(
      sql`insert into ledger_entries (transaction_id, account, amount) values (${id}, 'in_flight', 5)`,
      /has 4 entries that add up to 5/,
    );
    await assert.rejects(
      sql`
        insert into ledger_transactions select 'txn_00000000000000000000000000000001', biller_id, livemode, test_clock_id,
          kind, currency, source_id, payment_intent_id, customer_id, 'other', rule_version, sequence, available_on,
          occurred_at, recorded_at
        from ledger_transactions where id = ${id}`,
      /has 0 entries/,
    );
  });

  it('waits in front of an event that does not say what it moves, and goes on for other billers', async () => {
    await pay(10_000);
    const { sql } = stage.db;
    await sql`update events set data = '{}' where biller_id = ${stage.keys.biller.id} and event_type = 'payment_intent.succeeded'`;
    await assert.rejects(postEvents(sql, tenant()), /does not say what it moves/);
    const other = await stage.stranger();
    const { id } = await other.merchant.intent({});
    await other.merchant.request('POST', `/payment_intents/${id}/cancel`);
    await assert.rejects(follow(), AggregateError);
    const [reached] = await sql`select last_sequence from ledger_positions where biller_id = ${other.keys.biller.id}`;
    assert.equal(reached?.last_sequence, 1);
    await sql`update events set data = (
        select data from events where event_type = 'payment_intent.succeeded' and biller_id <> ${stage.keys.biller.id} limit 1
      ) where biller_id = ${stage.keys.biller.id} and event_type = 'payment_intent.succeeded'`;
    await follow();
  });
});
