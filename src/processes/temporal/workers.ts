import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import {
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundle,
} from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { createWebhookActivities } from '../../activities/webhook-activities.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import type { Logger } from '../../platform/logger.ts';
import { outboundPolicy } from '../../platform/outbound-address.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { startSharedClock } from '../../platform/postgres/database-clock.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { createWebhookSender } from '../../services/webhooks/sender.ts';
import { maxRequestsUnderWay } from '../../services/webhooks/sending-turns.ts';
import { ConfigError } from '../config/config.ts';
import type { TemporalServer } from '../config/temporal.ts';
import { isRemoteAddress } from '../config/transport.ts';
import type { WorkerVersion } from '../config/worker-version.ts';
import { portOfSdk, sdkTelemetry } from '../metrics/temporal-sdk.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { addressOf } from './client.ts';
import { createClockMover } from './clock-mover.ts';
import { temporalLogger } from './logger.ts';
import type { OpenSide } from './sides.ts';
import { bundleWorkflows } from './workflow-bundle.ts';

/**
 * Workflow tasks of plans that a worker has begun at once; as many as it carries out activities for. Temporal takes a
 * task back that was begun and not completed within five seconds. With a hundred at once that happened to every sixth
 * charge of a burst on a slow machine (two cores at 40 %), with thirty to none. A fast machine is no slower.
 */
const plansUnderWay = 30;

/** How long work under way may take after the stop signal. The supervisor waits a little longer. */
const shutdownGraceTime = '10s';

/**
 * A workflow task is first offered to the worker that has the workflow in memory; after this time, to all workers. They
 * must replay the history. It is also how long a task waits for a worker that was killed, so it cannot be longer: a
 * charge must follow within ten seconds. With a backlog of more than ten seconds, a part of the tasks is replayed.
 */
const stickyQueueScheduleToStartTimeout = '10s';

export interface WorkerDeps {
  side: OpenSide;
  sql: Pool;
  vault: Vault;
  /** Whether sandbox webhooks may go to addresses of this machine. */
  webhookAllowLoopback: boolean;
  processors: Processors;
  logger: Logger;
  /** The version of the workers. By default they have none. */
  version?: WorkerVersion | null;
  /** Made once and given to several workers, as the tests do. Bundled here when it is missing. */
  workflowBundle?: WorkflowBundle;
  /** How many workflows are kept in memory between their tasks; 0 replays each from its history. */
  maxCachedWorkflows?: number;
  /** What carries traces through workflows and activities. The workflow bundle must be built with tracing too. */
  tracing?: Tracing['worker'];
  /** The instants of webhook attempts: PostgreSQL's real time, unless a test has a server with its own time. */
  now?: () => RealInstant;
  /**
   * How far workflow time may be ahead of the database's clock (see `WorkflowTime`). Set only by tests with such a
   * server.
   */
  maxAheadMs?: number | undefined;
  /** How many timers of a workflow Temporal skips before it is asked again. Set only by tests. */
  maxSkips?: number | undefined;
}

