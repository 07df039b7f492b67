import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EphemeralServerExecutable } from '@temporalio/testing';
import { findOnPath } from '../../dev/temporal-program.ts';
import { readHost } from '../../src/processes/config/config.ts';

const pom = fileURLToPath(new URL('../../temporal/test-server/pom.xml', import.meta.url));
const mainClass = 'io.temporal.testserver.TestServer';
/**
 * The folder is found by the script itself, and exec leaves no shell between the SDK and the server that it ends. The
 * SDK gives the server five seconds to start: the first compiler alone starts it in two thirds of the time.
 */
const script = `#!/bin/sh
exec java -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$(dirname "$0")/jars/*" ${mainClass} "$@"
`;
/** From where the SDK downloads the server. */
const downloadSite = 'https://temporal.download';
const fetchTimeoutMs = 600_000;

/**
 * The test server that skips over real time, as `createTimeSkipping` takes it: the jars of
 * temporal/test-server/pom.xml, fetched once per user by Maven and started by a script, or else, where there is no
 * Maven or Java, the SDK's own download. Throws, saying what to install, when there is neither.
 */
export async function timeSkippingServer(): Promise<EphemeralServerExecutable> {
  const { cacheDir, searchPath } = readHost();
  const version = createHash('sha256')
    .update(await readFile(pom))
    .update(script)
    .digest('hex')
    .slice(0, 12);
  const folder = join(cacheDir, 'temporal-test-server', version);
  const launcher = join(folder, 'temporal-test-server');
  const java = await findOnPath('java', searchPath);
  if (java !== null && (await hasLauncher(folder))) return { type: 'existing-path', path: launcher };
  const maven = await findOnPath('mvn', searchPath);
  if (java !== null && maven !== null) {
    await fetchJars(maven, folder);
    return { type: 'existing-path', path: launcher };
  }
  if (await isReachable(downloadSite)) return { type: 'cached-download' };
  throw new Error(
    'The time-skipping test server is not here yet, and cannot be had: Java and Maven were not both found on PATH, and ' +
      `${downloadSite}, from where the SDK would download it, cannot be reached. Install a JDK (11 or later) and Maven, ` +
      'and run the tests again: they fetch it once, by temporal/test-server/pom.xml.',
  );
}

/** Fills the folder in one step, so that one who was interrupted leaves no half of it. */
async function fetchJars(maven: string, folder: string): Promise<void> {
  console.log(`  Fetching the time-skipping test server by Maven into ${folder}, once per user …`);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(draft, 'jars')}`, '-DincludeScope=runtime'];
    await promisify(execFile)(maven, ['-B', '-q', '-f', pom, ...goal], { timeout: fetchTimeoutMs });
    await writeFile(join(draft, 'temporal-test-server'), script, { mode: 0o755 });
    await rename(draft, folder);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    if (await hasLauncher(folder)) return; // another run was quicker
    throw new Error(`Maven could not fetch the time-skipping test server of ${pom}.`, { cause });
  }
}

const hasLauncher = async (folder: string) => (await findOnPath('temporal-test-server', folder)) !== null;

async function isReachable(site: string): Promise<boolean> {
  return fetch(site, { method: 'HEAD', signal: AbortSignal.timeout(3_000) }).then(
    () => true,
    () => false,
  );
}
