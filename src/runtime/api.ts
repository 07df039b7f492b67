// The API process: answers HTTP, and tells Temporal at once what its own transactions have committed.
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from '../api/app.ts';
import { serve } from '../api/server.ts';
import { openPool } from '../db/connection.ts';
import { readConfig } from './config.ts';
import { startDispatcher } from './dispatcher.ts';
import { announceReady, onShutdown, surviveOutages } from './lifecycle.ts';
import { createLogger } from './logger.ts';
import { processorsOf } from './processors.ts';
import { requirementsOf } from './requirements.ts';
import { openTemporal } from './temporal-client.ts';
import { watchTimeSkipping } from './time-skipping.ts';

const config = readConfig(process.env);
const { databaseUrl, vault } = requirementsOf(config);
const logger = createLogger(config.logLevel, 'api');
surviveOutages(logger);
const sql = openPool(databaseUrl, { max: 24, name: 'payments api' });
const temporal = openTemporal(config);
const timeSkipping = watchTimeSkipping(temporal, logger);
const dispatcher = startDispatcher(sql, temporal, config.temporalTaskQueue, logger);
let ending = false;
const app = createApp({
  sql,
  vault,
  logger,
  settings: config,
  processors: processorsOf(config),
  canSkipTime: timeSkipping.known,
  checks: {
    PostgreSQL: () => sql`select 1`,
    Temporal: () => temporal.workflowService.getSystemInfo({}),
    'a process that stays': async () => {
      if (ending) throw new Error('the process is ending');
    },
  },
});
const server = await serve(app, { port: config.port });

const delayMs = config.drainDelaySeconds * 1000;
onShutdown(
  async () => {
    // Not ready, and serving: who asks takes this process out before it takes no connection any more.
    ending = true;
    server.drain();
    await pause(delayMs);
    await server.close();
    timeSkipping.close();
    await dispatcher.close();
    await temporal.connection.close();
    await sql.end({ timeout: 5 });
  },
  { delayMs },
);
announceReady();
logger.info({ port: server.port }, 'API is ready');
