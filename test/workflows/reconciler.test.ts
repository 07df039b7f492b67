import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import type { WantingRow } from '../../src/db/subject-queries.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { addMs, withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { inWords } from '../../src/operations/reconciler/mismatches.ts';
import { findMismatches, reconcile } from '../../src/operations/reconciler/reconciler.ts';
import {
  beginReconciliation,
  finishReconciliation,
  noteProgress,
  subjectsWantingWorkflow,
} from '../../src/operations/reconciler/reconciliations.ts';
import { repair } from '../../src/operations/reconciler/repair.ts';
import { jsonb } from '../../src/platform/postgres/types.ts';
import { realInstant, realNow } from '../../src/platform/real-time.ts';
import { useDatabase } from '../support/database.ts';
import { type Merchant, paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { prepareNamespace, serverStartTimeoutMs, startOwnTemporal } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

const inAYear = dateIn(withoutClock(addMs(realNow(), 365 * 86_400_000)), 'UTC');

describe('a reconciliation', () => {
  const service = useService({ isAlone: true });
  const find = async (): Promise<string[]> => {
    const mismatches = await findMismatches(service.db.sql, service.sides[0]);
    return mismatches.map(({ problem, subjectId }) => `${problem} ${subjectId}`).sort();
  };
  const mendAll = () => reconcile(service.db.sql, service.sides);
  const statusOf = async (planId: string): Promise<string> =>
    (await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', planId)).describe()).status.name;
  /** Those that are found are found a moment later than they are there. */
  const agreed = () => eventually('both agree', async () => (await find()).length === 0);

  it('finds nothing where nothing is wrong, also among what has just been made', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    await Promise.all(
      Array.from({ length: 12 }, () => merchant.activePlan({ customer_id: payer.id, start_date: inAYear })),
    );
    assert.deepEqual(await find(), []);
  });

  it('takes nothing for wrong that is under way: an advance, a start that Temporal is yet to be told of', async () => {
    const { merchant, clock, payer } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await agreed();
    await service.stopDispatcher();
    await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-05' });
    await merchant.beginAdvance(clock.id, '2027-01-13T00:00:00Z');
    assert.deepEqual(await find(), []);
    service.startDispatcher();
    await merchant.stopped(clock.id);
    await agreed();
  });

  it('starts the workflow of a plan again that was terminated, and of one that was restored after its end', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const terminated = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    const restored = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await agreed();
    await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', terminated.id)).terminate();
    const [row] = await service.db.sql`select next_due_at from payment_plans where id = ${restored.id}`;
    await merchant.move(restored.id, 'close');
    await eventually('its workflow has ended', async () => (await statusOf(restored.id)) === 'COMPLETED');
    await service.db.sql`
      update payment_plans set state = 'active', state_reason = null, ended_as = null, next_due_at = ${row?.next_due_at}
      where id = ${restored.id}`;

    await service.db.sql`
      with forgotten as (
        delete from events where subject_id = ${restored.id} and event_type = 'payment_plan.closed' returning biller_id
      )
      update event_sequences set last_sequence = last_sequence - 1 where biller_id = (select biller_id from forgotten)`;

    await eventually('both are missing', async () => {
      return (await find()).join() === [`missing ${terminated.id}`, `missing ${restored.id}`].sort().join();
    });
    await mendAll();
    for (const { id } of [terminated, restored]) {
      await eventually('it runs again', async () => (await statusOf(id)) === 'RUNNING');
    }
    await agreed();
  });

  it('starts nothing for a plan of which a row breaks an invariant, says why, and starts it once that is corrected', async () => {
    const { sql } = service.db;
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const reopened = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    const edited = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    const whole = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await agreed();
    await merchant.move(reopened.id, 'close');
    await eventually('its workflow has ended', async () => (await statusOf(reopened.id)) === 'COMPLETED');
    const next = await sql`select next_due_at from payment_plans where id = ${edited.id}`;
    await sql`update payment_plans set state = 'active', state_reason = null, next_due_at = ${next[0]?.next_due_at}
      where id = ${reopened.id}`;
    // One that only housekeeping finds, which has looked.
    await sql`update payment_plans set collected_amount_cents = 999 where id = ${edited.id}`;
    await sql`
      insert into invariant_checks (invariant, tried_at, checked_at, since, violations)
      values ('a plan has collected the sum of its payment intents that succeeded', now(), now(), now(),
        ${jsonb(sql, [{ id: edited.id, detail: 'says 999, its intents 0', remedy: 'Restore it.' }])})`;
    for (const { id } of [edited, whole])
      await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', id)).terminate();
    await eventually('all are missing', async () => (await find()).length === 3);

    const said: string[] = [];
    await reconcile(sql, service.sides, { onMismatches: (found) => said.push(...found.map(inWords)) });
    const missing = 'is missing: no workflow runs for it, although it has work to do';
    assert.deepEqual(
      said.sort(),
      [
        `${reopened.id} ${missing}; it is not started: its rows do not agree (plan_inconsistent)`,
        `${edited.id} ${missing}; it is not started: says 999, its intents 0; but a plan has collected the sum of its payment intents that succeeded`,
        `${whole.id} ${missing}`,
      ].sort(),
    );
    await eventually('the other one runs again', async () => (await statusOf(whole.id)) === 'RUNNING');
    await eventually(
      'what is enqueued is dispatched',
      async () => (await sql`select from workflow_intents`).length === 0,
    );
    assert.deepEqual([await statusOf(reopened.id), await statusOf(edited.id)], ['COMPLETED', 'TERMINATED']);

    await sql`update payment_plans set state = 'closed', next_due_at = null where id = ${reopened.id}`;
    await sql`update payment_plans set collected_amount_cents = 0 where id = ${edited.id}`;
    await sql`delete from invariant_checks`;
    await mendAll();
    await eventually('it runs again', async () => (await statusOf(edited.id)) === 'RUNNING');
    assert.equal(await statusOf(reopened.id), 'COMPLETED');
    await agreed();
  });

  it('ends the workflow of a plan that is no longer there, and notes that it was lost', async () => {
    const merchant = await service.merchant();
    const lost = await merchant.activePlan({ start_date: inAYear });
    await agreed();
    await service.db.sql`delete from payment_plans where id = ${lost.id}`;
    assert.deepEqual(await find(), [`orphaned ${lost.id}`]);
    await mendAll();
    await eventually('it has ended', async () => (await statusOf(lost.id)) === 'COMPLETED');
    const noted = await service.db.sql`select id, workflow_type from lost_subjects`;
    assert.deepEqual([...noted], [{ id: lost.id, workflow_type: 'paymentPlan' }]);
    await agreed();
  });

  it('makes a workflow look again that waits for another date than its plan', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: inAYear });
    await agreed();
    // As after a restart of PostgreSQL from a back-up of another time: the plan is due now.
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, realNow())} where id = ${plan.id}`;
    assert.deepEqual(await find(), [`stale ${plan.id}`]);
    assert.deepEqual(await merchant.payments(plan.id), []);
    await mendAll();
    await eventually('it is collected', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await agreed();
  });
});

describe('a service whose Temporal has lost its database', () => {
  let port = 0;
  let server: Awaited<ReturnType<typeof startOwnTemporal>> | undefined;
  const receiver = useReceiver();
  const service = useService({
    idle: true,
    async temporal() {
      [port = 0] = await findFreePorts(1);
      server = await startOwnTemporal(port);
      await prepareNamespace(server.address);
      return server.address;
    },
  });
  after('end the server', () => server?.stop());

  it('rebuilds every workflow from PostgreSQL, and charges nothing again and nothing less', async function () {
    this.timeout(serverStartTimeoutMs);
    service.startDispatcher();
    await service.startWorkers();
    const merchant = await service.merchant();
    receiver.answer = (_, response) => response.writeHead(500).end();
    const endpoint = await merchant.endpoint(receiver.url, ['payment_plan.activated']);
    const today = dateIn(withoutClock(realNow()), 'UTC');
    const live = await merchant.payer();
    const collected = await merchant.activePlan({ customer_id: live.id, start_date: today });
    const { clock, payer, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    const scheduled = await scheduledPayment(merchant, payer.id, '2027-01-09');
    await eventually(
      'the first payment is made',
      async () => (await merchant.payments(collected.id))[0]?.status === 'paid',
    );
    await eventually('the receiver has refused', () => receiver.received.length >= 2);

    await service.stopDispatcher();
    await service.stopWorkers();
    await server?.stop();
    server = await startOwnTemporal(port);
    await prepareNamespace(server.address);
    receiver.answer = undefined;
    const mismatches = await eventually('it answers', () =>
      findMismatches(service.db.sql, service.sides[0]).catch(() => null),
    );
    assert.deepEqual(mismatches.map(({ workflowType, problem }) => `${problem} ${workflowType}`).sort(), [
      'missing paymentPlan',
      'missing paymentPlan',
      'missing scheduledPayment',
      'missing testClock',
      'missing webhookDelivery',
      'missing webhookDelivery',
    ]);
    await repair(service.db.sql, service.sides, mismatches);
    service.startDispatcher();
    await service.startWorkers();

    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
    assert.equal((await merchant.getIntent(scheduled)).status, 'succeeded');
    assert.deepEqual(
      (await merchant.payments(collected.id)).map(({ attempts }) => attempts.length),
      [1],
    );
    await eventually('the webhooks have come', async () =>
      (await merchant.deliveries(endpoint.id)).every(({ status }) => status === 'delivered'),
    );
    assert.deepEqual(await findMismatches(service.db.sql, service.sides[0]), []);
  });
});

describe('the slices of a reconciliation', () => {
  const service = useService({ idle: true });

  it('have every object once, what is due soonest first, then what has no date', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const dates = ['2099-03-01', '2099-01-01', '2099-02-01', '2099-01-01'];
    const plans = await Promise.all(
      dates.map((start_date) => merchant.activePlan({ customer_id: payer.id, start_date })),
    );
    const suspended = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    await merchant.move(suspended.id, 'suspend');

    const seen: WantingRow[] = [];
    for (const isDated of [true, false]) {
      for (let after: WantingRow | undefined; ; ) {
        const position = { livemode: null, isDated, after, limit: 2 };
        const slice = await subjectsWantingWorkflow(service.db.sql, 'paymentPlan', position);
        assert.ok(slice.length <= 2);
        if (slice.length === 0) break;
        seen.push(...slice);
        after = slice.at(-1);
      }
    }
    assert.deepEqual(
      seen.map(({ due_at }) => due_at?.toISOString().slice(0, 10) ?? null),
      ['2099-01-01', '2099-01-01', '2099-02-01', '2099-03-01', null],
    );
    assert.deepEqual(seen.map(({ id }) => id).sort(), [...plans, suspended].map(({ id }) => id).sort());
  });
});

describe('the schedule of reconciliations', () => {
  const db = useDatabase();
  const at = (minutes: number) => realInstant(Date.UTC(2027, 0, 4) + minutes * 60_000);
  const begin = (minutes: number) => beginReconciliation(db.sql, at(minutes), at(minutes - 4));
  const nothing = { missing: 0, orphaned: 0, stale: 0 };
  beforeEach(() => db.sql`truncate reconciliations`);

  it('lets one of many processes compare', async () => {
    const begun = await Promise.all([begin(0), begin(0), begin(0)]);
    assert.equal(begun.filter((id) => id !== null).length, 1);
    assert.equal(await begin(3), null);
  });

  it('waits for one that is under way, until it has made no progress for five minutes', async () => {
    const id = (await begin(0)) ?? 0;
    assert.equal(await begin(4.5), null);
    for (let minute = 4; minute <= 60; minute += 4) await noteProgress(db.sql, id, at(minute));
    assert.equal(await begin(64.5), null);
    assert.ok(await begin(66));
  });

  it('ends one that goes on after another has taken its place', async () => {
    const frozen = (await begin(0)) ?? 0;
    assert.ok(await begin(6));
    await assert.rejects(noteProgress(db.sql, frozen, at(7)), /another process has begun/);
  });

  it('keeps nine tenths of the time free of comparisons that take long', async () => {
    const id = await begin(0);
    await finishReconciliation(db.sql, id ?? 0, at(2), nothing);
    assert.equal(await begin(19), null);
    assert.ok(await begin(20));
  });

  it('forgets what is older than 30 days', async () => {
    const id = await begin(0);
    await finishReconciliation(db.sql, id ?? 0, at(1), nothing);
    assert.ok(await begin(31 * 24 * 60));
    assert.equal((await db.sql`select 1 from reconciliations`).length, 1);
  });
});

async function scheduledPayment(
  merchant: Merchant,
  customer_id: string,
  scheduled_payment_date: string,
): Promise<string> {
  const payment_method = await merchant.card(customer_id);
  const intent = { amount: 1000, currency: 'AUD' as const, customer_id, payment_method, scheduled_payment_date };
  return (await merchant.intent(intent)).id;
}
