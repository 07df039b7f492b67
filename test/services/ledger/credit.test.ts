import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { resetPositions } from '../../../src/db/ledger.ts';
import { findViolations, invariants, violationsOf } from '../../../src/operations/invariants/invariants.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { followLedgers, postEvents } from '../../../src/services/ledger/follower.ts';
import { rebuildLedgers } from '../../../src/services/ledger/rebuild.ts';
import { executeSubscriptionCommand } from '../../../src/services/subjects/operator-commands.ts';
import { useDebtor } from '../../support/debtor.ts';
import { useSubscriber } from '../../support/subscriber.ts';

const items = (amount: number) => [{ name: 'Membership', unit_amount_cents: amount }];
/** 2027-01-10 to 2027-02-10 has 31 days. On the 20th, 21 of them are left. */
const given = Math.round((4900 * 21) / 31) - Math.round((100 * 21) / 31);

describe('the credit of subscriptions in the ledger', () => {
  const subscriber = useSubscriber({ isDamaged: true });
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);
  const tenant = () => ({ billerId: stage.keys.biller.id, livemode: false });

  async function cheaper(method: 'card' | 'debit' = 'card') {
    const account = method === 'debit' ? await debtor.account(here.customer) : await stage.merchant.card(here.customer);
    if (method === 'debit') await debtor.active({ payment_method_id: account });
    const id = await subscriber.started({ payment_instrument_id: account });
    await here.advance('2027-01-20T00:00:00Z');
    const { latest_payment_intent_id: first } = await subscriber.get(id);
    const { status, text } = await stage.request('POST', `/subscriptions/${id}/change`, {
      ...{ items: items(100), when: 'now' },
    });
    assert.equal(status, 200, text);
    return { id, first };
  }
  /** What each event of the subscription has posted, oldest first: `2027-01-20 2671`; above 0 is owed back. */
  async function posted(id: string): Promise<string[]> {
    await postEvents(stage.db.sql, tenant());
    const rows = await stage.db.sql<{ line: string }[]>`
      select to_char(t.occurred_at at time zone 'UTC', 'YYYY-MM-DD ') || 0 - c.amount
        || case when c.amount + p.amount = 0 then '' else ' unbalanced' end as line
      from ledger_transactions t
      join ledger_entries c on c.transaction_id = t.id and c.account = 'credit'
      join ledger_entries p on p.transaction_id = t.id and p.account = 'payers'
      where t.source_id = ${id} and t.kind = 'credit' order by t.sequence`;
    return rows.map(({ line }) => line);
  }
  async function owed(): Promise<number> {
    await postEvents(stage.db.sql, tenant());
    const { body } = await stage.request('GET', `/balance?test_clock=${here.clock}`);
    return body.data.find(({ currency }: { currency: string }) => currency === 'AUD')?.credit ?? 0;
  }
  const credit = async (id: string) => (await subscriber.get(id)).credit_balance_cents;
  const refund = (intent: string, body: object = {}) =>
    stage.request('POST', `/payment_intents/${intent}/refunds`, body);
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('is posted when a change gives it and when a period uses it', async () => {
    const { id } = await cheaper();
    assert.equal(await owed(), given);
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual(await posted(id), [`2027-01-20 ${given}`, '2027-02-10 -100']);
    assert.deepEqual([await owed(), await credit(id)], [given - 100, given - 100]);
  });

  it('is posted when a refund pays it out, and when that refund fails', async () => {
    const { id, first } = await cheaper();
    await refund(first, { amount: 1000 });
    await refund(first, { amount: 500, metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.deepEqual(await posted(id), [
      `2027-01-20 ${given}`,
      '2027-01-20 -1000',
      '2027-01-20 -500',
      '2027-01-20 500',
    ]);
    assert.deepEqual([await owed(), await credit(id)], [given - 1000, given - 1000]);
  });

  it('is posted when a refund of more than the credit withholds what is no longer held', async () => {
    const { id, first } = await cheaper();
    await refund(first);
    assert.deepEqual(
      [await posted(id), await owed(), await credit(id)],
      [[`2027-01-20 ${given}`, `2027-01-20 ${-given}`], 0, 0],
    );
  });

  it('is posted once when it is refunded as credit, from as many payments as hold it', async () => {
    const { id } = await cheaper();
    const { status, text } = await stage.request('POST', `/subscriptions/${id}/refund_credit`, {});
    assert.equal(status, 201, text);
    assert.deepEqual([await posted(id), await owed()], [[`2027-01-20 ${given}`, `2027-01-20 ${-given}`], 0]);
  });

  it('is told by an event whose data is the subscription as it is then', async () => {
    const { id, first } = await cheaper();
    await refund(first, { amount: 1000 });
    const { body } = await stage.request('GET', `/events?object_id=${id}&limit=1`);
    const [{ event_type: type, data }] = body.data;
    const { waived_amount_cents, dropped_lines, ...shown } = data;
    const { refundable_credit_cents, ...now } = await subscriber.get(id);
    assert.deepEqual([type, waived_amount_cents, dropped_lines], ['subscription.updated', 0, []]);
    assert.deepEqual({ ...now, refundable_credit_cents }, shown);
  });

  it('is posted when the bank takes its payment back, and again once that is collected', async () => {
    const { id, first } = await cheaper('debit');
    await here.advance('2027-02-16T00:00:00Z');
    await stage.request('POST', `/test_helpers/payment_intents/${first}/bank_result`, { result: 'returned' });
    assert.deepEqual([await owed(), await credit(id)], [0, 0]);
    await here.advance('2027-02-26T00:00:00Z');
    assert.equal(await owed(), await credit(id));
  });

  it('is posted once, whatever the batches are, and a rebuild makes the same rows', async () => {
    const { id, first } = await cheaper();
    await refund(first, { amount: 1000 });
    await here.advance('2027-03-10T00:00:00Z');
    const before = await posted(id);
    const dump = () => stage.db.sql`
      select t.id, t.source_key, t.sequence, e.account, e.amount from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id where t.source_id = ${id} order by t.id, e.account`;
    const rows = [...(await dump())];
    await resetPositions(stage.db.sql, null);
    await Promise.all([1, 2].map(() => followLedgers(stage.db.sql, new AbortController().signal)));
    assert.deepEqual([await posted(id), [...(await dump())]], [before, rows]);
  });

  it('is told by an event if a recheck gives back what was withheld too much', async () => {
    const { id } = await cheaper();
    const { sql } = stage.db;
    await sql`
      update events set data = (data::jsonb || jsonb_build_object('credit_balance_cents', ${given - 500}::bigint))::json
      where id = (select id from events where subject_id = ${id} order by sequence desc limit 1)`;
    await sql`update subscriptions set credit_balance_cents = credit_balance_cents - 500 where id = ${id}`;
    await sql`update subscription_periods set withheld_cents = 500 where subscription_id = ${id}`;
    await sql`
      insert into subscription_entries (subscription_id, kind, period, lines, amount_cents, at)
      values (${id}, 'withheld', 1, '[]', 500, now())`;
    assert.deepEqual(await posted(id), [`2027-01-20 ${given - 500}`]);
    const command = { name: 'recheck', by: { kind: 'command_line', id: 'ada' } } as const;
    await executeSubscriptionCommand(sql, id, command, realNow());
    await executeSubscriptionCommand(sql, id, command, realNow());
    assert.deepEqual(await posted(id), [`2027-01-20 ${given - 500}`, '2027-01-20 500']);
  });

  const planted: Record<string, string> = {
    missing: `delete from ledger_transactions where source_id = ID`,
    'of another amount': `
      update ledger_entries set amount = amount + case account when 'credit' then -7 else 7 end
      where transaction_id in (select id from ledger_transactions where source_id = ID)`,
    'of another currency': `update ledger_transactions set currency = 'USD' where source_id = ID`,
    'of another clock': `update ledger_transactions set test_clock_id = null where source_id = ID`,
  };
  for (const [error, damage] of Object.entries(planted)) {
    it(`is found and named if its row is ${error}`, async () => {
      const { id } = await cheaper();
      await postEvents(stage.db.sql, tenant());
      assert.deepEqual(await findViolations(stage.db.sql), []);
      await byHand(damage.replaceAll('ID', `'${id}'`));
      const offenders = [];
      for (const invariant of invariants.filter(({ name }) => name.includes('credit'))) {
        for (const { id: offender } of await violationsOf(stage.db.sql, invariant)) offenders.push(offender);
      }
      const [event] = await stage.db.sql`
        select id from events where subject_id = ${id} and event_type = 'subscription.changed'`;
      assert.ok(offenders.includes(id) && offenders.includes(event?.id), `${offenders}`);
      await byHand(`
        delete from ledger_entries using ledger_transactions t where transaction_id = t.id and t.source_id = '${id}';
        delete from ledger_transactions where source_id = '${id}'`);
      await rebuildLedgers(stage.db.sql, stage.keys.biller.id, new AbortController().signal);
    });
  }

  async function byHand(statement: string): Promise<void> {
    const tables = ['ledger_transactions', 'ledger_entries'];
    const switched = (how: string) =>
      tables.flatMap((table) =>
        ['only_grow', 'kept'].map((trigger) => `alter table ${table} ${how} trigger ${table}_${trigger};`),
      );
    await stage.db.sql.unsafe(switched('disable').join('\n'));
    await stage.db.sql.unsafe(statement);
    await stage.db.sql.unsafe(switched('enable always').join('\n'));
  }
});
