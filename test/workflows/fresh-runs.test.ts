import assert from 'node:assert/strict';
import type { TypedSearchAttributes } from '@temporalio/common';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { startSummaryOf, summaryOf } from '../../src/messages/workflow-summaries.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

const frozen = '2027-01-04T00:00:00.000Z';
const week = 7 * 86_400_000;
const afterWeeks = (weeks: number): string => new Date(Date.parse(frozen) + weeks * week).toISOString();
/** The lines of payments that were made week after week, from a week after the start. */
const paidWeekly = (weeks: number): string[] =>
  Array.from({ length: weeks }, (_, slot) => `${slot} paid ${afterWeeks(slot + 1)}`);

/**
 * More than the longest run has: the limit, and what an advance adds. An advance that begins before the fresh run does
 * puts it off.
 */
const longestRun = 300;

describe('a workflow whose history grows long', function () {
  this.timeout(90_000);
  const service = useService({ isAlone: true });

  const handleOf = (workflowId: string, runId?: string) => service.temporal.workflow.getHandle(workflowId, runId);
  const described = (workflowId: string) =>
    eventually(`${workflowId} is there`, () =>
      handleOf(workflowId)
        .describe()
        .catch(() => null),
    );
  const eventsOf = async (workflowId: string, runId?: string) =>
    (await handleOf(workflowId, runId).fetchHistory()).events ?? [];

  /** The number of events of each run, from the first run to the present one. None waits before its first step. */
  async function runsFrom(workflowId: string, firstRunId: string): Promise<number[]> {
    const lengths: number[] = [];
    for (let runId: string | null | undefined = firstRunId; runId; ) {
      const events = await eventsOf(workflowId, runId);
      // Without `history.workflowIdReuseMinimalInterval` it would be a second, a year ahead: see dynamic-config.yaml.
      const backOff = events[0]?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff;
      assert.equal(Number(backOff?.seconds ?? 0), 0, `run ${lengths.length + 1}`);
      lengths.push(events.length);
      runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    }
    return lengths;
  }

  const found = (known: TypedSearchAttributes) => ({
    biller: known.get(attributes.billerId),
    customer: known.get(attributes.customerId),
    clock: known.get(attributes.testClockId),
    livemode: known.get(attributes.livemode),
    state: known.get(attributes.planState),
    due: known.get(attributes.nextDueAt)?.toISOString(),
  });

  const pageOf = async (workflowId: string): Promise<string> =>
    (await handleOf(workflowId).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

  it('continues in fresh runs on its own: a plan keeps each of 64 weekly slots, through advances of two weeks', async () => {
    const { merchant, clock, plan, payer } = await service.planOnClock(frozen, { start_date: '2027-01-11' });
    const ofPlan = workflowIdOf('paymentPlan', plan.id);
    const ofClock = workflowIdOf('testClock', clock.id);
    const first = { plan: await described(ofPlan), clock: await described(ofClock) };
    for (let weeks = 2; weeks <= 64; weeks += 2) await merchant.advance(clock.id, afterWeeks(weeks));

    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), paidWeekly(64));
    const manifests = await merchant.manifests(clock.id);
    assert.deepEqual(
      manifests.map(({ payment_intents_enqueued }) => payment_intents_enqueued),
      Array(32).fill(2),
    );
    const runs = {
      plan: await runsFrom(ofPlan, first.plan.runId),
      clock: await runsFrom(ofClock, first.clock.runId),
    };
    for (const lengths of Object.values(runs)) {
      assert.ok(lengths.length >= 3, `runs of ${lengths} events`);
      assert.ok(Math.max(...lengths) <= longestRun, `runs of ${lengths} events`);
    }

    const now = await described(ofPlan);
    assert.deepEqual(found(now.typedSearchAttributes), {
      biller: plan.biller_id,
      customer: payer.id,
      clock: clock.id,
      livemode: false,
      state: 'active',
      due: afterWeeks(65),
    });
    // Temporal keeps the summary for the first run only, so the page has it.
    const summary = summaryOf('paymentPlan', plan.id);
    const started = startSummaryOf('paymentPlan', plan.id);
    assert.deepEqual([await first.plan.staticSummary(), await now.staticSummary()], [started, undefined]);
    assert.match(
      await pageOf(ofPlan),
      new RegExp(`^### Payment plan: active, on a test clock\n\n${summary}\\.\n\nWaits`),
    );
    assert.match(await pageOf(ofClock), new RegExp(`^### .*\n\n${summaryOf('testClock', clock.id)}\\.\n\n`));
  });

  it('does not continue during an advance: one of 64 weeks keeps each slot in one run, and the next advance too', async () => {
    const { merchant, clock, plan } = await service.planOnClock(frozen, { start_date: '2027-01-11' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const { runId } = await described(workflowId);
    await service.stopWorkers();
    await merchant.beginAdvance(clock.id, afterWeeks(2));
    // Further than the API admits.
    await service.db.sql`update test_clocks set target_time = ${afterWeeks(64)} where id = ${clock.id}`;
    await service.db.sql`update clock_advances set target_time = ${afterWeeks(64)} where test_clock_id = ${clock.id}`;
    await service.startWorkers();
    const { status, frozen_time } = await merchant.stopped(clock.id);
    assert.deepEqual([status, frozen_time], ['ready', afterWeeks(64)]);
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), paidWeekly(64));
    const events = await eventsOf(workflowId, runId);
    assert.equal(events.filter(({ timerFiredEventAttributes }) => timerFiredEventAttributes).length, 64);
    assert.ok(events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes, 'it continued after the advance');

    await merchant.advance(clock.id, afterWeeks(66));
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), paidWeekly(66));
    assert.equal((await runsFrom(workflowId, runId)).length, 2);
  });

  it('collects in the fresh run what is due at the clock’s own time, such as the payment of a resumed plan', async () => {
    const { merchant, clock, plan } = await service.planOnClock(frozen, {
      start_date: '2027-01-11',
      failure_behaviour: 'stop',
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const { runId } = await described(workflowId);
    for (let days = 8; (await described(workflowId)).runId === runId; days++) {
      assert.ok(days < 40, 'it continued in a fresh run');
      await merchant.advance(clock.id, new Date(Date.parse(frozen) + days * 86_400_000).toISOString());
      for (let looks = 0; looks < 5; looks++) await handleOf(workflowId).executeUpdate('recheck');
    }
    const { frozen_time } = await merchant.getClock(clock.id);
    await merchant.move(plan.id, 'resume');
    const paid = await eventually('it is paid', async () => {
      const payments = await merchant.payments(plan.id);
      return payments[0]?.status === 'paid' && payments;
    });
    assert.equal(paymentLines(paid)[0], `0 paid ${afterWeeks(1)} ${frozen_time}`);
  });

  it('sets the timer of a plan in real time again, which is then charged once, when its instant comes', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const { runId } = await described(workflowId);
    const due = new Date(realNow().getTime() + 10_000);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    while ((await described(workflowId)).runId === runId) await handleOf(workflowId).executeUpdate('recheck');
    assert.ok(realNow() < due, 'it continued in a fresh run before the date');

    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    const [payment, ...others] = await merchant.payments(plan.id);
    const late = Date.parse(payment?.attempts[0]?.at ?? '') - due.getTime();
    assert.ok(late >= 0 && late < 2_000, `charged ${late} ms after its instant`);
    assert.deepEqual([payment?.attempts.length, others], [1, []]);
    const [before, fresh, ...more] = await runsFrom(workflowId, runId);
    assert.ok(before !== undefined && before <= longestRun && fresh !== undefined && more.length === 0);
    const timers = (await eventsOf(workflowId)).filter(({ timerFiredEventAttributes }) => timerFiredEventAttributes);
    assert.equal(timers.length, 1);
  });
});
