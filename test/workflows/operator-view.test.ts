import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/db/workflow-intents.ts';
import { eventually } from '../support/eventually.ts';
import { useService } from '../support/service.ts';

interface Metadata {
  currentDetails?: string;
  definition?: { signalDefinitions?: { name: string; description?: string }[] };
}

describe('what operators see in Temporal', () => {
  const service = useService();

  const count = async (query: string): Promise<number> => (await service.temporal.workflow.count(query)).count;
  const metadataOf = (workflowId: string): Promise<Metadata> =>
    service.temporal.workflow.getHandle(workflowId).query<Metadata>('__temporal_workflow_metadata');

  it('finds plans by state, customer and clock, and shows where each stands', async () => {
    const merchant = await service.merchant();
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const payer = await merchant.payer({ test_clock: clock.id });
    const plans = await Promise.all(
      ['decline', 'succeed'].map((outcome) =>
        merchant.activePlan({
          customer_id: payer.id,
          start_date: '2027-01-05',
          metadata: { _sandbox_outcome: outcome },
        }),
      ),
    );
    const [failing, paying] = plans;
    assert.ok(failing && paying);
    await merchant.advance(clock.id, '2027-01-06T12:00:00Z');

    const during = await metadataOf(workflowIdOf('paymentPlan', failing.id));
    assert.match(during.currentDetails ?? '', /\*\*active\*\* on test clock/);
    assert.match(during.currentDetails ?? '', /Next: slot 0, due 2027-01-05, attempt 3, at 2027-01-08T00:00:00.000Z/);
    assert.match(during.currentDetails ?? '', /Failed attempts in this series: 2/);
    assert.match(during.currentDetails ?? '', /Last error: The account does not have enough funds/);
    const ofCustomer = `WorkflowType="paymentPlan" and CustomerId="${payer.id}"`;
    const nextSlot = 'NextDueAt>"2027-01-11T12:00:00Z" and NextDueAt<"2027-01-12T12:00:00Z"';
    await eventually(
      'the failing one is found by its failures and its next slot',
      async () => (await count(`${ofCustomer} and FailedAttempts=2 and ${nextSlot}`)) === 1,
    );

    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    await eventually(
      'the suspended one is found',
      async () => (await count(`${ofCustomer} and PlanState="suspended"`)) === 1,
    );
    await eventually(
      'the other one is found by clock and biller',
      async () =>
        (await count(
          `${ofCustomer} and PlanState="active" and TestClockId="${clock.id}" and BillerId="${paying.biller_id}" and Livemode=false`,
        )) === 1,
    );
    const suspended = await metadataOf(workflowIdOf('paymentPlan', failing.id));
    assert.match(suspended.currentDetails ?? '', /\*\*suspended \(payment_failed\)\*\*/);
    assert.match(suspended.currentDetails ?? '', /Waits for somebody/);
  });

  it('shows a clock by its status, with its own time and the end of its life', async () => {
    const merchant = await service.merchant();
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    await merchant.advance(clock.id, '2027-02-04T00:00:00Z');
    const workflowId = workflowIdOf('testClock', clock.id);
    await eventually('the clock is found', async () => {
      return (await count(`WorkflowType="testClock" and ClockStatus="ready" and TestClockId="${clock.id}"`)) === 1;
    });
    const { currentDetails = '' } = await metadataOf(workflowId);
    assert.match(currentDetails, /\*\*ready\*\* at 2027-02-04T00:00:00.000Z/);
    assert.ok(currentDetails.includes(clock.expires_at));
  });

  it('explains every signal that an operator may send', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    const { definition } = await eventually('its workflow is there', () =>
      metadataOf(workflowIdOf('paymentPlan', plan.id)).catch(() => null),
    );
    const described = (definition?.signalDefinitions ?? []).filter(({ description }) => description);
    assert.deepEqual(described.map(({ name }) => name).sort(), ['poke', 'recheck', 'startFreshRun']);
  });

  it('says on each timer what it waits for', async () => {
    const merchant = await service.merchant({ timeZone: 'Australia/Sydney' });
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    const summary = await eventually('its timer is set', async () => {
      const history = await handle.fetchHistory().catch(() => null);
      const timer = history?.events?.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
      return timer?.userMetadata?.summary?.data;
    });
    assert.equal(JSON.parse(Buffer.from(summary).toString()), 'slot 0, due 2099-01-01, attempt 1');
  });
});
