import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { updateCustomer } from '../../src/db/customers.ts';
import { lockPaymentIntent } from '../../src/db/payment-intents.ts';
import { lockPlan } from '../../src/db/payment-plans.ts';
import { lockClock, shareLockClock } from '../../src/db/test-clocks.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
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

  it('is kept by a transaction that locks a plan and then its payment', async () => {
    const { planId, intentId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, (tx) => pipelined(tx, [lockPlan(tx, planId), lockPaymentIntent(tx, intentId)])),
    );
    assert.deepEqual(broken, []);
  });

  it('is broken by a transaction that locks a payment and then its plan', async () => {
    const { planId, intentId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, (tx) => pipelined(tx, [lockPaymentIntent(tx, intentId), lockPlan(tx, planId)])),
    );
    assert.deepEqual(broken, ['parent: payment_intents, payment_plans']);
  });

  it('is broken by a transaction that shares a clock after it has locked a plan', async () => {
    const { planId, clockId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, async (tx) => [await lockPlan(tx, planId), await shareLockClock(tx, clockId)]),
    );
    assert.deepEqual(broken, ['place: payment_plans, test_clocks']);
  });

  it('is broken by an update of a customer that comes after the lock of a plan', async () => {
    const { planId, customerId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, async (tx) => {
        await lockPlan(tx, planId);
        await updateCustomer(tx, customerId, { email: 'late@example.com', updated_at: customerInstant(Date.now()) });
      }),
    );
    assert.deepEqual(broken, ['place: payment_plans, customers']);
  });

  it('is broken by a transaction that locks two plans without their customer', async () => {
    const [{ planId }, { planId: otherId }] = [await paidPlan(), await paidPlan()];
    const broken = await brokenBy((sql) =>
      atomically(sql, async (tx) => [await lockPlan(tx, planId), await lockPlan(tx, otherId)]),
    );
    assert.deepEqual(broken, ['two trees: payment_plans, payment_plans']);
  });

  it('is free for a transaction that holds the clock for update', async () => {
    const { planId, intentId, clockId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, async (tx) => {
        await lockClock(tx, clockId);
        await pipelined(tx, [lockPaymentIntent(tx, intentId), lockPlan(tx, planId)]);
      }),
    );
    assert.deepEqual(broken, []);
  });

  it('forgets the locks of a dry run within a transaction', async () => {
    const { planId, intentId } = await paidPlan();
    const broken = await brokenBy((sql) =>
      atomically(sql, async (tx) => {
        await dryRun(tx, (inner) => lockPaymentIntent(inner, intentId));
        await lockPlan(tx, planId);
      }),
    );
    assert.deepEqual(broken, []);
  });

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
