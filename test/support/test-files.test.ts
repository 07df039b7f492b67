import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import order from './run-order.json' with { type: 'json' };
import { allTestFiles, testFolder } from './test-files.ts';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** Source files of rules whose test has another name. */
const testedElsewhere: Readonly<Record<string, string>> = {
  'domain/event-types.ts': 'contract/14-events.test.ts',
  'domain/id-fields.ts': 'runtime/logs.test.ts',
  // The parts of one model are tested together, in random lives.
  'domain/plans/apply.ts': 'domain/plans/steps.test.ts',
  'domain/subscriptions/lines.ts': 'domain/subscriptions/course.test.ts',
  'domain/subscriptions/requests.ts': 'domain/subscriptions/course.test.ts',
  'domain/subscriptions/steps.ts': 'domain/subscriptions/course.test.ts',
};

const isOfDomain = (file: string) => file.startsWith('test/domain/');

describe('the test files', () => {
  it('have one for each source file of rules, under the same name', async () => {
    const names = await readdir(source, { recursive: true });
    const rules = names.filter((name) => /^domain\/.*\.ts$|^services\/.*-rules\.ts$/.test(name));
    assert.ok(rules.length > 10);
    for (const name of rules) {
      const test = join(testFolder, testedElsewhere[name] ?? name.replace(/\.ts$/, '.test.ts'));
      await assert.doesNotReject(access(test), `src/${name} needs the test ${relative(testFolder, test)}`);
    }
  });

  it('include every test of src/domain among the unit tests, and none that uses a database', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(testFolder, '../tools/unit-tests.mjs')], {
      cwd: join(testFolder, '..'),
    });
    const unit = stdout.trim().split('\n');
    const domain = (await allTestFiles()).map((file) => `test/${relative(testFolder, file)}`).filter(isOfDomain);
    assert.deepEqual(
      domain.filter((file) => !unit.includes(file)),
      [],
    );
    assert.deepEqual(
      unit.filter((file) => /^test\/(db|races|workflows)\//.test(file)),
      [],
    );
  });

  it('are all there that run-order.json names', async () => {
    const files = new Set((await allTestFiles()).map((file) => relative(testFolder, file)));
    const named = [...order.longest, ...Object.keys(order.alone)];
    assert.deepEqual(
      named.filter((name) => !files.has(name)),
      [],
    );
  });

  it('have titles that grep finds: a literal, or a template that has two words of its own', async () => {
    const unfound: string[] = [];
    for (const file of await allTestFiles()) {
      const text = await readFile(file, 'utf8');
      for (const [, title = ''] of text.matchAll(/^\s*(?:describe|it)\(`([^`]*)`/gm)) {
        const words = title.replaceAll(/\$\{[^}]*\}/g, ' … ').match(/[\p{L}’'-]{2,}/gu) ?? [];
        if (words.length < 2) unfound.push(`${basename(file)}: ${title}`);
      }
    }
    assert.deepEqual(unfound, []);
  });
});
