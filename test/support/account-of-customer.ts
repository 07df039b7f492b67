// What a customer has paid and is owed, twice: as its statement counts it, and as the ledger has it.
import assert from 'node:assert/strict';
import type { Id } from '../../src/domain/ids.ts';
import { balanceOf, emptyAccounts, owedOf } from '../../src/domain/statements/account.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { moveAccounts } from '../../src/services/reports/customer-accounts.ts';

export interface Payer {
  id: string;
  biller_id: Id<'biller'>;
}

const never = new Date('9999-12-31T00:00:00Z');

/** What the events of a customer say: what is owed and owed back, and what has moved. Sandbox, minor units. */
export async function accountOf(sql: Pool, { id, biller_id: billerId }: Payer) {
  const accounts = emptyAccounts();
  const sums = { charged: 0, waived: 0, collected: 0, refunded: 0, returned: 0, credited: 0 };
  const all = { accounts, before: never, timeZone: 'UTC' };
  for await (const movement of moveAccounts(sql, { billerId, livemode: false }, [id], all)) {
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += movement[name];
  }
  const { credited: credit, charged, waived, ...money } = sums;
  assert.equal(
    credit,
    [...accounts.credits.values()].reduce((sum, amount) => sum + amount, 0),
  );
  const owed = owedOf(accounts).reduce((sum, { amount }) => sum + amount, 0);
  return { charged, waived, owed, balance: balanceOf(accounts, () => true), money: { ...money, credit } };
}

/** What the ledger has of a customer, once all is posted. */
export async function ledgerOf(sql: Pool, { id, biller_id: billerId }: Payer) {
  await postEvents(sql, { billerId, livemode: false });
  const [row] = await sql<[{ collected: number; refunded: number; returned: number; credit: number }]>`
    select
      coalesce(sum(0 - amount) filter (where kind = 'payment'), 0)::integer
        + coalesce(sum(in_flight) filter (where kind = 'payment'), 0)::integer as collected,
      coalesce(sum(amount) filter (where kind = 'refund'), 0)::integer as refunded,
      coalesce(sum(amount) filter (where kind in ('return', 'dispute_lost')), 0)::integer as returned,
      coalesce(sum(amount) filter (where kind = 'credit'), 0)::integer as credit
    from (
      select t.kind,
        coalesce(sum(e.amount) filter (where e.account = 'payers'), 0) as amount,
        coalesce(sum(0 - e.amount) filter (where e.account = 'in_flight'), 0) as in_flight
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
      where t.customer_id = ${id} group by t.id, t.kind
    ) moved`;
  return { ...row };
}
