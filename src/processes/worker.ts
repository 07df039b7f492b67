// The worker process: runs workflows and activities, and the dispatcher of the outbox.
import { TransportError } from '@temporalio/worker';
import { startReconciliations } from '../operations/reconciler/schedule.ts';
import { createLogger } from '../platform/logger.ts';
import { openPool } from '../platform/postgres/connection.ts';
import { readConfig } from './config/config.ts';
import { processorsOf, requiredOf } from './dependencies.ts';
import { startDispatcher } from './dispatcher.ts';
import { startHousekeeping } from './housekeeping.ts';
import { announceReady, onShutdown, surviveOutages } from './lifecycle.ts';
import { startMetrics } from './metrics/start.ts';
import { logTelemetry } from './telemetry/log-events.ts';
import { openTemporal } from './temporal/client.ts';
import { TemporalRefusal, untilTemporalIsReachable } from './temporal/wait.ts';
import { installTemporalRuntime, type RunningWorkers, startWorkers } from './temporal/workers.ts';
import { bundleWorkflows } from './temporal/workflow-bundle.ts';

const connections = 40;

const config = readConfig(process.env);
const { databaseUrl, vault } = requiredOf(config);
// Before all else: log lines and calls to Temporal carry the id of their trace.
const tracing =
  config.tracingEndpoint === null
    ? null
    : (await import('./telemetry/tracing.ts')).startTracing(config.tracingEndpoint, 'worker');
const logger = createLogger(config.logLevel, 'worker');
installTemporalRuntime(logger, config.metricsPort);
logTelemetry(logger);
surviveOutages(logger);
const sql = openPool(databaseUrl, { max: connections, name: 'payments worker' });
const temporal = openTemporal(config, tracing?.client);
const processors = processorsOf(config);
const metrics =
  config.metricsPort === null
    ? null
    : await startMetrics({
        port: config.metricsPort,
        host: config.metricsHost,
        sql,
        poolMax: connections,
        worker: { temporal, taskQueue: config.temporalTaskQueue },
        logger,
      });

// A stop signal during the wait for Temporal ends the process at once: nothing is under way yet.
const starting = new AbortController();
let close = async (): Promise<void> => starting.abort();
onShutdown(() => close());

const workers = await startWhenPossible().catch((error: unknown) => {
  if (starting.signal.aborted) return new Promise<never>(() => {}); // the process is ending
  const message = error instanceof TemporalRefusal ? error.message : 'the worker cannot start';
  logger.fatal({ err: error }, message);
  process.exit(1);
});
const dispatcher = startDispatcher(sql, temporal, config.temporalTaskQueue, logger);
const reconciliations = startReconciliations(sql, temporal, config.temporalTaskQueue, logger);
const housekeeping = startHousekeeping(sql, processors, logger);

close = async () => {
  // What is under way ends in parallel. The dispatcher stays until the last of it is committed, and dispatches that
  // too.
  await Promise.all([housekeeping.close(), reconciliations.close(), workers.close()]);
  await dispatcher.close();
  await metrics?.close();
  await tracing?.close().catch(() => {}); // the collector may be away
  await temporal.connection.close();
  await sql.end({ timeout: 5 });
};
workers.ended.catch((error: unknown) => {
  logger.fatal({ err: error }, 'the worker has ended by itself');
  process.exit(1);
});
announceReady();
logger.info({ task_queue: config.temporalTaskQueue }, 'worker is ready');

/**
 * Starts as soon as Temporal can be reached, however long that takes. Each part that needs PostgreSQL waits for it
 * itself.
 */
async function startWhenPossible(): Promise<RunningWorkers> {
  const workflowBundle = await bundleWorkflows(logger, { isTraced: tracing !== null });
  for (;;) {
    await untilTemporalIsReachable(temporal, config, logger, starting.signal);
    try {
      return await startWorkers({
        ...{ config, sql, vault, temporal, processors, logger, workflowBundle },
        ...(tracing === null ? {} : { tracing: tracing.worker }),
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      logger.warn({ err: error }, 'Temporal went away while the worker was starting; waiting for it');
    }
  }
}
