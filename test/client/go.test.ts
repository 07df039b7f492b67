import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { folder, generate } from '../../clients/go/generate/generate.ts';
import { serviceDocument } from '../../clients/typescript/generate/generate.ts';
import { root, runProgram } from '../../lab/run-program.ts';
import { itRunsSamplesOf, runScript, whyNotRun } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { itWaitsForClocks } from './languages/clocks.ts';
import { goDriver } from './languages/driver.ts';
import { itSendsLikeTheOthers } from './languages/requests.ts';
import { itVerifiesWebhooks } from './languages/webhooks.ts';

const obstacle = whyNotRun('go');

describe('the generated code of the client in Go', () => {
  it('is up to date with the document: otherwise run `npm run generate -w clients/typescript`', async () => {
    for (const [name, text] of Object.entries(generate(serviceDocument()))) {
      assert.ok((await readFile(new URL(name, folder), 'utf8')) === text, `${name} is out of date`);
    }
  });
});

if (obstacle !== null) {
  describe('the client in Go', () => {
    it(`is not tested, because ${obstacle}`);
  });
} else {
  describe('the client in Go', () => itSendsLikeTheOthers(goDriver));
  describe('the client in Go, with test clocks', () => itWaitsForClocks(goDriver));
  describe('the client in Go, with webhooks', () => itVerifiesWebhooks(goDriver));

  describe('the README of the client in Go', () => {
    const service = useService();

    itRunsSamplesOf(new URL('../../clients/go/README.md', import.meta.url), async (script) => {
      const { key } = await service.merchant();
      return runScript(script, { BASE_URL: service.url, API_KEY: key });
    });
  });

  describe('the module of the client in Go', function () {
    this.timeout(300_000);
    const go = (...args: string[]) =>
      runProgram('go', args, {
        cwd: `${root}/clients/go`,
        env: { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' },
      });

    it('passes go vet', async () => {
      const { code, stderr } = await go('vet', './...');
      assert.equal(code, 0, stderr);
    });

    it('is laid out as gofmt does it, the generated files too', async () => {
      const { code, stdout, stderr } = await runProgram('gofmt', ['-l', `${root}/clients/go`]);
      assert.deepEqual([code, stdout, stderr], [0, '', '']);
    });

    it('needs the standard library alone', async () => {
      const { stdout } = await go('list', '-m', 'all');
      assert.equal(stdout, 'payments-service.example/client\n');
    });
  });
}
