import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/platform/postgres/connection.ts';
import { printError } from '../src/platform/terminal.ts';
import { type Config, childEnvironment } from '../src/processes/config/config.ts';
import type { TemporalServer } from '../src/processes/config/temporal.ts';
import { surviveOutages } from '../src/processes/lifecycle.ts';
import { addressOf } from '../src/processes/temporal/client.ts';
import { ensureNamespace, ensureSearchAttributes } from '../src/processes/temporal/namespace.ts';
import { canSkipTime, timeSkippingMissing } from '../src/processes/temporal/time-skipping.ts';
import { ensureDemoBiller } from '../src/services/accounts/billers.ts';
import { timeSkippingNeeded } from '../src/services/errors.ts';
import { serveAccounts } from './accounts.ts';
import { type Say, stopLeftover } from './daemon.ts';
import {
  cannotWrite,
  claimOwnFolder,
  type DemoBiller,
  type Development,
  readDemoBiller,
  removeDevelopment,
  writeDemoBiller,
  writeDevelopment,
} from './data-dir.ts';
import { prepareEncryptionKeys } from './encryption-keys.ts';
import { probePort } from './ports.ts';
import { takeLock } from './process-record.ts';
import { type KeptPostgres, keepPostgres, keepTemporal } from './servers.ts';
import { type ServiceOptions, serviceStopTimeoutMs, startService, stopService } from './service.ts';
import { Interrupted, type Stack, StartError } from './stack.ts';
import { awaitStripe, startStripe } from './stripe-processor.ts';

export interface Booted {
  development: Development;
  /** Ends worker and API, brings the schema up to date, and starts both anew. Throws as `boot` does. */
  restart(): Promise<void>;
}

/**
 * Starts what the configuration does not name as running elsewhere: PostgreSQL, Temporal with its Web UI, then worker
 * and API. Creates the schema, the namespace, the search attributes and the demo biller, and writes `development.json`.
 * Everything that was started is on the stack, even when this throws. What ends afterwards is started again. A process
 * boots once.
 * @throws StartError; Interrupted when the signal comes.
 */
export async function boot(config: Config, stack: Stack, say: Say, signal: AbortSignal): Promise<Booted> {
  surviveOutages({
    warn: ({ err }, words) => say(`${words}: ${err instanceof Error ? err.message : String(err)}`),
    fatal: ({ err }) => printError(err),
  });
  await claimDataDir(config.dataDir, stack, say);
  await checkPorts(config);

  const { database, workflows } = await startServers(config, stack, say, signal);
  const publicUrl = config.publicUrl ?? `http://127.0.0.1:${config.pagesPort}`;
  const env = childEnvironment({
    PORT: String(config.port),
    PAGES_PORT: String(config.pagesPort),
    PUBLIC_URL: publicUrl,
    DATA_DIR: config.dataDir,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: workflows.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    TEMPORAL_UI_URL: config.temporalUiUrl ?? workflows.uiUrl ?? '',
    WEBHOOK_ALLOW_LOOPBACK: String(config.webhookAllowLoopback),
    DRAIN_DELAY_SECONDS: '0', // nothing checks whether it is ready
    ENCRYPTION_KEYS: database.encryptionKeys,
  });
  const service: ServiceOptions = { config, demo: database.demo, env, stack, say, signal };
  const restart = oneAtATime(async () => {
    await stopService(stack);
    await migrate(database.url);
    await startService(service);
  });
  await startStripe(service, database.url);
  await startService(service);
  awaitStripe(service, database.url, restart);
  const baseUrl = `http://127.0.0.1:${config.port}`;
  const accounts = await serveAccounts(database.url, baseUrl);
  stack.push({ name: 'Accounts', stop: accounts.stop });

  const development: Development = {
    base_url: baseUrl,
    pages_url: publicUrl,
    temporal_ui_url: workflows.uiUrl,
    temporal_address: workflows.address,
    temporal_namespace: config.temporal.namespace,
    sandbox_temporal_address: ownAddress(config),
    sandbox_temporal_namespace: config.sandboxTemporal?.namespace ?? null,
    database_url: database.url,
    biller_id: database.demo.billerId,
    keys: database.demo.keys,
    accounts_url: accounts.url,
    accounts_token: accounts.token,
  };
  stack.push({ name: 'development.json', stop: () => removeDevelopment(config.dataDir) });
  await writeDevelopment(config.dataDir, development);
  return { development, restart };
}

