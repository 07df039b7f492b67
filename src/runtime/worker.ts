// The worker process: runs workflows and activities, and the dispatcher that tells Temporal what was committed.
import { openPool } from '../db/connection.ts';
import { readConfig } from './config.ts';
import { startDispatcher } from './dispatcher.ts';
import { startHousekeeping } from './housekeeping.ts';
import { announceReady, onShutdown, surviveOutages } from './lifecycle.ts';
import { createLogger } from './logger.ts';
import { processorsOf } from './processors.ts';
import { startReconciliations } from './reconciliation-schedule.ts';
import { requirementsOf } from './requirements.ts';
import { openTemporal } from './temporal-client.ts';
import { installTemporalRuntime, startWorkers } from './workers.ts';

const config = readConfig(process.env);
const { databaseUrl, vault } = requirementsOf(config);
const logger = createLogger(config.logLevel, 'worker');
installTemporalRuntime(logger);
surviveOutages(logger);
const sql = openPool(databaseUrl, { max: 40, name: 'payments worker' });
const temporal = openTemporal(config);
const processors = processorsOf(config);
const workers = await startWorkers({ config, sql, vault, temporal, processors, logger });
const dispatcher = startDispatcher(sql, temporal, config.temporalTaskQueue, logger);
const reconciliations = startReconciliations(sql, temporal, config.temporalTaskQueue, logger);
const housekeeping = startHousekeeping(sql, processors, logger);

onShutdown(async () => {
  // What is under way ends side by side; the dispatcher stays until the last of it is committed, and tells of that too.
  await Promise.all([housekeeping.close(), reconciliations.close(), workers.close()]);
  await dispatcher.close();
  await temporal.connection.close();
  await sql.end({ timeout: 5 });
});
workers.ended.catch((error: unknown) => {
  logger.fatal({ err: error }, 'the worker has ended by itself');
  process.exit(1);
});
announceReady();
logger.info({ task_queue: config.temporalTaskQueue }, 'worker is ready');
