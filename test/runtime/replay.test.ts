import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs, temporalServer, testLogger, testNamespace } from '../support/temporal.ts';
import { waitsForItsDate } from '../support/waiting-workflow.ts';

const inAYear = new Date(realNow().getTime() + 365 * 86_400_000).toISOString().slice(0, 10);

describe('npm run replay', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ isAlone: true });

  async function replay(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const program = fileURLToPath(new URL('../../src/processes/cli/main.ts', import.meta.url));
    const options = ['--address', await temporalServer(), '--namespace', testNamespace];
    return new Promise((resolve) => {
      execFile(process.execPath, [program, 'replay', ...args, ...options], (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
  }

  it('says that the code of today fits the history of a running plan, named by its workflow or by its id', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await waitsForItsDate(service.temporal, `payment-plan/${id}`);
    for (const name of [id, `payment-plan/${id}`]) {
      const { code, stdout, stderr } = await replay(name);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^payment-plan/${id}: today's workflow code fits its history \\(\\d+ events\\)`));
    }
  });

  it('says what a history that does not fit means, and what to do', async () => {
    testLogger();
    const taskQueue = `${service.taskQueue}-other`;
    const connection = await NativeConnection.connect({ address: await temporalServer() });
    const worker = await Worker.create({
      namespace: testNamespace,
      taskQueue,
      connection,
      workflowsPath: fileURLToPath(new URL('other-workflows.ts', import.meta.url)),
    });
    const workflowId = `payment-plan/${taskQueue}`;
    await worker.runUntil(
      service.temporal.workflow.execute('paymentPlan', { workflowId, taskQueue, args: ['pp_other'] }),
    );
    await connection.close();
    const { code, stdout, stderr } = await replay(workflowId);
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /does not fit its history/);
    assert.match(stdout, /nondeterminism error/);
    assert.match(stdout, /behind a patch/);
  });

  it('ends with 2 when there is no such workflow, and when no workflow is named', async () => {
    const [unknown, none] = await Promise.all([replay('payment-plan/pp_none'), replay()]);
    assert.deepEqual([unknown.code, none.code], [2, 2]);
    assert.match(unknown.stderr, /not found/i);
    assert.match(none.stderr, /Give the id of a workflow/);
  });
});
