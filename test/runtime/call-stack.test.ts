import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

describe('the tab Call Stack of the Web UI', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService();

  it('shows the line of our code at which a plan waits for its first payment', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const workflow = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    const length = () =>
      workflow.describe().then(
        ({ historyLength }) => historyLength,
        () => 0,
      );
    await eventually('it waits', async () => (await length()) > 6);
    assert.match(String(await workflow.query('__stack_trace')), /customer-time\.ts/);
  });
});
