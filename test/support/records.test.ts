import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { document, isReachable, promisedResponses } from './openapi.ts';
import { checkRecords } from './records.ts';
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

  it('fails the run when two tests have the same full title', async () => {
    await report('a', files.slice(0, 1), [], 0, ['a plan is charged', 'a plan ends']);
    await report('b', files.slice(1), [], 1, ['a plan ends']);
    await assert.rejects(checkRecords(folder, files), /several tests have the same full title/);
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
