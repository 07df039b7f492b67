import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { WorkflowBundle } from '@temporalio/worker';
import { startDaemon } from '../../dev/daemon.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { type RunningTemporal, startTemporal } from '../../dev/temporal.ts';
import { findTemporal } from '../../dev/temporal-program.ts';
import { eventually } from '../../lab/eventually.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { readHost } from '../../src/processes/config/config.ts';
import type { TemporalServer } from '../../src/processes/config/temporal.ts';
import { ensureNamespace, ensureSearchAttributes } from '../../src/processes/temporal/namespace.ts';
import { installTemporalRuntime } from '../../src/processes/temporal/workers.ts';
import { bundleWorkflows } from '../../src/processes/temporal/workflow-bundle.ts';
import { atEndOfRun, refuseInUnitTests } from './endings.ts';

/** The one namespace of all tests; what keeps them apart is a task queue each, and ids of their own. */
export const testNamespace = 'payments-test';

/** Long enough to build the server, on a machine where it never was. */
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

/** Starts a server in a temporary folder, on this port if one is named; ended with the run at the latest. */
export async function startOwnTemporal(port?: number): Promise<RunningTemporal & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-temporal-'));
  const [free = 0] = port === undefined ? await findFreePorts(1) : [port];
  const server = await startTemporal({ dataDir, frontendPort: free, uiPort: null, log: () => {} });
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

/**
 * Starts a server on which the skipping of time is switched off, as it is by default; null where the server is no
 * program whose configuration we write.
 */
export async function startTemporalWithoutTimeSkipping(): Promise<StartedTemporal | null> {
  const server = await startTemporalWith((dynamic) => dynamic.replace(/^\w+\.workflowTimeSkipping.*$/gim, ''));
  if (server !== null) await prepareNamespace(server.address);
  return server;
}

/** Starts a server with the dynamic configuration of `compose.yaml`: it skips time in the sandbox's namespace alone. */
export async function startTemporalOfCompose(): Promise<StartedTemporal | null> {
  const dynamic = await readFile(new URL('../../temporal/compose/dynamic-config.yaml', import.meta.url), 'utf8');
  return startTemporalWith(() => dynamic);
}

interface StartedTemporal {
  address: string;
  stop(): Promise<void>;
}

/** Starts a server with another dynamic configuration, made from that of the embedded one. */
async function startTemporalWith(edit: (dynamic: string) => string): Promise<StartedTemporal | null> {
  const program = await findTemporal(readHost(), () => {});
  if (program.kind !== 'server') return null;
  const { address, daemons, dataDir, stop: discard } = await startOwnTemporal();
  for (const daemon of daemons) await daemon.stop();
  const cwd = join(dataDir, 'temporal');
  const dynamic = await readFile(join(cwd, 'dynamic-config.yaml'), 'utf8');
  await writeFile(join(cwd, 'dynamic-config.yaml'), edit(dynamic));
  const args = ['--config-file', join(cwd, 'server.yaml'), '--allow-no-auth', 'start'];
  const daemon = await startDaemon({
    ...{ name: 'temporal-configured', dataDir, command: program.server, args, cwd },
    ...{ env: { PATH: '/usr/bin:/bin', HOME: dataDir }, stopSignal: 'SIGTERM', stopTimeoutMs: 15_000 },
  });
  const stop = async (): Promise<void> => {
    await daemon.stop();
    await discard();
  };
  atEndOfRun(stop);
  await eventually('the server responds', async () => {
    const connection = await Connection.connect({ address, connectTimeout: '1s' }).catch(() => null);
    await connection?.close();
    return connection !== null;
  });
  return { address, stop };
}

/** Makes namespace and search attributes, and waits until the server knows them. */
export async function prepareNamespace(address: string, namespace = testNamespace): Promise<void> {
  const connection = await Connection.connect({ address });
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
