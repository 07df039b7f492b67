import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { expected, type Generator, obstacleTo, tryGenerator } from '../../tools/generators/generator.ts';
import { generators } from '../../tools/generators/list.ts';
import { useService } from '../support/service.ts';

/** The others need Java, and minutes: `npm run generators`. */
const quick = generators.filter(({ needs }) => !needs.includes('java'));

/** One that only runs programs of this machine: its scenario prints the text of the document. */
const printer: Generator = {
  name: 'printer',
  version: '1',
  document: '/openapi.json',
  needs: ['cat'],
  prepare: async () => {},
  generate: async () => {},
  compile: async () => {},
  command: ({ document }) => ['cat', document],
};

describe('the trial of a generator', () => {
  const nowhere = { baseUrl: 'http://127.0.0.1:1', key: '' };
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generators-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('passes if the scenario prints what all of them print', async () => {
    const { failed, isSkipped } = await tryGenerator(printer, expected, folder, nowhere);
    assert.deepEqual([failed, isSkipped], [null, false]);
  });

  it('fails at the scenario if that prints anything else', async () => {
    const { failed, report } = await tryGenerator(printer, 'intent failed\n', folder, nowhere);
    assert.deepEqual([failed, report], ['scenario', 'The scenario printed:\nintent failed\n']);
  });

  it('names the step that fails, with what the program said', async () => {
    const broken: Generator = {
      ...printer,
      compile: async ({ run }) => {
        await run(['cat', 'no-such-file']);
      },
    };
    const { failed, report } = await tryGenerator(broken, expected, folder, nowhere);
    assert.equal(failed, 'compile');
    assert.match(report, /^cat ended with 1:\n.*no-such-file/);
  });

  it('is skipped, with the reason, if a program is not on this machine', async () => {
    const { isSkipped, failed, report } = await tryGenerator(
      { ...printer, needs: ['cat', 'no-such-program'] },
      expected,
      folder,
      nowhere,
    );
    assert.deepEqual([isSkipped, failed, report], [true, null, 'no-such-program is not on PATH']);
  });
});

describe('a client that a generator of others makes from the document', () => {
  const service = useService();
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generators-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const generator of quick) {
    it(`compiles, charges, moves a clock and reads events: ${generator.name}`, async function () {
      this.timeout(600_000);
      if ((await obstacleTo(generator)) !== null) this.skip();
      const { key } = await service.merchant();
      const document = await fetch(service.url + generator.document);
      const place = await mkdtemp(join(folder, 'client-'));
      const target = { baseUrl: service.url, key };
      const { failed, report } = await tryGenerator(generator, await document.text(), place, target);
      // Without a network, it cannot be fetched.
      if (failed === 'prepare') this.skip();
      assert.equal(failed, null, report);
    });
  }
});
