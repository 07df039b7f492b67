import type { Client } from '@temporalio/client';
import {
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundle,
} from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createWebhookActivities } from '../activities/webhook-activities.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import type { Logger } from '../platform/logger.ts';
import { outboundPolicy } from '../platform/outbound-address.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { startSharedClock } from '../platform/postgres/database-clock.ts';
import type { Processors } from '../processors/processor.ts';
import type { Vault } from '../services/accounts/vault.ts';
import { createWebhookSender, maxRequestsUnderWay } from '../services/webhooks/sender.ts';
import { createClockMover } from './clock-mover.ts';
import type { Config } from './config.ts';
import { sdkTelemetry } from './metrics/temporal-sdk.ts';
import { temporalAddress } from './temporal-client.ts';
import { temporalLogger } from './temporal-logger.ts';
import type { Tracing } from './tracing.ts';
import { bundleWorkflows } from './workflow-bundle.ts';

/** What is under way may take this long to end when the process is told to; the supervisor waits a little longer. */
const shutdownGraceTime = '10s';

/**
 * A workflow is first offered to the worker that has it in memory; if that one is gone, to all after this. Shorter, and a
 * thousand plans due at one instant are offered twice, with their histories replayed: measured, three times as slow.
 */
const stickyQueueScheduleToStartTimeout = '10s';

/**
 * For how long a workflow may think at a stretch, real time: far longer than any does, and longer than a process is stopped
 * or starved. When this time is over the SDK (its default is 5 s) breaks off JavaScript in the middle, which in Node.js 20
 * ends the whole process: "async hook stack has become corrupted", https://github.com/nodejs/node/issues/38503. The SDK
 * knows the option, its types do not.
 */
const workflowPatience: object = { isolateExecutionTimeout: '2m' };

export interface WorkerDeps {
  config: Pick<
    Config,
    | 'temporalAddress'
    | 'temporalTls'
    | 'temporalApiKey'
    | 'temporalNamespace'
    | 'temporalTaskQueue'
    | 'webhookAllowLoopback'
  >;
  sql: Pool;
  vault: Vault;
  temporal: Client;
  processors: Processors;
  logger: Logger;
  /** Made once and given to several workers, as the tests do; bundled here when it is missing. */
  workflowBundle?: WorkflowBundle;
  /** How many workflows are kept in memory between their tasks; 0 replays each from its history. */
  maxCachedWorkflows?: number;
  /** What carries traces through workflows and activities; the bundle has to have its part too. */
  tracing?: Tracing['worker'];
  /** The instants of webhook attempts: real time as PostgreSQL has it, unless a test has a server of its own time. */
  now?: () => Date;
  /** How far real time may be ahead of the database's clock (see `WorkflowTime`); only a test with such a server says so. */
  maxAheadMs?: number | undefined;
}

export interface RunningWorkers {
  /** Ends when the workers have ended, by `close` or by themselves. */
  ended: Promise<void>;
  /** Takes no new task and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Starts the worker of plans, scheduled payments and clocks, and beside it the one of webhook deliveries: on a task queue and
 * in slots of its own, so that a flood of events, or receivers that hang, hold up no plan.
 */
export async function startWorkers(deps: WorkerDeps): Promise<RunningWorkers> {
  const { config, sql, vault, temporal, processors, logger } = deps;
  const taskQueue = config.temporalTaskQueue;
  const workflowBundle = deps.workflowBundle ?? (await bundleWorkflows(logger));
  const connection = await NativeConnection.connect(temporalAddress(config));
  // Receivers hold signatures against their clock, and workers hand deliveries to each other.
  const clock = startSharedClock(sql);
  const sender = createWebhookSender({ policy: outboundPolicy(config.webhookAllowLoopback) });
  const common = {
    connection,
    namespace: config.temporalNamespace,
    shutdownGraceTime,
    stickyQueueScheduleToStartTimeout,
    ...workflowPatience,
    ...deps.tracing,
  };
  const collecting: WorkerOptions = {
    ...common,
    taskQueue,
    workflowBundle,
    activities: createActivities({
      sql,
      processors,
      moveSubject: createClockMover(temporal, taskQueue),
      maxAheadMs: deps.maxAheadMs,
    }),
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 30,
    maxConcurrentActivityTaskExecutions: 100,
    maxCachedWorkflows: deps.maxCachedWorkflows ?? 2000,
  };
  const delivering: WorkerOptions = {
    ...common,
    taskQueue: webhookTaskQueue(taskQueue),
    workflowBundle,
    workflowThreadPoolSize: 1,
    maxConcurrentWorkflowTaskExecutions: 100,
    activities: createWebhookActivities({ sql, vault, sender, now: deps.now ?? clock.now, random: Math.random }),
    // More than can be sent at once: there is room for what is refused, prepared or recorded meanwhile.
    maxConcurrentActivityTaskExecutions: maxRequestsUnderWay + 64,
  };
  const workers = await createAll([collecting, delivering], connection).catch((error: unknown) => {
    clock.close();
    throw error;
  });
  const ended = Promise.all(workers.map((worker) => worker.run())).then(() => {});
  return {
    ended,
    async close() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      clock.close();
      await sender.close();
      await connection.close();
    },
  };
}

/** Each asks Temporal whether it may work there. When one is refused, none is left, and no connection. */
async function createAll(all: readonly WorkerOptions[], connection: NativeConnection): Promise<Worker[]> {
  const created: Worker[] = [];
  try {
    for (const options of all) created.push(await Worker.create(options));
    return created;
  } catch (error) {
    // Only a worker that has run can end, and only when all have ended the connection can.
    const runs = created.map((worker) => worker.run());
    for (const worker of created) worker.shutdown();
    await Promise.allSettled(runs);
    await connection.close();
    throw error;
  }
}

/**
 * Sends what the SDK says to the process's own log, and serves what it counts where the process serves metrics; called once,
 * before any worker is made.
 */
export function installTemporalRuntime(logger: Logger, metricsPort: number | null = null): void {
  Runtime.install({
    logger: temporalLogger(logger),
    // The native part would write to the console by itself, past the log.
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsPort === null ? {} : sdkTelemetry(metricsPort)),
    },
    shutdownSignals: [],
  });
}