/** Runs `work` for each call, one after the other. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.catch(() => {}).then(work);
    return last;
  };
}

/**
 * Takes the data directory for this run alone, and ends the processes that a killed run has left behind in it.
 * @throws StartError if another user may write it, or has put something there.
 */
async function claimDataDir(dataDir: string, stack: Stack, say: Say): Promise<void> {
  await claimOwnFolder(dataDir);
  const lock = await takeLock(join(dataDir, 'run', 'start.lock')).catch((cause: unknown) => {
    throw cannotWrite(dataDir, cause);
  });
  if (!lock.taken) {
    throw new StartError(
      `${dataDir} is in use: the service already runs from it (process ${lock.holder}).\n` +
        'End that one, or give this copy a DATA_DIR, PORT, PAGES_PORT, TEMPORAL_PORT and TEMPORAL_UI_PORT of its own.',
    );
  }
  stack.push({ name: 'the claim on DATA_DIR', stop: lock.release });
  // A service that was killed has left it.
  await removeDevelopment(dataDir);
  for (const name of ['api', 'pages', 'worker', 'processor-stripe', 'temporal-ui', 'temporal'] as const) {
    await stopLeftover(dataDir, name, 'SIGTERM', serviceStopTimeoutMs, say);
  }
  await stopLeftover(dataDir, 'postgres', 'SIGINT', serviceStopTimeoutMs, say);
}

/** Checks all ports before anything starts, so that you learn of all conflicts at once. */
async function checkPorts(config: Config): Promise<void> {
  const wanted = [
    { variable: 'PORT', port: config.port },
    { variable: 'PAGES_PORT', port: config.pagesPort },
  ];
  // The ports of the API, of the worker, of the Temporal SDK in the worker, and of the pages.
  for (const above of config.metricsPort === null ? [] : [0, 1, 2, 3]) {
    wanted.push({ variable: 'METRICS_PORT', port: (config.metricsPort ?? 0) + above });
  }
  if (config.temporal.address === null) {
    wanted.push({ variable: 'TEMPORAL_PORT', port: config.temporalPort });
    wanted.push({ variable: 'TEMPORAL_UI_PORT', port: config.temporalUiPort });
  }
  const problems: string[] = [];
  for (const [index, { variable, port }] of wanted.entries()) {
    const state = await probePort(port);
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined) {
      problems.push(`${variable} and ${twin.variable} are both ${port}; give each a port of its own.`);
    } else if (state === 'EADDRINUSE') {
      problems.push(`Port ${port} is taken by another process. End it, or set ${variable} to a free port.`);
    } else if (state === 'EACCES') {
      problems.push(`Port ${port} may not be used by this user. Set ${variable} to one above 1023.`);
    }
  }
  if (problems.length > 0) {
    throw new StartError(problems.join('\n'));
  }
}

type Database = KeptPostgres & { demo: DemoBiller; encryptionKeys: string };
type Workflows = { address: string; uiUrl: string | null };

