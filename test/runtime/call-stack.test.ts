import assert from 'node:assert/strict';
import { afterEach } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

// See docs/dependencies.md, "Stacks of workflows".
describe('the tab Call Stack of the Web UI', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  afterEach('end the workers', async () => {
    delete process.env.WORKFLOW_STACKS;
    await service.stopDispatcher();
    await service.stopWorkers();
  });

  /** What it shows of a plan that waits for its first payment. */
  async function callStack(): Promise<string> {
    await service.startWorkers();
    service.startDispatcher();
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const workflow = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    const length = () =>
      workflow.describe().then(
        ({ historyLength }) => historyLength,
        () => 0,
      );
    await eventually('it waits', async () => (await length()) > 6);
    return String(await workflow.query('__stack_trace').catch((error: Error) => error.message));
  }

  it('shows the line of our code at which a plan waits, with WORKFLOW_STACKS=true', async () => {
    process.env.WORKFLOW_STACKS = 'true';
    assert.match(await callStack(), /customer-time\.ts/);
  });

  it('says otherwise that stacks are not enabled, and the log is silent about it', async () => {
    const { write } = process.stderr;
    let written = '';
    process.stderr.write = (chunk: string | Uint8Array) => {
      written += chunk;
      return true;
    };
    try {
      assert.match(await callStack(), /stack traces are not enabled/);
    } finally {
      process.stderr.write = write;
    }
    assert.doesNotMatch(written, /promiseHooks/);
  });
});
