import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { after, before, describe, it } from 'mocha';
import { newId } from '../../src/domain/ids.ts';
import { temporalLogger } from '../../src/processes/temporal/logger.ts';
import { serverStartTimeoutMs, temporalServer, testLogger, testNamespace } from '../support/temporal.ts';
import { beforePatch, withoutPatch } from './without-patch.ts';

const workflowsPath = fileURLToPath(new URL('patched-workflow/workflow.ts', import.meta.url));
const patch = 'waitsTwice';

describe('a change of a workflow behind a patch', function () {
  this.timeout(serverStartTimeoutMs);
  let patched: WorkflowBundle;
  let connection: Connection;
  let native: NativeConnection;
  before('bundle the workflow', async () => {
    const logger = temporalLogger(testLogger());
    patched = await bundleWorkflowCode({ workflowsPath, logger });
    const address = await temporalServer();
    connection = await Connection.connect({ address });
    native = await NativeConnection.connect({ address });
  });
  after('disconnect', async () => {
    await connection?.close();
    await native?.close();
  });

  /** The history of a run of these workflows. */
  async function record(workflowBundle: WorkflowBundle): Promise<History> {
    const id = newId('event');
    const client = new Client({ connection, namespace: testNamespace });
    const worker = await Worker.create({ connection: native, namespace: testNamespace, taskQueue: id, workflowBundle });
    return worker.runUntil(async () => {
      const handle = await client.workflow.start('waiting', { workflowId: id, taskQueue: id });
      await handle.result();
      return handle.fetchHistory();
    });
  }

  const timersOf = ({ events }: History) =>
    events?.filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes).length;

  it('leaves a run from before the change as it was, and is made by a new run', async () => {
    const [older, newer] = [await record(beforePatch(patched, patch)), await record(patched)];
    assert.deepEqual([timersOf(older), timersOf(newer)], [1, 2]);
    for (const history of [older, newer]) await Worker.runReplayHistory({ workflowBundle: patched }, history);
  });

  it('would be refused by a run from before it without the patch, and by a run from after it in the code from before', async () => {
    const [older, newer] = [await record(beforePatch(patched, patch)), await record(patched)];
    const isRefused = (error: unknown) => error instanceof DeterminismViolationError;
    const without = { workflowBundle: withoutPatch(patched, patch) };
    await assert.rejects(Worker.runReplayHistory(without, older), isRefused);
    await assert.rejects(Worker.runReplayHistory({ workflowBundle: beforePatch(patched, patch) }, newer), isRefused);
  });

  it('needs only `deprecatePatch` when no run from before it is left', async () => {
    const newer = await record(patched);
    assert.ok('code' in patched);
    const code = patched.code.replace(/if \((\(0,\s*\w+\.)patched(\)\([^()]*\))\)/, '$1deprecatePatch$2;');
    assert.notEqual(code, patched.code);
    await Worker.runReplayHistory({ workflowBundle: { code } }, newer);
    await Worker.runReplayHistory({ workflowBundle: { code } }, await record({ code }));
  });
});
