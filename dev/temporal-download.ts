import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment, type Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { pinnedPrograms } from './ready-program.ts';

/** The site from which the SDK downloads the CLI. */
const downloadSite = 'https://temporal.download';

const cliVersion = `v${pinnedPrograms.temporal.version}`;

const probeTimeoutMs = 3_000;
const downloadTimeoutMs = 300_000;

/**
 * Lets the TypeScript SDK download the pinned version of the `temporal` CLI into the user's cache. Returns its path.
 * Returns null if the network does not allow it; that is no error, since there are other ways to get a server.
 */
export async function downloadCli(host: Host, say: Say, signal?: AbortSignal): Promise<string | null> {
  const folder = join(host.cacheDir, 'temporal', 'sdk-download', cliVersion);
  const existing = await findCli(folder);
  if (existing !== null) {
    return existing;
  }
  if (!(await isReachable())) {
    say(`${downloadSite} cannot be reached from here, so the SDK's own download is passed over`);
    return null;
  }
  say(`Downloading the temporal CLI ${cliVersion} from ${downloadSite} by way of the SDK`);
  try {
    await mkdir(folder, { recursive: true });
    // In a separate process: the SDK loads a native runtime, and starts the server that it has downloaded.
    const script = fileURLToPath(new URL(`temporal-download-by-sdk${extname(import.meta.url)}`, import.meta.url));
    await promisify(execFile)(process.execPath, [script, cliVersion, folder], {
      timeout: downloadTimeoutMs,
      env: childEnvironment({}),
      signal,
    });
    return await findCli(folder);
  } catch (error) {
    signal?.throwIfAborted();
    say(`The download failed: ${error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)}`);
    return null;
  }
}

async function isReachable(): Promise<boolean> {
  // Any response will do, a 404 too.
  return fetch(downloadSite, { method: 'HEAD', signal: AbortSignal.timeout(probeTimeoutMs) }).then(
    () => true,
    () => false,
  );
}

/** The SDK names the file after the version. */
async function findCli(folder: string): Promise<string | null> {
  const files = await readdir(folder).catch(() => []);
  const cli = files.find((file) => /^temporal-.*[^~]$/.test(file) && !file.includes('downloading'));
  return cli === undefined ? null : join(folder, cli);
}
