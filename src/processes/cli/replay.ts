import { WorkflowNotFoundError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowIdOf } from '../../messages/workflow-types.ts';
import { workflowTypeOfId } from '../../operations/operator-commands.ts';
import type { WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import { createLogger } from '../../platform/logger.ts';
import { closeSides, openSides } from '../temporal/sides.ts';
import { installTemporalRuntime } from '../temporal/workers.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { defineCommand, type Output, refuseMore, UsageError } from './command.ts';
import { readRunningConfig } from './context.ts';

export const command = defineCommand({
  usage: `Usage:
  replay WORKFLOW_ID [--run RUN_ID] [--address HOST:PORT] [--namespace NAME]

Fetches the history of a workflow from the Temporal of the running service, or from the given one, and runs today's workflow
code against it, in this process alone: nothing is charged, sent or written. WORKFLOW_ID is as in the Web UI, such as
payment-plan/pp_..., or the id of the object. The exit status is 0 if the code fits the history, and 1 if it does not.`,
  options: { run: { type: 'string' }, address: { type: 'string' }, namespace: { type: 'string' } },
  failureStatus: 2,
  async run({ values, words: [id, ...rest] }): Promise<Output> {
    if (id === undefined) throw new UsageError('Give the id of a workflow.');
    refuseMore(rest);
    const workflowId = id.includes('/') ? id : workflowIdOf(workflowTypeOfId(id), id);
    const { config } = await readRunningConfig({
      ...process.env,
      ...(values.address === undefined ? {} : { TEMPORAL_ADDRESS: values.address }),
      ...(values.namespace === undefined ? {} : { TEMPORAL_NAMESPACE: values.namespace }),
    });
    const isGiven = values.address !== undefined || values.namespace !== undefined;
    const sides = openSides(isGiven ? { ...config, sandboxTemporal: null } : config);
    const history = await fetchHistory(sides, workflowId, values.run).finally(() => closeSides(sides));
    const events = `${history.events?.length ?? 0} events`;
    const logger = createLogger('fatal', 'replay');
    installTemporalRuntime(logger);
    try {
      await Worker.runReplayHistory({ workflowBundle: await bundleWorkflows(logger) }, history, workflowId);
      return `${workflowId}: today's workflow code fits its history (${events}).`;
    } catch (error) {
      if (!(error instanceof DeterminismViolationError)) throw error;
      return { status: 1, text: `${workflowId}: ${explainMismatch(events, error)}` };
    }
  },
});

/** The history of a workflow, from the first side that knows it. */
async function fetchHistory(sides: WorkflowSides, workflowId: string, runId: string | undefined): Promise<History> {
  const [side, ...others] = sides;
  try {
    return await side.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  } catch (error) {
    const [next, ...rest] = others;
    if (!(error instanceof WorkflowNotFoundError) || next === undefined) throw error;
    return fetchHistory([next, ...rest], workflowId, runId);
  }
}

function explainMismatch(events: string, { message }: Error): string {
  return `today's workflow code does not fit its history (${events}).

  ${message}

This is a nondeterminism error. When a worker takes over a workflow, it runs the code again from the start, and the code must
issue the same commands in the same order as the history records: timers, activities, signals, patches. The message above
names the first difference. A worker with this code cannot continue the workflow: its tasks fail until a fitting version
runs. Nothing is lost or charged meanwhile.

What to do: do not deploy this code. Put the change behind a patch, so that runs from before it keep the former path; the
steps are in docs/upgrades.md, "The workflows". Then replay again.`;
}
