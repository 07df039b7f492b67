import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { assertInvariantsHeld, checkSharedDatabases, leaveFullDatabase } from './database.ts';
import { endRun } from './endings.ts';
import { assertLockOrder } from './lock-order.ts';
import { checkRecords, failedTests, recordFiles } from './records.ts';
import { filesOf, testFolder } from './test-files.ts';
import { takeTurn } from './turns.ts';

/** With `--parallel` each file runs in one of several worker processes, and this one starts the servers for all. */
const isParallel = process.argv.includes('--parallel');
const isWorker = process.env.MOCHA_WORKER_ID !== undefined;
/** How long servers may take to end when the run is interrupted. */
const interruptTimeoutMs = 20_000;

let endTurn = async (): Promise<void> => {};
let startedAt = 0;

/** Around all tests of this process, or around those of one file in a worker. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    this.timeout(0);
    endTurn = await takeTurn(this.test?.parent?.suites[0]?.file ?? '');
    startedAt = performance.now();
  },
  /** The databases that the tests left were sound, and what they saw is recorded. */
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(0);
    const root = this.test?.parent;
    if (root) await recordFiles(process.env.TEST_RUN_FOLDER ?? '', root);
    if (isWorker) await Promise.all([endRun(), leaveFullDatabase()]);
    await recordTime(root?.suites[0]?.file ?? '');
    await endTurn();
    assertInvariantsHeld();
    assertLockOrder();
  },
};

/** Appends to the file `TEST_TIMES` how many seconds the test file took, so that run-order.json can be kept true. */
async function recordTime(file: string): Promise<void> {
  const { TEST_TIMES, MOCHA_WORKER_ID } = process.env;
  if (!TEST_TIMES || !isWorker) return;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(7);
  await appendFile(
    TEST_TIMES,
    `${seconds} ${MOCHA_WORKER_ID} ${new Date().toISOString()} ${relative(process.cwd(), file)}\n`,
  );
}

/**
 * Before all tests. Servers start for the first test that asks for one; workers find theirs in the environment, which
 * they inherit.
 */
export async function mochaGlobalSetup(): Promise<void> {
  process.env.TEST_RUN_FOLDER ??= await mkdtemp(join(tmpdir(), 'payments-test-run-'));
  if (!isParallel) return;
  const [{ templateDatabase }, { temporalServer }] = await Promise.all([
    import('./postgres.ts'),
    import('./temporal.ts'),
  ]);
  const [, address] = await Promise.all([templateDatabase(), temporalServer()]);
  process.env.TEST_TEMPORAL_ADDRESS = address;
}

/** After all tests: nothing that the run started is left, and they have seen all that the OpenAPI document promises. */
export async function mochaGlobalTeardown(): Promise<void> {
  try {
    await checkSharedDatabases();
  } finally {
    await endRun();
  }
  try {
    for (const { file, title } of isParallel ? await failedTests(process.env.TEST_RUN_FOLDER ?? '') : []) {
      console.log(`Failed in ${relative(process.cwd(), file)}: ${title}`);
    }
    const serviceFiles = filesOf('service').map((name) => join(testFolder, name));
    const result = await checkRecords(process.env.TEST_RUN_FOLDER ?? '', serviceFiles);
    if (isParallel) console.log(result);
  } finally {
    await removeRecords();
  }
}

// Mocha ends without the teardown when it is interrupted, and passes Ctrl-C on to a process that already got it.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void interrupt());

async function interrupt(): Promise<void> {
  if (isInterrupted) return;
  isInterrupted = true;
  setTimeout(() => process.exit(130), interruptTimeoutMs);
  try {
    await endRun();
    if (!isWorker) await removeRecords();
  } finally {
    process.exit(130);
  }
}

async function removeRecords(): Promise<void> {
  await rm(process.env.TEST_RUN_FOLDER ?? '', { recursive: true, force: true });
}
