// The process of the pages for payers: serves HTML, and dispatches the outbox entries of its own transactions at once.

import { createPages } from '../pages/app.ts';
import { createLogger } from '../platform/logger.ts';
import { openPool } from '../platform/postgres/connection.ts';
import { takesWrites } from '../platform/postgres/transaction.ts';
import { checkVault } from './checked-vault.ts';
import { processorsOf } from './dependencies.ts';
import { startDispatcher } from './dispatcher.ts';
import { announceReady, orExplain, surviveOutages } from './lifecycle.ts';
import { drainOnShutdown, listen } from './listen.ts';
import { openMetrics } from './metrics/open.ts';
import { watchSelf } from './self-watch.ts';
import { readServingConfig } from './service-config.ts';
import { logTelemetry } from './telemetry/log-events.ts';
import { closeSides, openSides } from './temporal/sides.ts';

/** As for the API: a page that cannot be shown within this time is a 503. */
const acquireTimeoutMs = 5_000;

const connections = 16;

/** Passed by `npm start` to its own pages, which have no proxy in front. */
const forThisMachine = process.argv.includes('--for-this-machine');

const { config, databaseUrl, vault, publicUrl } = await orExplain(() =>
  readServingConfig(process.env, { forThisMachine }),
);
const logger = createLogger(config.logLevel, 'pages');
surviveOutages(logger);
logTelemetry(logger);
const sql = openPool(databaseUrl, { max: connections, name: 'payments pages', acquireTimeoutMs });
const ending = new AbortController();
const keys = checkVault(sql, vault, config.lostEncryptionKeys, logger, ending.signal);
const sides = openSides(config);
const metrics = await orExplain(() => openMetrics(config, { sql, poolMax: connections, worker: null, logger }));
const dispatchers = sides.map((side) => startDispatcher(sql, side, logger));
const pages = createPages({
  sql,
  vault: keys.vault,
  logger,
  processors: processorsOf(config, sql, () => keys.vault),
  publicUrl,
  trustedProxies: config.trustedProxies,
  cardFields: config.liveCardFields,
  tokensMayPassLuhn: config.tokensMayPassLuhn,
  forThisMachine,
  async isReady() {
    if (ending.signal.aborted) throw new Error('the process is ending');
    await Promise.all([takesWrites(sql), keys.fits]);
  },
  ...(metrics === null ? {} : { watch: metrics.pages }),
});
await keys.fitsOrWaits;
const watching = watchSelf({ sql, databaseUrl, vault: keys.vault }, 'pages', logger);
const server = await orExplain(() =>
  listen(pages, { host: config.host, port: config.pagesPort, variable: 'PAGES_PORT' }),
);

drainOnShutdown(server, ending, config.drainDelaySeconds, async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
  await watching.close();
  await metrics?.close();
  await closeSides(sides);
  await sql.end({ timeout: 5 });
});
announceReady();
logger.info({ port: server.port }, 'pages are ready');
