import { TestWorkflowEnvironment } from '@temporalio/testing';
import { pinnedPrograms } from '../../dev/pinned-programs.ts';
import { readyProgram } from '../../dev/ready-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { attributeTypes } from './search-attributes.ts';

/** The SDK gives the server five seconds, which a busy machine may exceed. */
const tries = 4;

/**
 * Starts a test server that skips over real time, with the search attributes of the service: the program of
 * `dev/programs`, fetched once per user. The caller ends it by `teardown`.
 * @throws as `readyProgram`, or if the server does not start.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const say = (line: string) => console.log(`  ${line}`);
  const env = await startWithRetries(await readyProgram(pinnedPrograms['temporal-test-server'], readHost(), say));
  // This server has one namespace, makes attributes at once, and knows no question about them.
  const searchAttributes = await attributeTypes();
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  return env;
}

async function startWithRetries(path: string, failed = 0): Promise<TestWorkflowEnvironment> {
  const server = { executable: { type: 'existing-path', path } } as const;
  return TestWorkflowEnvironment.createTimeSkipping({ server }).catch((error: unknown) => {
    if (failed + 1 < tries && error instanceof Error && error.message.includes('did not start within')) {
      return startWithRetries(path, failed + 1);
    }
    throw error;
  });
}
