import type { WorkerOptions } from '@temporalio/worker';
import type { TemporalServer } from '../config/temporal.ts';
import { isRemoteAddress } from '../config/transport.ts';
import type { WorkerVersion } from '../config/worker-version.ts';

type Pollers = Pick<WorkerOptions, 'workflowTaskPollerBehavior' | 'activityTaskPollerBehavior'>;

/** Never fewer polls than a task queue of a Temporal has partitions by default, plus one. The maximum is the SDK's. */
const autoscaling = { type: 'autoscaling', minimum: 5, initial: 10, maximum: 100 } as const;

/**
 * Returns how a worker polls this server for tasks. A server on another machine advises with each response how many
 * polls of each kind to keep open, from 5 to 100. For one on this machine, such as the embedded one, the SDK's fixed
 * ten are enough: a poll loses no time on a network.
 */
export function pollersFor({ address }: Pick<TemporalServer, 'address'>): Pollers {
  if (address === null || !isRemoteAddress(address)) return {};
  return { workflowTaskPollerBehavior: autoscaling, activityTaskPollerBehavior: autoscaling };
}

/** Returns the options of a worker of this version: a workflow's run stays on it. Null: a worker without a version. */
export function versioningOf(version: WorkerVersion | null): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === null) return {};
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}
