import assert from 'node:assert/strict';
import { afterEach } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

// See patches/README.md. That a thread which hangs ends its process is in stopped-worker.test.ts.
describe('the threads in which workflows run', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ idle: true });
  afterEach(async () => {
    delete process.env.WORKFLOW_THREADS;
    await service.stopWorkers();
  });

  /** What the tab "Call Stack" of the Web UI shows of a plan that waits for its first payment. */
  async function callStack(): Promise<unknown> {
    await service.startWorkers();
    service.startDispatcher();
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2099-01-01' });
    const workflow = service.temporal.workflow.getHandle(`payment-plan/${plan.id}`);
    const length = () =>
      workflow.describe().then(
        ({ historyLength }) => historyLength,
        () => 0,
      );
    await eventually('it waits', async () => (await length()) > 6);
    return workflow.query('__stack_trace').catch((error: Error) => error.message);
  }

  it('keep no stack for each promise', async () => {
    assert.match(String(await callStack()), /stack traces are not enabled/);
  });

  it('keep a stack for each promise if WORKFLOW_THREADS is as-shipped', async () => {
    process.env.WORKFLOW_THREADS = 'as-shipped';
    assert.match(String(await callStack()), /customer-time.ts/);
  });
});
