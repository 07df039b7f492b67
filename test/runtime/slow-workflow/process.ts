// A process with the service's workers, which runs one workflow of this folder and prints its result.
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { createLogger } from '../../../src/platform/logger.ts';
import { openPool } from '../../../src/platform/postgres/connection.ts';
import { openTemporal } from '../../../src/processes/temporal/client.ts';
import { installTemporalRuntime, startWorkers } from '../../../src/processes/temporal/workers.ts';
import { sandboxProcessor } from '../../../src/processors/sandbox.ts';
import { createVault } from '../../../src/services/accounts/vault.ts';

const [temporalAddress = '', temporalNamespace = '', taskQueue = '', workflowType = ''] = process.argv.slice(2);
const config = { temporalAddress, temporalNamespace, temporalTaskQueue: taskQueue, temporalTls: false };
const reached = { ...config, temporalApiKey: null, webhookAllowLoopback: false };
const logger = createLogger('error', 'slow workflow');
installTemporalRuntime(logger);
const temporal = openTemporal(reached);
const workflowsPath = fileURLToPath(new URL('workflow.ts', import.meta.url));
const workers = await startWorkers({
  config: reached,
  sql: openPool('postgres://nobody@127.0.0.1:1/none', { max: 1, name: 'test' }),
  vault: createVault([{ id: 'test', key: Buffer.alloc(32) }]),
  temporal,
  processors: { sandbox: sandboxProcessor, live: null },
  logger,
  workflowBundle: await bundleWorkflowCode({ workflowsPath }),
});
const options = { taskQueue, workflowId: `${workflowType}/${taskQueue}`, workflowTaskTimeout: '10s' } as const;
const handle = await temporal.workflow.start(workflowType, options);
// A call of this client ends after four seconds.
for (let answer: unknown = null; answer === null; ) {
  answer = await handle.result().catch((error: unknown) => {
    if (error instanceof WorkflowFailedError) throw error;
    return null;
  });
  if (answer !== null) console.log(answer);
}
await workers.close();
process.exit(0);
