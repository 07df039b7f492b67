import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { allowTimeSkipping } from '../../src/processes/temporal/time-skipping.ts';
import { paymentLines } from '../support/merchant.ts';
import { type Service, useService } from '../support/service.ts';

/** A workflow that spins through skipped timers adds dozens of events in this time. */
const watchedMs = 2_000;

const handleOf = (service: Service, workflowId: string) => service.temporal.workflow.getHandle(workflowId);

async function eventsOf(service: Service, workflowId: string) {
  return (await handleOf(service, workflowId).fetchHistory()).events ?? [];
}

async function isSkipping(service: Service, workflowId: string): Promise<boolean> {
  const { raw } = await handleOf(service, workflowId).describe();
  return raw.workflowExtendedInfo?.timeSkippingInfo?.effectiveConfig?.enabled === true;
}

describe('a plan whose timers Temporal skips only twice', () => {
  const service = useService({ maxSkips: 2 });

  it('is not given more by being allowed the same again: Temporal counts over all advances, then stops', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, '2027-01-05T00:00:00Z');
    assert.equal(await isSkipping(service, workflowId), true);
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.equal(await isSkipping(service, workflowId), false);
    const allowed = async () =>
      (await eventsOf(service, workflowId)).filter((event) => event.workflowExecutionOptionsUpdatedEventAttributes);
    assert.equal((await allowed()).length, 1);

    await merchant.advance(clock.id, '2027-01-19T00:00:00Z');
    assert.equal(await isSkipping(service, workflowId), true);
    assert.equal((await allowed()).length, 2);
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
      '2 paid 2027-01-19T00:00:00.000Z',
    ]);
  });

  it('completes an advance that needs more, since it is allowed again every five seconds', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z 2027-01-06T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z 2027-01-13T00:00:00.000Z',
    ]);
    const skipped = (await eventsOf(service, workflowIdOf('paymentPlan', plan.id))).filter(
      (event) => event.workflowExecutionTimeSkippingTransitionedEventAttributes,
    );
    assert.equal(skipped.length, 4);
  }).timeout(30_000);
});

describe('a plan on a clock whose timers Temporal may still skip after an advance', () => {
  const service = useService({ isAlone: true });

  /** Returns how many timers its history has, once it has not grown while it was watched. */
  async function timersAtRest(workflowId: string): Promise<number> {
    const length = async () => (await handleOf(service, workflowId).describe()).historyLength;
    await eventually(
      `${workflowId} is at rest`,
      async () => {
        const before = await length();
        await pause(watchedMs);
        return (await length()) === before;
      },
      { timeoutMs: 10_000 },
    );
    const events = await eventsOf(service, workflowId);
    return events.filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes).length;
  }

  /** Meanwhile no plan can be read or collected, as when a worker is older or newer than the schema. */
  async function whileUnreadable(work: () => Promise<void>): Promise<void> {
    await service.db.sql`alter table payment_plans rename column state_reason to renamed`;
    try {
      await work();
    } finally {
      await service.db.sql`alter table payment_plans rename column renamed to state_reason`;
    }
  }

  it('holds no timer between advances, whatever wakes it', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await handleOf(service, workflowId).signal('poke');
    await handleOf(service, workflowId).executeUpdate('recheck');
    await merchant.move(plan.id, 'suspend');
    await merchant.move(plan.id, 'resume');
    await whileUnreadable(async () => {
      await handleOf(service, workflowId).signal('poke');
      assert.equal(await timersAtRest(workflowId), 1, 'the one of the advance');
    });
    assert.equal(await isSkipping(service, workflowId), true);
  }).timeout(30_000);

  it('holds no timer in a run that inherits the skipping and cannot read the plan', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    const { runId } = await handleOf(service, workflowId).describe();
    await handleOf(service, workflowId).signal('startFreshRun');
    const fresh = await eventually('it has made the first step of a fresh run', async () => {
      const now = await handleOf(service, workflowId).describe();
      const events = await eventsOf(service, workflowId);
      const step = events.find(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes);
      return now.runId !== runId && step?.eventId && { runId: now.runId, step: step.eventId };
    });
    await whileUnreadable(async () => {
      // Its first step again: the same start, and now a read that fails.
      await service.temporal.workflowService.resetWorkflowExecution({
        namespace: service.temporal.options.namespace,
        workflowExecution: { workflowId, runId: fresh.runId },
        workflowTaskFinishEventId: fresh.step,
        requestId: randomUUID(),
        reason: 'test',
      });
      await eventually('it has stalled', async () => {
        return (await handleOf(service, workflowId).describe()).typedSearchAttributes.get(attributes.stalled);
      });
      assert.equal(await timersAtRest(workflowId), 0);
      assert.equal(await isSkipping(service, workflowId), true);
    });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
  }).timeout(30_000);

  it('holds one timer at the most when it was started anew and cannot be read', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await handleOf(service, workflowId).terminate('lost');
    await whileUnreadable(async () => {
      await service.temporal.workflow.start('paymentPlan', {
        taskQueue: service.taskQueue,
        workflowId,
        args: [plan.id],
      });
      await allowTimeSkipping(service.temporal, workflowId);
      assert.equal(await timersAtRest(workflowId), 1);
    });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    assert.equal((await merchant.payments(plan.id)).length, 2);
  }).timeout(30_000);
});
