import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { updateCustomer } from '../../src/db/customers.ts';
import { lockPaymentIntent } from '../../src/db/payment-intents.ts';
import { lockPlan } from '../../src/db/payment-plans.ts';
import { lockClock, shareLockClock } from '../../src/db/test-clocks.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { openPool, type Tx } from '../../src/platform/postgres/connection.ts';
import { atomically, dryRun, pipelined } from '../../src/platform/postgres/transaction.ts';
import { exceptions, type Inversion, isKnown, lockPlaces, locksOf, watchLocks } from './lock-order.ts';
import { useStage } from './stage.ts';

const tables = (statement: string) => locksOf(statement).map(({ table }) => table);

describe('the order of row locks', () => {
  const stage = useStage();

  /** Runs `work` on a watched pool of its own, and returns the rules that it broke. */
  async function brokenBy(work: (sql: ReturnType<typeof openPool>) => Promise<unknown>): Promise<string[]> {
    const found: Inversion[] = [];
    const pool = openPool(stage.db.url, { max: 2, name: 'test' });
    try {
      await work(watchLocks(pool, (inversion) => found.push(inversion)));
    } finally {
      await pool.end();
    }
    return found.map(({ rule, held, wanted }) => `${rule}: ${held}, ${wanted}`);
  }

  /** A plan on a clock, with a payment that was made. */
  async function paidPlan() {
    const { clock, payer, plan } = await stage.merchant.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-04',
    });
    await stage.collect(plan.id, '2027-01-04T00:00:00Z');
    const [payment] = await stage.merchant.payments(plan.id);
    return { clockId: clock.id, customerId: payer.id, planId: plan.id, intentId: payment?.payment_intent_id ?? '' };
  }

  type Paid = Awaited<ReturnType<typeof paidPlan>>;
  /** A transaction, and the rules that it breaks. */
  const transactions: [string, (tx: Tx, one: Paid, other: Paid) => Promise<unknown>, string[]][] = [
    ['locks a plan and then its payment', (tx, { planId, intentId }) => inTurn(tx, planId, intentId), []],
    [
      'locks a payment and then its plan',
      async (tx, { planId, intentId }) => [await lockPaymentIntent(tx, intentId), await lockPlan(tx, planId)],
      ['parent: payment_intents, payment_plans'],
    ],
    [
      'locks a payment and then its plan in one round trip',
      (tx, { planId, intentId }) => pipelined(tx, [lockPaymentIntent(tx, intentId), lockPlan(tx, planId)]),
      ['parent: payment_intents, payment_plans'],
    ],
    [
      'shares a clock after it has locked a plan',
      async (tx, { planId, clockId }) => [await lockPlan(tx, planId), await shareLockClock(tx, clockId)],
      ['place: payment_plans, test_clocks'],
    ],
    [
      'updates a customer after it has locked a plan',
      async (tx, { planId, customerId }) => {
        await lockPlan(tx, planId);
        await updateCustomer(tx, customerId, { updated_at: customerInstant(Date.now()) });
      },
      ['place: payment_plans, customers'],
    ],
    [
      'locks two plans without their customer',
      async (tx, one, other) => [await lockPlan(tx, one.planId), await lockPlan(tx, other.planId)],
      ['two trees: payment_plans, payment_plans'],
    ],
    [
      'holds the clock for update',
      async (tx, { planId, intentId, clockId }) => {
        await lockClock(tx, clockId);
        await pipelined(tx, [lockPaymentIntent(tx, intentId), lockPlan(tx, planId)]);
      },
      [],
    ],
    [
      'has locked a payment in a dry run',
      async (tx, { planId, intentId }) => {
        await dryRun(tx, (inner) => lockPaymentIntent(inner, intentId));
        await lockPlan(tx, planId);
      },
      [],
    ],
  ];
  const inTurn = (tx: Tx, planId: string, intentId: string) =>
    pipelined(tx, [lockPlan(tx, planId), lockPaymentIntent(tx, intentId)]);
  for (const [what, work, rules] of transactions) {
    it(`is ${rules.length === 0 ? 'kept' : 'broken'} by a transaction that ${what}`, async () => {
      const [one, other] = [await paidPlan(), await paidPlan()];
      assert.deepEqual(await brokenBy((sql) => atomically(sql, (tx) => work(tx, one, other))), rules);
    });
  }

  it('is read from a statement in the order of its text, with aliases and parts', () => {
    const twoParts = `
      with clock as materialized (select id from test_clocks where id = (select x from customers) for share)
      select c.* from customers c left join clock on true where c.id = $1 for no key update of c`;
    assert.deepEqual(tables(twoParts), ['test_clocks', 'customers']);
    assert.deepEqual(tables('select p.* from payment_plans p join billers b on true for no key update of p'), [
      'payment_plans',
    ]);
    assert.deepEqual(tables('update "mandates" set a = 1; delete from customers'), ['mandates', 'customers']);
    assert.deepEqual(tables('insert into event_sequences as s values (1) on conflict (a) do update set b = 2'), [
      'event_sequences',
    ]);
    assert.deepEqual(tables("select 'for update' as words from customers where id = $1"), []);
    const skipping = locksOf(
      'select from payment_intents i join payment_attempts a on true for update of i, a skip locked',
    );
    assert.deepEqual(
      skipping.map(({ table, waits }) => [table, waits]),
      [
        ['payment_intents', false],
        ['payment_attempts', false],
      ],
    );
  });

  it('names tables and functions that exist', () => {
    const migrations = join(import.meta.dirname, '../../src/db/migrations');
    const schema = readdirSync(migrations)
      .map((name) => readFileSync(join(migrations, name), 'utf8'))
      .join('\n');
    const named = [...lockPlaces.keys(), ...exceptions.flatMap(({ held, wanted }) => [...held, ...wanted])];
    assert.ok(named.length > 20, 'the tables of the page were read');
    for (const table of named) assert.match(schema, new RegExp(`create table (if not exists )?${table}\\b`), table);
    const services = join(import.meta.dirname, '../../src/services');
    const files = readdirSync(services, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const source = files.map((name) => readFileSync(join(services, name), 'utf8')).join('\n');
    for (const { by } of exceptions) assert.match(source, new RegExp(`(function|const) ${by}\\b`), by);
  });

  it('excepts what the page lists, and nothing else of the same function', () => {
    const known = {
      rule: 'place',
      held: 'payment_links',
      wanted: 'customers',
      statement: '',
      by: ['dropMethod (x.ts)'],
    };
    assert.ok(isKnown(known as Inversion));
    assert.ok(!isKnown({ ...known, wanted: 'test_clocks' } as Inversion));
    assert.ok(!isKnown({ ...known, by: ['elsewhere (x.ts)'] } as Inversion));
  });
});
