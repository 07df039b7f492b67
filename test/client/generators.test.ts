import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { obstacleTo, tryGenerator } from '../../tools/generators/generator.ts';
import { generators } from '../../tools/generators/list.ts';
import { useService } from '../support/service.ts';

/** The others need Java, and minutes: `npm run generators`. */
const quick = generators.filter(({ needs }) => !needs.includes('java'));

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