/** Starts both at the same time. If one fails, the other is cancelled. */
async function startServers(
  config: Config,
  stack: Stack,
  say: Say,
  interruption: AbortSignal,
): Promise<{ database: Database; workflows: Workflows }> {
  const failure = new AbortController();
  const signal = AbortSignal.any([interruption, failure.signal]);
  const errors: unknown[] = [];
  const note = (error: unknown) => {
    errors.push(error);
    failure.abort();
    return null;
  };
  const started = startDatabase(config, stack, say).catch(note);
  const store = config.temporalStore === 'postgres' ? await started : null;
  const [database, workflows] = await Promise.all([
    started,
    startWorkflowServer(config, store, stack, say, signal).catch(note),
  ]);
  if (interruption.aborted) {
    throw new Interrupted();
  }
  if (database === null || workflows === null) {
    // The first error is the cause; a second one only comes from the cancellation.
    throw errors[0] instanceof Error ? new StartError(errors[0].message, { cause: errors[0] }) : errors[0];
  }
  return { database, workflows };
}

async function startDatabase(config: Config, stack: Stack, say: Say): Promise<Database> {
  const { url, untilUp } =
    config.databaseUrl === null
      ? await keepPostgres(config, stack, say)
      : { url: config.databaseUrl, untilUp: async () => {} };
  await migrate(url).catch((cause: unknown) => {
    throw new Error(`The schema could not be made in ${describeDatabase(config)}: ${messageOf(cause)}`, { cause });
  });
  const pool = openPool(url, { max: 1, name: 'start' });
  try {
    const encryptionKeys = await prepareEncryptionKeys(config, pool);
    const demo = await ensureDemoBiller(pool, await readDemoBiller(config.dataDir));
    await writeDemoBiller(config.dataDir, demo);
    say('The schema is up to date');
    return { url, demo, encryptionKeys, untilUp };
  } finally {
    await pool.end();
  }
}

async function startWorkflowServer(
  config: Config,
  store: Database | null,
  stack: Stack,
  say: Say,
  signal: AbortSignal,
): Promise<Workflows> {
  const server: Workflows =
    config.temporal.address === null
      ? await keepTemporal(config, store, stack, say, signal)
      : { address: config.temporal.address, uiUrl: null };
  const { temporal, sandboxTemporal } = config;
  const live = { ...temporal, address: server.address };
  if (sandboxTemporal === null) {
    await prepareNamespace(live, { hasClocks: true }, say, signal);
  } else {
    await prepareNamespace(live, { hasClocks: false }, say, signal);
    const sandbox = { ...sandboxTemporal, address: sandboxTemporal.address ?? server.address };
    await prepareNamespace(sandbox, { hasClocks: true }, say, signal);
  }
  return server;
}

async function prepareNamespace(
  server: TemporalServer,
  { hasClocks }: { hasClocks: boolean },
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const { address, namespace } = server;
  // A server that has just started accepts connections before it answers: on a busy machine by more than ten seconds.
  const connection = await Connection.connect({ ...addressOf(server), connectTimeout: '30s' }).catch(
    (cause: unknown) => {
      throw new Error(
        `Temporal is not reachable at ${address}: ${messageOf(cause)}. ` +
          'If it is your own (TEMPORAL_ADDRESS), check that it runs, and check TEMPORAL_TLS and TEMPORAL_API_KEY.',
        { cause },
      );
    },
  );
  try {
    await ensureNamespace(connection, namespace, signal);
    await ensureSearchAttributes(connection, namespace, signal);
    say(`The namespace ${namespace} has its search attributes`);
    const client = new Client({ connection, namespace });
    if (hasClocks && !(await canSkipTime(client))) say(`${timeSkippingNeeded} ${timeSkippingMissing}`);
  } finally {
    await connection.close();
  }
}

/** The address of the sandbox's own server; null if it is that of live mode. */
function ownAddress({ temporal, sandboxTemporal }: Config): string | null {
  return sandboxTemporal === null || sandboxTemporal.address === temporal.address ? null : sandboxTemporal.address;
}

/** Without the password. */
function describeDatabase(config: Config): string {
  return config.databaseUrl === null
    ? 'the embedded PostgreSQL'
    : `the PostgreSQL of DATABASE_URL (${new URL(config.databaseUrl).host}); see that it runs and lets this user in`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
