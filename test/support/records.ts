import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook, Suite } from 'mocha';

/** What the tests of this process have seen and held against the document: `GET /path 200`, and types of events. */
export const seen = new Set<string>();

/** What a process of the run reports when its files have ended, as JSON in the folder of the run. */
interface RunRecord {
  /** Absolute paths. */
  files: string[];
  /** Tests that a pattern, a failed hook or `bail` left out. */
  unrun: number;
  /** The full titles of the tests. */
  titles: string[];
  /** Those of them that failed, and the hooks that did. */
  failed: string[];
  /** What the tests of the process have seen of the OpenAPI document so far. */
  seen: string[];
}

/** Reports the files below this root suite: all files of the run, or the one that a worker has just run. */
export async function recordFiles(folder: string, root: Suite): Promise<void> {
  const files = [...new Set(root.suites.flatMap(({ file }) => file ?? []))];
  let unrun = 0;
  const titles: string[] = [];
  const failed: string[] = [];
  root.eachTest((test) => {
    titles.push(test.fullTitle());
    if (test.state === 'failed') failed.push(test.fullTitle());
    if (test.state === undefined && !test.pending) unrun += 1;
  });
  failed.push(...failedHooks(root));
  const record: RunRecord = { files, unrun, titles, failed, seen: [...seen] };
  await mkdir(folder, { recursive: true });
  const name = (files[0] ?? 'none').replaceAll(/[^\w.-]/g, '_');
  await writeFile(join(folder, `${name}.json`), JSON.stringify(record));
}

/**
 * After all tests: fails when two have the same full title, and when every test of every file has run and the OpenAPI
 * document promises a status or an event that none has seen. Returns what it found out, in a sentence.
 */
export async function checkRecords(folder: string, testFiles: readonly string[]): Promise<string> {
  const records = await readRecords(folder);
  const titles = records.flatMap((record) => record.titles).sort();
  const twice = titles.filter((title, index) => title === titles[index + 1]);
  assert.deepEqual(twice, [], 'several tests have the same full title');
  const ran = new Set(records.flatMap(({ files }) => files));
  const missing = testFiles.filter((file) => !ran.has(file)).length;
  const unrun = records.reduce((sum, record) => sum + record.unrun, 0);
  if (missing > 0 || unrun > 0) {
    return `The OpenAPI document was not checked for what no test has seen: ${missing} files and ${unrun} tests did not run.`;
  }
  const { assertDocumentExercised } = await import('./openapi.ts'); // it loads the whole API, which unit tests do not need
  assertDocumentExercised(new Set(records.flatMap(({ seen }) => seen)));
  return 'The tests have seen every status and every event of the OpenAPI document.';
}

type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';

/** Mocha keeps the hooks of a suite in fields that its types call private. */
function failedHooks(suite: Suite): string[] {
  const { _beforeAll, _beforeEach, _afterEach, _afterAll } = suite as unknown as Record<`_${HookName}`, Hook[]>;
  const failed = [..._beforeAll, ..._beforeEach, ..._afterEach, ..._afterAll].filter(({ state }) => state === 'failed');
  return [...failed.map((hook) => hook.fullTitle()), ...suite.suites.flatMap(failedHooks)];
}

/** Returns the tests and hooks that failed, each with its file. */
export async function failedTests(folder: string): Promise<{ file: string; title: string }[]> {
  const records = await readRecords(folder);
  return records.flatMap(({ files, failed }) => failed.map((title) => ({ file: files[0] ?? '', title })));
}

async function readRecords(folder: string): Promise<RunRecord[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
}
