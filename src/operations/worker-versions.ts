import { setTimeout as pause } from 'node:timers/promises';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { grpcDetailsOf, grpcStatusOf } from '../platform/grpc-status.ts';
import { CommandRefused } from '../services/command-refused.ts';
import { nameOf, type WorkflowSide, type WorkflowSides } from './sides/workflow-sides.ts';

/** The version that workflows without one are counted under. */
const unversioned = '(without a version)';

/** RoutingConfigUpdateState of Temporal's API: its task queues do not all know the current version yet. */
const stillPropagating = 1;
const askAgainMs = 200;

/** WorkerDeploymentVersionStatus of Temporal's API, by its numbers. */
const statuses = ['unknown', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'];

/** A version of the workers, as one Temporal knows it. */
export interface VersionRow {
  temporal: string;
  build_id: string;
  /** "current": new workflows begin there. "draining": it still has some. "drained": it has none. */
  status: string;
  /** How many workflows run there now. */
  running: number;
}

/**
 * Returns the versions of a deployment that each Temporal knows, the newest first, with the number of workflows that
 * run on each. The last row counts the service's running workflows that no version has had yet.
 * @throws the gRPC error when a Temporal is not reachable.
 */
export async function listVersions(sides: WorkflowSides, deploymentName: string): Promise<VersionRow[]> {
  return (await Promise.all(sides.map((side) => versionsOf(side, deploymentName)))).flat();
}

async function versionsOf(side: WorkflowSide, deploymentName: string): Promise<VersionRow[]> {
  const { temporal, taskQueue } = side;
  const running = async (condition: string): Promise<number> =>
    (await temporal.workflow.count(`ExecutionStatus = 'Running' and ${condition}`)).count;
  const deployment = await describeDeployment(side, deploymentName);
  const createdAt = ({ createTime }: { createTime?: { seconds?: unknown } | null }) => Number(createTime?.seconds ?? 0);
  const summaries = (deployment?.versionSummaries ?? []).sort((a, b) => createdAt(b) - createdAt(a));
  const versions = summaries.map(async ({ deploymentVersion, status }) => {
    const buildId = deploymentVersion?.buildId ?? '';
    const count = await running(`TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}'`);
    return { build_id: buildId, status: statuses[status ?? 0] ?? 'unknown', running: count };
  });
  const queues = `TaskQueue in ('${taskQueue}', '${webhookTaskQueue(taskQueue)}')`;
  const rest = running(`${queues} and TemporalWorkerDeploymentVersion is null`).then((count) => ({
    build_id: unversioned,
    status: '',
    running: count,
  }));
  return (await Promise.all([...versions, rest])).map((row) => ({ temporal: nameOf(side), ...row }));
}

/** What a Temporal knows about the deployment; null if it has never seen a worker of it. */
async function describeDeployment({ temporal }: WorkflowSide, deploymentName: string) {
  const { workflowService, options } = temporal;
  try {
    const asked = { namespace: options.namespace, deploymentName };
    const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment(asked);
    return workerDeploymentInfo ?? null;
  } catch (error) {
    if (grpcStatusOf(error) === 'NOT_FOUND') return null;
    throw error;
  }
}

/**
 * Makes a version the current one in each Temporal: new workflows begin on it, and running ones move to it when they
 * continue as new. Waits until every task queue knows it. Repeating it changes nothing.
 * @throws CommandRefused when no worker of this version has registered, or not for all task queues of the former one.
 */
export async function setCurrentVersion(
  sides: WorkflowSides,
  deploymentName: string,
  buildId: string,
  identity: string,
): Promise<void> {
  for (const side of sides) {
    const { workflowService, options } = side.temporal;
    const version = { namespace: options.namespace, deploymentName, buildId };
    try {
      await workflowService.setWorkerDeploymentCurrentVersion({ ...version, identity });
    } catch (error) {
      const status = grpcStatusOf(error) ?? '';
      if (!['NOT_FOUND', 'FAILED_PRECONDITION'].includes(status)) throw error;
      throw new CommandRefused(
        `${nameOf(side)} refuses to make ${buildId} the current version of ${deploymentName} (${grpcDetailsOf(error)}). ` +
          'Start its workers first; each registers its version when it polls for tasks.',
      );
    }
    const isOnTheWay = async () =>
      (await describeDeployment(side, deploymentName))?.routingConfigUpdateState === stillPropagating;
    while (await isOnTheWay()) await pause(askAgainMs);
  }
}
