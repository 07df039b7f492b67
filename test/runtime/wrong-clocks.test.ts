import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach } from 'mocha';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { createCollectionActivities } from '../../src/activities/collection-activities.ts';
import { type InsertedEvent, insertEvents } from '../../src/db/events.ts';
import { sweepIdempotencyKeys } from '../../src/db/idempotency-keys.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import { workflowTypes } from '../../src/messages/workflow-types.ts';
import { beginReconciliation } from '../../src/operations/reconciler/reconciliations.ts';
import { startSharedClock } from '../../src/platform/postgres/database-clock.ts';
import { claimBatch, enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { startHousekeeping } from '../../src/processes/housekeeping.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { startEntry } from '../../src/services/wake.ts';
import { failedEffectOf } from '../../src/workflows/effect-failure.ts';
import { useService } from '../support/service.ts';
import { testLogger } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const minute = 60_000;
const hour = 60 * minute;

/**
 * The clock of this process, and only that, is off by so much from here on. It stands still, which is no matter here.
 */
function setClockOff(ms: number): void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + ms });
}

describe('a process whose clock is wrong by an hour', () => {
  const service = useService({ idle: true });
  const receiver = useReceiver();
  const processors = { sandbox: sandboxProcessor, live: null };
  afterEach(() => mock.timers.reset());

  async function planDue(atMs: number) {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2090-01-01' });
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, new Date(atMs))} where id = ${plan.id}`;
    const { collectPlan } = createCollectionActivities({ sql: service.db.sql, processors });
    return {
      collect: (temporalNow: number) => new MockActivityEnvironment().run(() => collectPlan(plan.id, temporalNow)),
      instants: async () =>
        (await merchant.payments(plan.id)).flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at))),
    };
  }

  it('charges nothing before its time when it is ahead, though it is told to look', async () => {
    const now = Date.now();
    const plan = await planDue(now + 30 * minute);
    setClockOff(hour);
    await plan.collect(now);
    mock.timers.reset();
    assert.deepEqual(await plan.instants(), []);
  });

  it('charges what is due when it is ahead, at the time that PostgreSQL has', async () => {
    const now = Date.now();
    const plan = await planDue(now - minute);
    setClockOff(hour);
    await plan.collect(now);
    mock.timers.reset();
    const [instant = 0, ...others] = await plan.instants();
    assert.deepEqual(others, []);
    assert.ok(instant >= now && instant < now + minute, `charged as if ${instant - now} ms later`);
  });

  it('charges at the date where Temporal’s clock is up to 30 s ahead, and later where it is further ahead', async () => {
    const now = Date.now();
    const ahead = 25_000;
    const nearly = await planDue(now + ahead);
    await nearly.collect(now + ahead);
    assert.deepEqual(await nearly.instants(), [now + ahead]);

    const early = await planDue(now + 10 * minute);
    await assert.rejects(early.collect(now + hour), (error: unknown) => {
      assert.ok(error instanceof ApplicationFailure && error.nonRetryable);
      assert.match(error.message, /^the workflow’s clock is 60 minutes ahead of the database’s/);
      return failedEffectOf(error)?.dueAt === now + 10 * minute;
    });
    assert.deepEqual(await early.instants(), []);
    const due = await planDue(now - 1);
    await due.collect(now + hour);
    const [instant = 0] = await due.instants();
    assert.ok(instant >= now && instant < now + minute, `charged as if ${instant - now} ms later`);
  });

  it('charges what is due when it is behind, once', async () => {
    const now = Date.now();
    const plan = await planDue(now - 30 * minute);
    setClockOff(-hour);
    await plan.collect(now);
    await plan.collect(now);
    mock.timers.reset();
    assert.equal((await plan.instants()).length, 1);
  });

  it('holds up nothing that another process is to tell Temporal, for all that it has staged or claimed', async () => {
    const { sql } = service.db;
    const claim = (limit: number, claimMs: number) =>
      claimBatch(sql, { limit, claimMs, livemode: null, types: workflowTypes });
    await sql`truncate workflow_intents`;
    const ahead = realInstant(Date.now() + hour);
    const subject = { id: newId('payment_plan'), livemode: false };
    const intent = startEntry('paymentPlan', subject);
    await atomically(sql, (tx) => enqueue(tx, [intent, { ...intent, signal: 'poke' }], ahead));
    setClockOff(hour);
    const claimed = await claim(1, 200);
    mock.timers.reset();
    assert.deepEqual(
      claimed.map(({ start, signal }) => [start, signal]),
      [[true, null]],
    );
    assert.deepEqual(
      (await claim(10, 200)).map(({ signal }) => signal),
      ['poke'],
    );
    const again = new Set<number>();
    await eventually('both claims end, and others take over', async () => {
      for (const { id } of await claim(10, minute)) again.add(id);
      return again.size === 2;
    });
  });

  it('has its webhooks delivered at once by processes whose clock is right', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    await merchant.endpoint(receiver.url, ['payment_plan.closed']);
    const [biller] = await sql<{ id: Id<'biller'> }[]>`select biller_id as id from webhook_endpoints`;
    assert.ok(biller);
    const tenant = { billerId: biller.id, livemode: false };
    const ahead = realInstant(Date.now() + hour);
    const event: InsertedEvent = {
      ...{ id: newId('event'), event_type: 'payment_plan.closed', subject_id: newId('payment_plan'), data: '{}' },
      ...{ customer_id: null, test_clock_id: null, created_at: ahead, only_endpoint_id: null },
    };
    const enqueued = await atomically(sql, (tx) => insertEvents(tx, tenant, [event], { requestId: null, now: ahead }));
    assert.equal(enqueued?.deliveries, 1);
    const due = await sql`select 1 from webhook_deliveries where event_id = ${event.id} and next_attempt_at <= now()`;
    assert.equal(due.length, 1);
  });

  it('sends webhooks when they are due by the clock that all share, and dates and signs them by it', async () => {
    const clock = startSharedClock(service.db.sql);
    const machine = new Date();
    await eventually('it has asked PostgreSQL', async () => {
      setClockOff(hour);
      const offMs = Math.abs(clock.now().getTime() - machine.getTime());
      mock.timers.reset();
      return offMs < minute;
    });
    for (const off of [hour, -hour]) {
      const before = Date.now();
      setClockOff(off);
      const now = clock.now().getTime();
      mock.timers.reset();
      assert.ok(Math.abs(now - before) < 5_000, `${now - before} ms off`);
    }
    const earlier = clock.now();
    clock.close();
    assert.ok(clock.now() >= earlier, 'it runs on');
  });

  it('takes no idempotency key that is still good', async () => {
    const { sql } = service.db;
    const { id } = await sql<{ id: string }[]>`select id from billers limit 1`.then(([row]) => row ?? { id: '' });
    await sql`
      insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
      values (${id}, false, 'good for half an hour', decode(repeat('00', 32), 'hex'), 'k1', now(), now() + interval '30 minutes'),
        (${id}, false, 'of before', decode(repeat('00', 32), 'hex'), 'k1', now() - interval '2 hours', now() - interval '1 hour')`;
    const left = () =>
      sql<{ key: string }[]>`select key from idempotency_keys where key like 'good %' or key like 'of %'`;
    setClockOff(hour);
    const housekeeping = startHousekeeping(sql, processors, testLogger());
    await eventually('it has swept', async () => (await left()).length === 1);
    await housekeeping.close();
    mock.timers.reset();
    assert.deepEqual(
      (await left()).map(({ key }) => key),
      ['good for half an hour'],
    );
    assert.ok(
      (await sweepIdempotencyKeys(sql, realInstant(Date.now() + hour))) >= 1,
      'which goes when its time is over',
    );
  });

  it('keeps no other process from comparing PostgreSQL with Temporal', async () => {
    const now = Date.now();
    const begin = (at: number) => beginReconciliation(service.db.sql, realInstant(at), realInstant(at - 4 * minute));
    assert.ok(await begin(now + hour));
    assert.ok(await begin(now), 'the one ahead is not believed');
    assert.equal(await begin(now + 1), null, 'and this one is');
  });
});
