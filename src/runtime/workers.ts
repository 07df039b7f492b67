import type { Client } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createWebhookActivities } from '../activities/webhook-activities.ts';
import type { Pool } from '../db/connection.ts';
import { realNow } from '../domain/real-time.ts';
import { webhookTaskQueue } from '../domain/task-queues.ts';
import type { Processors } from '../processors/processor.ts';
import { outboundPolicy } from '../services/outbound-address.ts';
import type { Vault } from '../services/vault.ts';
import { createWebhookSender, maxRequestsUnderWay } from '../services/webhook-sender.ts';
import { createClockMover } from './clock-mover.ts';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import { temporalAddress } from './temporal-client.ts';
import { temporalLogger } from './temporal-logger.ts';
import { bundleWorkflows } from './workflow-bundle.ts';

/** What is under way may take this long to end when the process is told to; the supervisor waits a little longer. */
const shutdownGraceTime = '10s';

/**
 * A workflow is first offered to the worker that has it in memory; if that one is gone, to all after this. Shorter, and a
 * thousand plans due at one instant are offered twice, with their histories replayed: measured, three times as slow.
 */
const stickyQueueScheduleToStartTimeout = '10s';

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
  /** The instants of webhook attempts: real time, unless a test has a server of its own time. */
  now?: () => Date;
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
  const sender = createWebhookSender({ policy: outboundPolicy(config.webhookAllowLoopback) });
  const common = {
    connection,
    namespace: config.temporalNamespace,
    shutdownGraceTime,
    stickyQueueScheduleToStartTimeout,
  };
  const collecting = await Worker.create({
    ...common,
    taskQueue,
    workflowBundle,
    activities: createActivities({
      sql,
      processors,
      moveSubject: createClockMover(temporal, taskQueue),
    }),
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 30,
    maxConcurrentActivityTaskExecutions: 100,
    maxCachedWorkflows: deps.maxCachedWorkflows ?? 2000,
  });
  const delivering = await Worker.create({
    ...common,
    taskQueue: webhookTaskQueue(taskQueue),
    workflowBundle,
    workflowThreadPoolSize: 1,
    maxConcurrentWorkflowTaskExecutions: 100,
    activities: createWebhookActivities({ sql, vault, sender, now: deps.now ?? realNow, random: Math.random }),
    // More than can be sent at once: there is room for what is refused, prepared or recorded meanwhile.
    maxConcurrentActivityTaskExecutions: maxRequestsUnderWay + 64,
  });
  const ended = Promise.all([collecting.run(), delivering.run()]).then(() => {});
  return {
    ended,
    async close() {
      for (const worker of [collecting, delivering]) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await sender.close();
      await connection.close();
    },
  };
}

/** Sends what the SDK says to the process's own log; called once, before any worker is made. */
export function installTemporalRuntime(logger: Logger): void {
  Runtime.install({
    logger: temporalLogger(logger),
    // The native part would write to the console by itself, past the log.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
    shutdownSignals: [],
  });
}
