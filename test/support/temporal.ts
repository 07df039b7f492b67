import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { WorkflowBundle } from '@temporalio/worker';
import { before } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { type RunningTemporal, startTemporal, type TemporalOptions } from '../../dev/temporal.ts';
import { readDynamicConfig } from '../../dev/temporal-config.ts';
import { findOnPath } from '../../dev/tool.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { readHost } from '../../src/processes/config/config.ts';
import type { TemporalServer } from '../../src/processes/config/temporal.ts';
import { ensureNamespace, ensureSearchAttributes } from '../../src/processes/temporal/namespace.ts';
import { installTemporalRuntime } from '../../src/processes/temporal/workers.ts';
import { bundleWorkflows } from '../../src/processes/temporal/workflow-bundle.ts';
import { atEndOfRun, refuseInUnitTests } from './endings.ts';

/** The one namespace of all tests; what keeps them apart is a task queue each, and ids of their own. */
export const testNamespace = 'payments-test';

/** Long enough to fetch the server, or to build the one for PostgreSQL, on a machine where it never was. */
export const serverStartTimeoutMs = 900_000;

let running: Promise<string> | undefined;
let bundled: Promise<WorkflowBundle> | undefined;
let installed: Logger | undefined;

/**
 * The address of the real Temporal server of this run, with namespace and search attributes: the one that
 * TEST_TEMPORAL_ADDRESS names, or else one in a temporary folder, started for the first who asks.
 */
export function temporalServer(): Promise<string> {
  running ??= prepare();
  return running;
}

/** How to reach a server of the tests: in plain text, without a key. */
export function serverAt(address: string, namespace = testNamespace): TemporalServer {
  return { address, namespace, tls: false, apiKey: null, metadata: {} };
}

/** The workflows as workers load them, bundled for the first who asks. */
export function workflowBundle(): Promise<WorkflowBundle> {
  bundled ??= bundleWorkflows(testLogger());
  return bundled;
}

/** What workers, dispatchers and the SDK log here: nothing, unless TEST_LOG_LEVEL asks for it. */
export function testLogger(): Logger {
  if (installed === undefined) {
    installed = createLogger((process.env.TEST_LOG_LEVEL as 'info' | undefined) ?? 'silent', 'test');
    installTemporalRuntime(installed);
  }
  return installed;
}

/** Skips the tests of a `describe` that need Go, for a Temporal that keeps its workflows in PostgreSQL, without it. */
export function needsGo(): void {
  before('look for Go', async function () {
    if ((await findOnPath('go', readHost().searchPath)) !== null) return;
    console.log('      no Go: a Temporal that keeps its workflows in PostgreSQL is not tried');
    this.skip();
  });
}

/** Starts a server in a temporary folder, on this port if one is named; ended with the run at the latest. */
export async function startOwnTemporal(
  port?: number,
  options: Pick<TemporalOptions, 'dynamicConfig' | 'store'> = {},
): Promise<RunningTemporal & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-temporal-'));
  const [free = 0] = port === undefined ? await findFreePorts(1) : [port];
  const server = await startTemporal({ dataDir, frontendPort: free, uiPort: null, log: () => {}, ...options });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  atEndOfRun(stop);
  return { ...server, dataDir, stop };
}

/** Starts a server on which the skipping of time is switched off, as it is by default. */
export async function startTemporalWithoutTimeSkipping(): Promise<StartedTemporal> {
  const dynamicConfig = (await readDynamicConfig()).replace(/^\w+\.workflowTimeSkipping.*$/gim, '');
  const server = await startOwnTemporal(undefined, { dynamicConfig });
  await prepareNamespace(server.address);
  return server;
}

/**
 * Starts a server with the dynamic configuration of `compose.yaml`, in PostgreSQL as there: it skips time in the
 * sandbox's namespace alone. For a `describe` that calls `needsGo`.
 */
export async function startTemporalOfCompose(): Promise<StartedTemporal> {
  const dynamicConfig = await readFile(new URL('../../temporal/compose/dynamic-config.yaml', import.meta.url), 'utf8');
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-temporal-'));
  const postgres = await startPostgres({ dataDir, log: () => {} });
  atEndOfRun(postgres.stop);
  const { address, stop } = await startOwnTemporal(undefined, {
    dynamicConfig,
    store: { url: postgres.url, shards: 4 },
  });
  return {
    address,
    async stop() {
      await stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

interface StartedTemporal {
  address: string;
  stop(): Promise<void>;
}

/** Makes namespace and search attributes, and waits until the server knows them. */
export async function prepareNamespace(address: string, namespace = testNamespace): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '60s' });
  try {
    await ensureNamespace(connection, namespace);
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}

async function prepare(): Promise<string> {
  refuseInUnitTests();
  const address = process.env.TEST_TEMPORAL_ADDRESS ?? (await startOwnTemporal()).address;
  await prepareNamespace(address);
  return address;
}
