import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, type Hook, it, Suite } from 'mocha';
import { document, isReachable, promisedResponses } from './openapi.ts';
import { checkRecords, failedTests, recordFiles } from './records.ts';
import { filesOf, testFolder } from './test-files.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const files = ['/test/a.test.ts', '/test/b.test.ts'];
const promised = [...promisedResponses().filter(isReachable), ...Object.keys(document.webhooks)];
const half = Math.floor(promised.length / 2);

describe('what the workers of a run report', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-test-records-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const report = (
    name: string,
    of: string[],
    seen: string[],
    unrun = 0,
    titles: string[] = [],
    failed: string[] = [],
  ) => writeFile(join(folder, `${name}.json`), JSON.stringify({ files: of, unrun, titles, failed, seen }));

  it('fails the run when a status is missing that the OpenAPI document promises', async () => {
    await report('a', files.slice(0, 1), promised.slice(0, half));
    await report('b', files.slice(1), promised.slice(half + 1));
    await assert.rejects(checkRecords(folder, files), (error: Error) => error.message.includes(promised[half] ?? '-'));
  });

  it('fails the run when a status was seen that is listed as unreachable', async () => {
    await report('a', files, [...promised, 'GET /healthz 500']);
    await assert.rejects(checkRecords(folder, files), /lists as unreachable what was seen/);
  });

  it('is not held against the document when a file or a test did not run', async () => {
    await report('a', files.slice(0, 1), []);
    assert.match(await checkRecords(folder, files), /was not checked .*: 1 files and 0 tests did not run/);
    await report('b', files.slice(1), [], 3);
    assert.match(await checkRecords(folder, files), /was not checked .*: 0 files and 3 tests did not run/);
  });

  it('fails the run when two tests have the same full title', async () => {
    await report('a', files.slice(0, 1), [], 0, ['a plan is charged', 'a plan ends']);
    await report('b', files.slice(1), [], 1, ['a plan ends']);
    await assert.rejects(checkRecords(folder, files), /several tests have the same full title/);
  });

  it('names each test that failed with its file', async () => {
    await report('a', files.slice(0, 1), [], 0, ['a plan is charged', 'a plan ends'], ['a plan ends']);
    await report('b', files.slice(1), [], 0, ['a link expires']);
    assert.deepEqual(await failedTests(folder), [{ file: files[0], title: 'a plan ends' }]);
  });

  it('names a hook that failed as it names a test', async () => {
    const root = new Suite('');
    root.root = true;
    const suite = Suite.create(root, 'a service');
    suite.file = files[0];
    suite.afterAll('end the service', () => {});
    const [hook] = (suite as unknown as { _afterAll: Hook[] })._afterAll;
    assert.ok(hook);
    hook.state = 'failed';
    await recordFiles(folder, root);
    assert.deepEqual(await failedTests(folder), [
      { file: files[0], title: 'a service "after all" hook: end the service' },
    ]);
  });

  it('ends a whole run of mocha with exit code 1 when a status is missing', async function () {
    this.timeout(60_000);
    await report(
      'others',
      filesOf('service').map((name) => join(testFolder, name)),
      promised.slice(1),
    );
    const env = { ...process.env, TEST_RUN_FOLDER: folder, MOCHA_WORKER_ID: undefined };
    const mocha = spawn('npx', ['mocha', 'test/domain/currencies.test.ts'], { cwd: repository, env });
    let output = '';
    for (const stream of [mocha.stdout, mocha.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(mocha, 'close');
    assert.equal(code, 1, output);
    assert.match(output, / passing/);
    assert.doesNotMatch(output, / failing/);
    assert.ok(output.includes(promised[0] ?? '-'), output);
  });
});
