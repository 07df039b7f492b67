import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { accountOf, ledgerOf, type Payer } from '../support/account-of-customer.ts';
import { carryOutAdvance } from '../support/advance.ts';
import { searchMs, searchSeed } from '../support/search.ts';
import { useStage } from '../support/stage.ts';
import { keptWorlds } from './kept.ts';
import type { Place } from './place.ts';
import { worldOf } from './random-world.ts';
import { tell } from './telling.ts';
import { inOneAdvance } from './ways.ts';
import type { World } from './world.ts';

describe('the accounts of customers, over random lives,', () => {
  const stage = useStage();

  /** The customers of a world, after its story. */
  async function payersOf(world: World): Promise<Payer[]> {
    const { sql } = stage.db;
    const place: Place = { url: stage.api.url, sql, vault: stage.vault, carryOut: (id) => carryOutAdvance(sql, id) };
    const [before] = await sql`select coalesce(max(id), '') as id from billers`;
    await tell(place, world, inOneAdvance);
    return sql<Payer[]>`select id, biller_id from customers where biller_id > ${before?.id} order by id`;
  }

  /** What plans, subscriptions and payments say that is owed now. */
  async function owedNow(id: string): Promise<number> {
    const [row] = await stage.db.sql<{ owed: number }[]>`
      select (
        select coalesce(sum(s.amount), 0) from payment_plan_slots s join payment_plans p on p.id = s.payment_plan_id
        where p.customer_id = ${id} and (
          s.status in ('retrying', 'returned')
          or (s.status = 'failed' and p.state not in ('closed', 'deactivated'))
          or (s.status = 'processing' and exists (
            select from payment_attempts a
            where a.payment_intent_id = s.payment_intent_id and a.outcome in ('failed', 'returned')
          ))
        )
      )::integer + (
        select coalesce(sum(owed_amount_cents), 0) from subscriptions where customer_id = ${id}
      )::integer + (
        select coalesce(sum(amount), 0) from payment_intents
        where customer_id = ${id} and payment_plan_id is null and subscription_id is null and status = 'returned'
      )::integer as owed`;
    return row?.owed ?? 0;
  }

  async function check(world: World, name: string): Promise<void> {
    for (const payer of await payersOf(world)) {
      const { owed, balance, charged, waived, money } = await accountOf(stage.db.sql, payer);
      for (const kind of Object.keys(seen) as (keyof typeof seen)[]) {
        if ({ owed, waived, ...money }[kind] > 0) seen[kind] += 1;
      }
      const what = `World ${name}, ${payer.id}`;
      assert.equal(owed, await owedNow(payer.id), `${what}: what is owed`);
      assert.equal(balance, charged - waived - money.collected + money.returned, `${what}: the balance`);
      assert.deepEqual(money, await ledgerOf(stage.db.sql, payer), `${what}: the money`);
    }
  }

  /** How many customers had something of each kind: a check of nothing would prove nothing. */
  const seen = { owed: 0, waived: 0, collected: 0, refunded: 0, returned: 0 };

  it('owe what plans, subscriptions and payments say, and have moved what the ledger has', async function () {
    this.timeout(searchMs + 240_000);
    for (const { title, ...world } of keptWorlds()) await check(world, title);
    const endsAt = performance.now() + searchMs;
    for (let next = 1; performance.now() < endsAt; next += 1) {
      const name = `${searchSeed}/${next}`;
      await check(worldOf(name), name);
    }
    console.log(`      ${JSON.stringify(seen)}, SEARCH_SEED=${searchSeed}`);
    // Refunds are rare in these worlds; the other kinds are in those that are kept.
    const { refunded: _, ...common } = seen;
    assert.ok(
      Object.values(common).every((count) => count > 0),
      JSON.stringify(seen),
    );
  });
});
