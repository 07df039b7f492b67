import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterEach, describe, it } from 'mocha';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { saveCard, tokens } from '../../lab/payer.ts';
import { addDays, dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { sendCommand, startOver } from '../../src/operations/operator-commands.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { allowTimeSkipping } from '../../src/processes/temporal/time-skipping.ts';
import { makeKeys, tester } from '../support/factories.ts';
import { createMerchant, type Merchant, paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { LedgerProcessor } from '../support/stage.ts';

const hour = 3_600_000;
/** How long a skipped workflow is watched. Without protection it makes more than a payment a second. */
const watchedMs = 3_000;
/** The work after a payment, or a recheck, takes less. */
const restMs = 1_000;
const never = '2099-01-01';
const inDays = (days: number) => addDays(dateIn(withoutClock(realNow()), 'UTC'), days);

describe('access to Temporal', function () {
  this.timeout(60_000);
  const ledger = new LedgerProcessor();
  const service = useService({ processors: { sandbox: ledger, live: ledger } });
  afterEach(() => ledger.reset());
  const operations = () => ({ sql: service.db.sql, sides: service.sides, by: tester });
  const handleOf = (workflowId: string) => service.temporal.workflow.getHandle(workflowId);

  const running = (workflowId: string) =>
    eventually(`${workflowId} runs`, async () => {
      const description = await handleOf(workflowId)
        .describe()
        .catch(() => null);
      return description?.status.name === 'RUNNING' && description;
    });

  /** Returns what `ops stuck` reports about a stalled workflow, once its worker has told the reason. */
  const stalled = (subjectId: string): Promise<Stuck> =>
    eventually(`${subjectId} has stalled`, async () => {
      const reports = await lookForStuck(service.db.sql, service.sides, realNow());
      const found = reports.flatMap((report) => report.found);
      return found.find(
        ({ subject_id, kind, why }) =>
          subject_id === subjectId && kind === 'workflow_stalled' && why.includes('stalled: '),
      );
    });

  const freed = (subjectId: string) =>
    eventually(`${subjectId} is free`, async () => {
      const reports = await lookForStuck(service.db.sql, service.sides, realNow());
      return !reports.some(({ found }) => found.some((stuck) => stuck.subject_id === subjectId));
    });

  /** Returns how many events its history gets while it is watched, after its current work. */
  async function eventsWhileWatched(workflowId: string): Promise<number> {
    const length = async () => (await handleOf(workflowId).describe()).historyLength;
    let before = 0;
    await eventually(`${workflowId} is at rest`, async () => {
      before = await length();
      await pause(restMs);
      return (await length()) === before;
    });
    await pause(watchedMs);
    return (await length()) - before;
  }

  async function merchantOf(mode: 'sandbox' | 'live'): Promise<Merchant> {
    const keys = await makeKeys(service.db.sql);
    return createMerchant(service.url, mode === 'live' ? keys.liveSecret : keys.sandboxSecret);
  }

  /** A customer with a card. Live mode takes its token, and the processor of this test takes every card. */
  async function payerOf(merchant: Merchant): Promise<string> {
    const { id } = await merchant.customer();
    await saveCard(merchant.client, id, tokens.good, 'live');
    return id;
  }

  async function planOf(merchant: Merchant, startDate: string): Promise<{ id: string; workflowId: string }> {
    const { id } = await merchant.activePlan({ customer_id: await payerOf(merchant), start_date: startDate });
    const workflowId = workflowIdOf('paymentPlan', id);
    await running(workflowId);
    return { id, workflowId };
  }

  /** Moves the next due date of a plan to shortly after now, in real time, and returns it. */
  async function makeDueIn(planId: string, ms: number): Promise<number> {
    const due = new Date(realNow().getTime() + ms);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${planId}`;
    return due.getTime();
  }

  /** Skips one hour only, as if Temporal's clock were wrong. */
  const setAnHourAhead = async (workflowId: string) => {
    await service.temporal.workflowService.updateWorkflowExecutionOptions({
      namespace: service.temporal.options.namespace,
      workflowExecution: { workflowId },
      updateMask: { paths: ['time_skipping_config'] },
      workflowExecutionOptions: {
        timeSkippingConfig: {
          enabled: true,
          maxSessionSkipCount: 10,
          fastForwardConfig: { id: 'an hour', duration: msToTs(hour) },
        },
      },
    });
    await eventually('an hour is skipped', async () => {
      const info = (await handleOf(workflowId).describe()).raw.workflowExtendedInfo?.timeSkippingInfo;
      return Number(info?.currentTime?.seconds) * 1000 - realNow().getTime() > hour - 10_000;
    });
  };

  const paid = (merchant: Merchant, planId: string, slots: number) =>
    eventually(`${slots} are paid`, async () => {
      const payments = await merchant.payments(planId);
      return payments.length === slots && payments.every(({ status }) => status === 'paid') && payments;
    });

  for (const mode of ['sandbox', 'live'] as const) {
    it(`does not charge a ${mode} plan before its date: if its time is skipped, the plan stalls, and ops reports why`, async () => {
      const merchant = await merchantOf(mode);
      const { id, workflowId } = await planOf(merchant, inDays(7));
      await allowTimeSkipping(service.temporal, workflowId);
      const stuck = await stalled(id);
      assert.deepEqual([ledger.requests, await merchant.payments(id)], [[], []]);
      assert.match(
        stuck.why,
        /stalled: payment 1 \(slot 0\), due \S+, attempt 1: the workflow’s clock is [67] days ahead/,
      );
      assert.match(
        stuck.why,
        new RegExp(`Nothing is charged before ${inDays(7)}T00:00:00.000Z by the database’s clock`),
      );
      assert.match(stuck.remedy, new RegExp(`Then npm run --silent ops -- start-over ${id}\\.$`));
    });
  }

  it('does not make a scheduled payment before its date', async () => {
    const merchant = await merchantOf('sandbox');
    const customer = await merchant.payer();
    const { id } = await merchant.intent({
      amount: 500,
      customer_id: customer.id,
      payment_method: await merchant.card(customer.id),
      scheduled_payment_date: inDays(40),
    });
    const workflowId = workflowIdOf('scheduledPayment', id);
    await running(workflowId);
    await allowTimeSkipping(service.temporal, workflowId);
    const { why, remedy } = await stalled(id);
    assert.match(why, /stalled: the scheduled payment: the workflow’s clock is (39|40) days ahead/);
    assert.match(remedy, new RegExp(`start-over ${id}`));
    assert.equal(await eventsWhileWatched(workflowId), 0);
    assert.deepEqual(ledger.requests, []);

    assert.match(await startOver(operations(), id), /is started again/);
    await freed(id);
    assert.equal((await merchant.getIntent(id)).status, 'requires_payment_method');
  });

  it('does not make a stalled workflow spin: it waits without a timer, whatever the number of rechecks', async () => {
    const merchant = await merchantOf('sandbox');
    const { id, workflowId } = await planOf(merchant, inDays(7));
    await allowTimeSkipping(service.temporal, workflowId);
    await stalled(id);
    assert.equal(await eventsWhileWatched(workflowId), 0);
    for (let looks = 0; looks < 3; looks++) {
      assert.match((await sendCommand(operations(), id, { name: 'recheck' })) ?? '', /^Read again/);
      await handleOf(workflowId).signal('poke');
    }
    assert.equal(await eventsWhileWatched(workflowId), 0);
    const { raw } = await handleOf(workflowId).describe();
    assert.equal(raw.workflowExtendedInfo?.timeSkippingInfo?.effectiveConfig?.enabled, true, 'it would still skip');
    assert.deepEqual([ledger.requests, await merchant.payments(id)], [[], []]);
  });

  it('does not make a workflow spin that stalled for another reason: it cannot be collected or read', async () => {
    const { sql } = service.db;
    const merchant = await merchantOf('sandbox');
    const poisoned = await merchant.plan({ customer_id: await payerOf(merchant), start_date: inDays(0) });
    await sql`update payment_plans set metadata = ${sql.json({ _sandbox_outcome: 'no such word' })} where id = ${poisoned.id}`;
    await merchant.move(poisoned.id, 'activate');
    assert.match((await stalled(poisoned.id)).why, /no such word/);
    await service.stopDispatcher();
    const { id } = await merchant.activePlan({ customer_id: await payerOf(merchant), start_date: inDays(0) });
    await sql`alter table payment_plans rename column state_reason to renamed`;
    service.startDispatcher();
    const unread = workflowIdOf('paymentPlan', id);
    await eventually('it has stalled', async () => {
      const description = await handleOf(unread)
        .describe()
        .catch(() => null);
      return description?.typedSearchAttributes.get(attributes.stalled);
    });
    try {
      for (const workflowId of [workflowIdOf('paymentPlan', poisoned.id), unread]) {
        await allowTimeSkipping(service.temporal, workflowId);
        assert.equal(await eventsWhileWatched(workflowId), 0);
      }
    } finally {
      await sql`alter table payment_plans rename column renamed to state_reason`;
    }
    await handleOf(unread).signal('poke');
    await paid(merchant, id, 1);
    await sql`update payment_intents set metadata = '{}' where payment_plan_id = ${poisoned.id}`;
    await sendCommand(operations(), poisoned.id, { name: 'recheck' });
    await paid(merchant, poisoned.id, 1);
  });

  it('does not outlast `ops start-over`: the plan is then charged at its dates, once each', async () => {
    const merchant = await merchantOf('live');
    const { id, workflowId } = await planOf(merchant, inDays(7));
    await allowTimeSkipping(service.temporal, workflowId);
    await stalled(id);
    // Its date comes before an operator sees it: a recheck then makes the payment, once.
    await makeDueIn(id, -100);
    await sendCommand(operations(), id, { name: 'recheck' });
    await paid(merchant, id, 1);
    await stalled(id);

    const { runId } = await running(workflowId);
    assert.match(await startOver(operations(), id), /was ended, and is started again/);
    await eventually('another run', async () => (await running(workflowId)).runId !== runId);
    await freed(id);
    const due = await makeDueIn(id, 1_500);
    await handleOf(workflowId).signal('poke');
    const [, second] = await paid(merchant, id, 2);
    const late = Date.parse(second?.attempts[0]?.at ?? '') - due;
    assert.ok(late >= 0 && late < 2_000, `charged ${late} ms after its date`);
    assert.equal(await eventsWhileWatched(workflowId), 0);
    assert.equal(ledger.taken.size, 2);
    assert.equal(ledger.requests.length, 2);
    await freed(id);
  });

  it('is not needed if Temporal’s clock is an hour ahead: the plan stalls, and is charged at its date', async () => {
    const merchant = await merchantOf('sandbox');
    const { id, workflowId } = await planOf(merchant, never);
    await setAnHourAhead(workflowId);
    const due = await makeDueIn(id, 4_000);
    await handleOf(workflowId).signal('poke');
    const { why } = await stalled(id);
    assert.match(why, /the workflow’s clock is 60 minutes ahead/);
    assert.deepEqual(ledger.requests, []);
    const [payment] = await paid(merchant, id, 1);
    const late = Date.parse(payment?.attempts[0]?.at ?? '') - due;
    assert.ok(late >= 0 && late < 2_000, `charged ${late} ms after its date`);
  });

  it('does not delete a test clock before its 30 days are over, and the clock still advances', async () => {
    const merchant = await merchantOf('sandbox');
    const { clock, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('testClock', clock.id);
    await running(workflowId);
    await allowTimeSkipping(service.temporal, workflowId);
    const { why, remedy } = await stalled(clock.id);
    assert.match(why, /the workflow’s clock is 30 days ahead/);
    assert.match(remedy, new RegExp(`start-over ${clock.id}`));
    assert.equal(await eventsWhileWatched(workflowId), 0);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-01-05T00:00:00.000Z']);

    await startOver(operations(), clock.id);
    await freed(clock.id);
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)).slice(1), ['1 paid 2027-01-12T00:00:00.000Z']);
  });

  describe('with an `advanceTo` of its own', () => {
    const advanceTo = (workflowId: string, target: number) =>
      handleOf(workflowId).executeUpdate<void, [number]>('advanceTo', { args: [target] });
    const isRefused = (error: unknown): boolean => {
      assert.ok(error instanceof WorkflowUpdateFailedError, String(error));
      assert.match(String(error.cause?.message), /^Nothing is advanced: the subject is on no test clock/);
      return true;
    };
    const target = realNow().getTime() + 400 * 24 * hour;

    it('is refused by a plan in real time, which can still continue in a fresh run', async () => {
      const merchant = await merchantOf('sandbox');
      const { id, workflowId } = await planOf(merchant, inDays(7));
      const { runId } = await running(workflowId);
      await assert.rejects(advanceTo(workflowId, target), isRefused);
      await handleOf(workflowId).signal('startFreshRun');
      await eventually('it is in a fresh run', async () => (await running(workflowId)).runId !== runId);
      await assert.rejects(advanceTo(workflowId, target), isRefused);
      assert.deepEqual(await merchant.payments(id), []);
    });

    it('collects nothing of a plan on a test clock beyond the advance that the API has accepted', async () => {
      const merchant = await merchantOf('sandbox');
      const { clock, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
      const workflowId = workflowIdOf('paymentPlan', plan.id);
      await running(workflowId);
      await allowTimeSkipping(service.temporal, workflowId);
      const args: [number] = [Date.parse('2027-03-01T00:00:00Z')];
      await handleOf(workflowId).startUpdate('advanceTo', { args, waitForStage: 'ACCEPTED' });
      assert.equal(await eventsWhileWatched(workflowId), 0);
      assert.deepEqual(await merchant.payments(plan.id), []);
      await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
      assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-01-05T00:00:00.000Z']);
    });

    it('is also refused before the first read, but accepted then by a plan on a clock', async () => {
      const merchant = await merchantOf('sandbox');
      const clock = await merchant.clock('2027-01-04T00:00:00Z');
      const onClock = await merchant.payer({ test_clock: clock.id });
      await service.stopWorkers();
      const { id, workflowId } = await planOf(merchant, inDays(7));
      const planOnClock = await merchant.activePlan({ customer_id: onClock.id, start_date: '2027-01-05' });
      const workflowIdOnClock = workflowIdOf('paymentPlan', planOnClock.id);
      await running(workflowIdOnClock);
      const sent = Promise.allSettled([
        advanceTo(workflowId, target),
        advanceTo(workflowIdOnClock, Date.parse('2027-01-04T00:00:00Z')),
      ]);
      await pause(1_000); // both wait for a worker
      await service.startWorkers();
      const [refused, accepted] = await sent;
      assert.ok(refused.status === 'rejected' && isRefused(refused.reason));
      assert.equal(accepted.status, 'fulfilled');
      const events = (await handleOf(workflowId).fetchHistory()).events ?? [];
      assert.ok(events.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes));
      await handleOf(workflowId).signal('startFreshRun');
      await eventually('it is in a fresh run', async () => {
        const [first] = (await handleOf(workflowId).fetchHistory()).events ?? [];
        return first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
      });
      assert.deepEqual(await merchant.payments(id), []);
      await merchant.move(id, 'close');
      const isCompleted = async () => (await handleOf(workflowId).describe()).status.name === 'COMPLETED';
      await eventually('it is at rest before the service ends', isCompleted);
    });
  });
});
