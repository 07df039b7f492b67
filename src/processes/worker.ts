// The worker process: runs workflows and activities, and the dispatcher of the outbox.

import { watchLostDeliveries, watchLostSubjects } from '../operations/lost-deliveries.ts';
import { startReconciliations } from '../operations/reconciler/schedule.ts';
import { createLogger } from '../platform/logger.ts';
import { openPool } from '../platform/postgres/connection.ts';
import { checkVault } from './checked-vault.ts';
import { processorsOf } from './dependencies.ts';
import { startHousekeeping } from './housekeeping.ts';
import { announceReady, onShutdown, orExplain, surviveOutages } from './lifecycle.ts';
import { openMetrics } from './metrics/open.ts';
import { startNotices } from './notices.ts';
import { watchSelf } from './self-watch.ts';
import { readServiceConfig } from './service-config.ts';
import { logTelemetry } from './telemetry/log-events.ts';
import { closeSides, openSides } from './temporal/sides.ts';
import { TemporalRefusal } from './temporal/wait.ts';
import { installTemporalRuntime } from './temporal/workers.ts';
import { bundleWorkflows } from './temporal/workflow-bundle.ts';
import { keepSide, startSide } from './worker-sides.ts';

const connections = 40;

const { config, databaseUrl, vault } = await orExplain(() => readServiceConfig(process.env));
// Before all else: log lines and calls to Temporal carry the id of their trace.
const tracing =
  config.tracingEndpoint === null
    ? null
    : (await import('./telemetry/tracing.ts')).startTracing(config.tracingEndpoint, 'worker');
const logger = createLogger(config.logLevel, 'worker');
await orExplain(() => installTemporalRuntime(logger, config.metricsPort));
logTelemetry(logger);
surviveOutages(logger);
const sql = openPool(databaseUrl, { max: connections, name: 'payments worker' });
// The figures of the metrics are read even while the process waits for its own connections.
const figures = openPool(databaseUrl, { max: 2, name: 'payments figures' });
const sides = openSides(config, tracing?.client);
const processors = processorsOf(config, sql, () => keys.vault);
const metrics = await orExplain(() =>
  openMetrics(config, { sql, poolMax: connections, worker: { sides, figures }, logger }),
);

// A stop signal during the wait for Temporal ends the process at once: nothing is under way yet.
const starting = new AbortController();
let close = async (): Promise<void> => starting.abort();
onShutdown(() => close());

const keys = checkVault(sql, vault, config.lostEncryptionKeys, logger, starting.signal);
const deps = {
  ...{ sql, vault: keys.vault, processors, logger, webhookAllowLoopback: config.webhookAllowLoopback },
  version: config.workerVersion,
  workflowBundle: await bundleWorkflows(logger, { isTraced: tracing !== null }),
  ...(tracing === null ? {} : { tracing: tracing.worker }),
};
await keys.fitsOrWaits;
// The first side is that of live mode, or of both modes: it decides when this process is ready, and when it ends.
const [first, ...others] = sides;
const kept = others.map((side) => keepSide(side, deps));
close = async () => {
  starting.abort();
  await Promise.all(kept.map((side) => side.closeWorkers()));
  await Promise.all(kept.map((side) => side.closeDispatcher()));
};
const main = await startSide(first, deps, starting.signal).catch((error: unknown) => {
  if (starting.signal.aborted) return new Promise<never>(() => {}); // the process is ending
  const message = error instanceof TemporalRefusal ? error.message : 'the worker cannot start';
  logger.fatal({ err: error }, message);
  process.exit(1);
});
const reconciliations = startReconciliations(sql, sides, logger);
const lost = [watchLostDeliveries(sql, sides, logger), watchLostSubjects(sql, sides, logger)];
const housekeeping = startHousekeeping(sql, processors, logger);
const notices = startNotices(sql, processors, logger);
const watching = watchSelf({ sql, databaseUrl, vault: keys.vault }, 'worker', logger);

close = async () => {
  const running = [main, ...kept];
  // What is under way ends in parallel. The dispatchers stay until the last of it is committed, and dispatch that too.
  await Promise.all([
    watching.close(),
    housekeeping.close(),
    notices.close(),
    reconciliations.close(),
    ...lost.map((watching) => watching.close()),
    ...running.map((side) => side.closeWorkers()),
  ]);
  await Promise.all(running.map((side) => side.closeDispatcher()));
  await metrics?.close();
  await tracing?.close().catch(() => {}); // the collector may be away
  await closeSides(sides);
  await Promise.all([sql.end({ timeout: 5 }), figures.end({ timeout: 5 })]);
};
main.ended.catch((error: unknown) => {
  logger.fatal({ err: error }, 'the worker has ended unexpectedly');
  process.exit(1);
});
announceReady();
logger.info({ task_queue: config.temporalTaskQueue }, 'worker is ready');