export interface RunningWorkers {
  /** Resolves when the workers have ended, by `close` or on their own. */
  ended: Promise<void>;
  /** Takes no new task and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Starts two workers of a side: one for plans, scheduled payments and clocks, and one for webhook deliveries. The
 * second has its own task queue and slots, so that a flood of events or receivers that hang do not delay plans.
 */
export async function startWorkers(deps: WorkerDeps): Promise<RunningWorkers> {
  const { side, sql, vault, processors, logger } = deps;
  const { taskQueue } = side;
  const workflowBundle = deps.workflowBundle ?? (await bundleWorkflows(logger));
  const connection = await NativeConnection.connect(addressOf(side.server));
  // Receivers compare signatures with their clock, and workers take over deliveries from each other.
  const clock = startSharedClock(sql);
  const sender = createWebhookSender({ policy: outboundPolicy(deps.webhookAllowLoopback) });
  const common = {
    connection,
    namespace: side.server.namespace,
    shutdownGraceTime,
    stickyQueueScheduleToStartTimeout,
    ...pollersFor(side.server),
    ...versioningOf(deps.version ?? null),
    ...deps.tracing,
  };
  const collecting: WorkerOptions = {
    ...common,
    taskQueue,
    workflowBundle,
    activities: createActivities({
      sql,
      processors,
      moveSubject: createClockMover(side, deps.maxSkips),
      maxAheadMs: deps.maxAheadMs,
    }),
    maxConcurrentWorkflowTaskExecutions: plansUnderWay,
    maxConcurrentLocalActivityExecutions: plansUnderWay,
    maxConcurrentActivityTaskExecutions: 100,
    // The SDK would hold heartbeats back for four fifths of their timeout, which leaves a busy worker no margin.
    maxHeartbeatThrottleInterval: '2s',
    maxCachedWorkflows: deps.maxCachedWorkflows ?? 2000,
  };
  const delivering: WorkerOptions = {
    ...common,
    taskQueue: webhookTaskQueue(taskQueue),
    workflowBundle,
    workflowThreadPoolSize: 1,
    maxConcurrentWorkflowTaskExecutions: 100,
    activities: createWebhookActivities({ sql, vault, sender, now: deps.now ?? clock.now, random: Math.random }),
    // More than can be sent at once: this leaves room for attempts that are refused, prepared or recorded meanwhile.
    maxConcurrentActivityTaskExecutions: maxRequestsUnderWay + 64,
  };
  const workers = await createAll([collecting, delivering], connection).catch((error: unknown) => {
    clock.close();
    throw error;
  });
  const runs = workers.map((worker) => worker.run());
  const ended = Promise.all(runs).then(() => {});
  return {
    ended,
    async close() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
      clock.close();
      await sender.close();
      await connection.close();
    },
  };
}

/**
 * Each worker asks Temporal for permission to work there. If one is refused, all workers and the connection are closed.
 */
async function createAll(all: readonly WorkerOptions[], connection: NativeConnection): Promise<Worker[]> {
  const created: Worker[] = [];
  try {
    for (const options of all) created.push(await Worker.create(options));
    return created;
  } catch (error) {
    // A worker can end only after it has run, and the connection can close only after all workers have ended.
    const runs = created.map((worker) => worker.run());
    for (const worker of created) worker.shutdown();
    await Promise.allSettled(runs);
    await connection.close();
    throw error;
  }
}

/**
 * Sends the SDK's log lines to the process's own log, serves the SDK's metrics if the process serves metrics, and
 * leaves out the stacks of workflows. Call it once, before any worker is made.
 * @throws a ConfigError that names the port of the SDK's metrics, when it is taken.
 */
export function installTemporalRuntime(logger: Logger, metricsPort: number | null = null): void {
  preloadThreads();
  try {
    Runtime.install({
      logger: temporalLogger(logger),
      // Otherwise the native part writes to the terminal itself.
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
        ...(metricsPort === null ? {} : sdkTelemetry(metricsPort)),
      },
      shutdownSignals: [],
    });
  } catch (cause) {
    if (metricsPort === null) throw cause;
    const address = `127.0.0.1:${portOfSdk(metricsPort)}`;
    throw new ConfigError([
      `The metrics cannot be served at ${address} (METRICS_HOST, METRICS_PORT): those of the Temporal SDK take the port ` +
        `after METRICS_PORT. ${cause}`,
    ]);
  }
}

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

const preload = fileURLToPath(new URL('without-stacks.mjs', import.meta.url));

/**
 * Makes each thread that this process starts load `without-stacks.mjs` first. The SDK starts its threads of workflows
 * without a way to say so. `--import` of this process would reach them too, but not every start of a worker has it.
 */
function preloadThreads(): void {
  const { Worker } = threads;
  Object.assign(threads, {
    Worker: class extends Worker {
      constructor(file: string | URL, options: threads.WorkerOptions = {}) {
        super(file, { ...options, execArgv: ['--import', preload] });
      }
    },
  });
}
