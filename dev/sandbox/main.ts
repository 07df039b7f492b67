// `npx @payments-service/sandbox`: `npm start` for those who have the package and no checkout. Its ports are free ones,
// its data are temporary, and the environment of the project that uses it has no say.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPrinter, print, printError } from '../../src/platform/terminal.ts';
import { isRunByNpm, readConfig } from '../../src/processes/config/config.ts';
import { boot } from '../boot.ts';
import { claimOwnFolder, type Development, developmentFile } from '../data-dir.ts';
import { findFreePorts, probePort } from '../ports.ts';
import { findRecordedProcess } from '../process-record.ts';
import { listenForSignals } from '../signals.ts';
import { endAll, Interrupted, type Stack, StartError, untilAborted } from '../stack.ts';
import { leaveForeignEnvironment } from './environment.ts';
import { help, type Options, readOptions, UsageError } from './options.ts';

const usualPort = 8080;

const startedAt = performance.now();
const elapsed = () => ((performance.now() - startedAt) / 1000).toFixed(1);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    print(help);
    return 0;
  }
  const endsWithParent = options.endsWithParent || isRunByNpm();
  leaveForeignEnvironment(process.env);
  const tell = options.json ? printError : openPrinter();
  const say = (line: string) => tell(`[${elapsed().padStart(6)} s] ${line}`);
  const interruption = new AbortController();
  listenForSignals(interruption, say, endsWithParent);

  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'payments-sandbox-')));
  await claimOwnFolder(dataDir);
  await refuseUsed(dataDir);
  const cleanUp = startCleanUp(dataDir, options.data === null ? 'delete' : 'keep');
  const stack: Stack = [];
  try {
    const config = readConfig({ ...(await choosePorts(options)), WEBHOOK_ALLOW_LOOPBACK: 'true', DATA_DIR: dataDir });
    const { development } = await boot(config, stack, say, interruption.signal);
    announce(development, dataDir, options, tell);
    const lost = stack.flatMap((entry) => (entry.lost ? [entry.lost] : []));
    await Promise.race([untilAborted(interruption.signal), ...lost]);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted || interruption.signal.aborted) return 0;
    printError(error instanceof StartError ? error.message : error);
    return 1;
  } finally {
    await endAll(stack, say);
    if (options.data === null) await rm(dataDir, { recursive: true, force: true });
    await cleanUp.dismiss();
  }
}

/** @throws StartError if another sandbox, or `npm start`, runs from this folder. */
async function refuseUsed(dataDir: string): Promise<void> {
  const user = await findRecordedProcess(join(dataDir, 'run', 'start.lock'));
  if (user !== null) {
    throw new StartError(`${dataDir} is in use by process ${user}. End that one, or give this one another --data.`);
  }
}

/** @throws StartError if the port that was asked for cannot be had. */
async function choosePorts({ port }: Options) {
  const wanted = port === null ? usualPort : port;
  const state = wanted === 0 ? 'any' : await probePort(wanted);
  if (port !== null && state === 'EADDRINUSE') {
    throw new StartError(
      `Port ${port} is taken by another process. End it, or give another --port; 0 is any free one.`,
    );
  }
  if (port !== null && state === 'EACCES') {
    throw new StartError(`Port ${port} may not be used by this user. Give a --port above 1023; 0 is any free one.`);
  }
  const [api, pages, temporal, ui] = (await findFreePorts(4)).map(String);
  return {
    PORT: state === 'free' ? String(wanted) : api,
    PAGES_PORT: pages,
    TEMPORAL_PORT: temporal,
    TEMPORAL_UI_PORT: ui,
  };
}

/**
 * Starts the process that cleans up after this one if it is killed. It is in a group of its own, so that it outlives a
 * kill of the whole group.
 */
function startCleanUp(dataDir: string, what: 'keep' | 'delete'): { dismiss(): Promise<void> } {
  const program = fileURLToPath(new URL(`clean-up${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, what], {
    cwd: tmpdir(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {}); // it was killed itself
  const ended = once(child, 'close');
  return {
    async dismiss() {
      child.stdin.end('ended');
      await ended;
    },
  };
}

function announce(development: Development, dataDir: string, { json }: Options, tell: (line: string) => void): void {
  if (json) {
    process.stdout.on('error', () => {}); // its reader may be gone
    print(JSON.stringify({ ...development, data_dir: dataDir }));
  }
  tell(
    `ready: ${development.base_url}, Temporal Web UI ${development.temporal_ui_url}, ` +
      `secret key ${development.keys.sandbox_secret}, all keys in ${developmentFile(dataDir)} (${elapsed()} s)`,
  );
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (error instanceof UsageError) {
      printError(`${error.message}\n\n${help}`);
      process.exit(2);
    }
    printError(error instanceof StartError ? error.message : error);
    process.exit(1);
  },
);
