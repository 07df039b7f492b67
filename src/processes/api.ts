// The API process: serves HTTP, and dispatches the outbox entries of its own transactions at once.

import { findLatestRun, sideOf } from '../operations/sides/workflow-sides.ts';
import { findStuckWorkflows } from '../operations/stuck/workflows.ts';
import { createLogger } from '../platform/logger.ts';
import { openPool } from '../platform/postgres/connection.ts';
import { takesWrites } from '../platform/postgres/transaction.ts';
import { createWebApp } from '../sites/app.ts';
import { checkVault } from './checked-vault.ts';
import { processorsOf, webUisOf } from './dependencies.ts';
import { startDispatcher } from './dispatcher.ts';
import { announceReady, orExplain, surviveOutages } from './lifecycle.ts';
import { drainOnShutdown, listen } from './listen.ts';
import { openMetrics } from './metrics/open.ts';
import { watchSelf } from './self-watch.ts';
import { readServingConfig } from './service-config.ts';
import { logTelemetry } from './telemetry/log-events.ts';
import { closeSides, openSides } from './temporal/sides.ts';
import { watchTimeSkipping } from './temporal/time-skipping.ts';

/** A request that cannot be served within this time gets a 503. After a longer wait its client has given up. */
const acquireTimeoutMs = 5_000;

const connections = 24;

/**
 * Passed by `npm start` to its own API, which has no proxy in front. An argument, since environments are easily
 * inherited.
 */
const forThisMachine = process.argv.includes('--for-this-machine');

const { config, databaseUrl, vault, publicUrl } = await orExplain(() =>
  readServingConfig(process.env, { forThisMachine }),
);
// Before all else: log lines and calls to Temporal carry the id of their trace.
const tracing =
  config.tracingEndpoint === null
    ? null
    : (await import('./telemetry/tracing.ts')).startTracing(config.tracingEndpoint, 'api');
const logger = createLogger(config.logLevel, 'api');
surviveOutages(logger);
logTelemetry(logger);
const sql = openPool(databaseUrl, { max: connections, name: 'payments api', acquireTimeoutMs });
// The operators' page responds even while all requests wait. It connects when the page is opened.
const figures = openPool(databaseUrl, { max: 3, name: 'payments operators', acquireTimeoutMs });
const ending = new AbortController();
const keys = checkVault(sql, vault, config.lostEncryptionKeys, logger, ending.signal);
const sides = openSides(config, tracing?.client);
const timeSkipping = watchTimeSkipping(sideOf(sides, false).temporal, logger);
const metrics = await orExplain(() => openMetrics(config, { sql, poolMax: connections, worker: null, logger }));
const dispatchers = sides.map((side) => startDispatcher(sql, side, logger));
const app = createWebApp({
  sql,
  vault: keys.vault,
  logger,
  ...(metrics === null ? {} : { watch: metrics.requests }),
  publicUrl,
  apiUrl: config.apiUrl ?? `http://127.0.0.1:${config.port}`,
  settings: config,
  processors: processorsOf(config, sql, () => keys.vault),
  canSkipTime: timeSkipping.known,
  forThisMachine,
  demo: forThisMachine && config.demo !== null ? { ...config.demo, baseUrl: `http://127.0.0.1:${config.port}` } : null,
  operations: {
    key: config.operatorKey,
    webUis: webUisOf(config),
    findLatestRun: (workflowId, livemode) => findLatestRun(sideOf(sides, livemode), workflowId),
    figures,
    findStuckWorkflows: (now) => findStuckWorkflows(figures, sides, now),
  },
  checks: {
    // Without the comparison, most requests still fail.
    PostgreSQL: () => Promise.all([takesWrites(sql), keys.fits]),
    // If there are two, the one of live mode: the sandbox's must not take this process away from live mode.
    Temporal: () => sides[0].temporal.workflowService.getSystemInfo({}),
    'a process that stays': async () => {
      if (ending.signal.aborted) throw new Error('the process is ending');
    },
  },
});
await keys.fitsOrWaits;
const watching = watchSelf({ sql, databaseUrl, vault: keys.vault }, 'api', logger);
const server = await orExplain(() => listen(app, { host: config.host, port: config.port, variable: 'PORT' }));

drainOnShutdown(server, ending, config.drainDelaySeconds, async () => {
  timeSkipping.close();
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
  await watching.close();
  await metrics?.close();
  await tracing?.close().catch(() => {}); // the collector may be away
  await closeSides(sides);
  await Promise.all([sql.end({ timeout: 5 }), figures.end({ timeout: 5 })]);
});
announceReady();
logger.info({ port: server.port }, 'API is ready');
