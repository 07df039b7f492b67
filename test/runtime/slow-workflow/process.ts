// A process with the service's workers, which runs one workflow of this folder and prints its result.
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { createLogger } from '../../../src/platform/logger.ts';
import { openPool } from '../../../src/platform/postgres/connection.ts';
import { openSides } from '../../../src/processes/temporal/sides.ts';
import { installTemporalRuntime, startWorkers } from '../../../src/processes/temporal/workers.ts';
import { sandboxProcessor } from '../../../src/processors/sandbox.ts';
import { createVault } from '../../../src/services/accounts/vault.ts';

const [temporalAddress = '', temporalNamespace = '', taskQueue = '', workflowType = ''] = process.argv.slice(2);
const server = { address: temporalAddress, namespace: temporalNamespace, tls: false, apiKey: null, metadata: {} };
const logger = createLogger('warn', 'slow workflow');
installTemporalRuntime(logger);
const [side] = openSides({ temporal: server, sandboxTemporal: null, temporalTaskQueue: taskQueue });
const { temporal } = side;
const workflowsPath = fileURLToPath(new URL('workflow.ts', import.meta.url));
const workers = await startWorkers({
  side,
  webhookAllowLoopback: false,
  sql: openPool('postgres://nobody@127.0.0.1:1/none', { max: 1, name: 'test' }),
  vault: createVault([{ id: 'test', key: Buffer.alloc(32) }]),
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
