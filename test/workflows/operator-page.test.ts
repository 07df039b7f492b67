import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { useService } from '../support/service.ts';

interface Described {
  name: string;
  description?: string;
}

interface Metadata {
  currentDetails?: string;
  definition?: { queryDefinitions?: Described[]; signalDefinitions?: Described[]; updateDefinitions?: Described[] };
}

describe('what operators see in Temporal', () => {
  const service = useService();

  const count = async (query: string): Promise<number> => (await service.temporal.workflow.count(query)).count;
  const metadataOf = (workflowId: string): Promise<Metadata> =>
    service.temporal.workflow.getHandle(workflowId).query<Metadata>('__temporal_workflow_metadata');

  it('finds plans by state, customer and clock, and shows where each stands', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
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
    assert.match(during.currentDetails ?? '', /^### Payment plan: active, on a test clock$/m);
    assert.match(
      during.currentDetails ?? '',
      /Waits for \*\*the retry of payment 1 \(slot 0\)\*\*, at 2027-01-08 00:00:00 UTC, since 2027-01-06 00:00:00 UTC/,
    );
    assert.match(
      during.currentDetails ?? '',
      /\*\*Next:\*\* payment 1 \(slot 0\), due 2027-01-05, attempt 3, at 2027-01-08 00:00:00 UTC/,
    );
    assert.match(
      during.currentDetails ?? '',
      /Last failure:\*\* The account does not have enough funds.*`insufficient_funds`, 2027-01-06 00:00:00 UTC/,
    );
    assert.ok(during.currentDetails?.includes(`GET /api/v1/payment_plans/${failing.id}/payments`));
    assert.match(during.currentDetails ?? '', /`retryNow`: .*\n- `skipSlot` with `0`: /);
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
    assert.match(suspended.currentDetails ?? '', /^### Payment plan: suspended \(payment_failed\), on a test clock$/m);
    assert.match(
      suspended.currentDetails ?? '',
      /Waits for \*\*the biller, to resume the plan, which tries payment 1 \(slot 0\) again at once, or to close it\*\*/,
    );
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
    assert.match(currentDetails, /^### Test clock: ready at 2027-02-04 00:00:00 UTC$/m);
    assert.ok(currentDetails.includes(clock.expires_at.slice(0, 19).replace('T', ' ')));
  });

  it('explains every signal, command and query', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const { definition } = await eventually('its workflow is there', () =>
      metadataOf(workflowIdOf('paymentPlan', plan.id)).catch(() => null),
    );
    const described = (definition?.signalDefinitions ?? []).filter(({ description }) => description);
    assert.deepEqual(described.map(({ name }) => name).sort(), ['poke', 'recheck', 'startFreshRun']);
    const commands = (definition?.updateDefinitions ?? []).filter(({ description }) => description);
    assert.deepEqual(commands.map(({ name }) => name).sort(), ['advanceTo', 'recheck', 'retryNow', 'skipSlot']);
    const queries = (definition?.queryDefinitions ?? []).filter(({ description }) => description);
    assert.ok(queries.some(({ name }) => name === statusQuery.name));
  });

  it('says on each timer what it waits for', async () => {
    const merchant = await service.merchant({ timeZone: 'Australia/Sydney' });
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    const summary = await eventually('its timer is set', async () => {
      const history = await handle.fetchHistory().catch(() => null);
      const timer = history?.events?.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
      return timer?.userMetadata?.summary?.data;
    });
    assert.equal(JSON.parse(Buffer.from(summary).toString()), 'payment 1 (slot 0), due 2099-01-01, attempt 1');
  });
});
