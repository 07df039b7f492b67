import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PaymentsClient } from '@payments-service/client';
import { it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { camel } from '../../src/sites/reference/client-names.ts';
import { operationsOf, sampleRequestOf } from '../../src/sites/reference/operation.ts';
import { literal, samplesOf, typescript } from '../../src/sites/reference/samples.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { assertRan, runScript, type Script, typeErrors, whyNotRun, withFolder } from '../support/samples.ts';
import { openShell } from '../support/shell.ts';
import { useStage } from '../support/stage.ts';

const document = openApiDocument(allRoutes);
const requests = operationsOf(document).map((operation) => ({
  id: operation.id,
  request: sampleRequestOf(operation, document),
}));

function script(language: Script['language'], title: string, text: string): Script {
  return { title, language, isRun: true, isServer: false, text, outputs: [] };
}

const hasClient = (folder: string) => existsSync(join(root, 'clients', folder));
const noClient = (folder: string) => (hasClient(folder) ? null : `there is no clients/${folder}`);
const indented = (text: string, by: string) => text.replace(/^/gm, by);

describe('the samples of the reference', () => {
  const stage = useStage();
  const environment = () => ({ BASE_URL: stage.api.url, API_KEY: stage.keys.sandboxSecret });

  it('call methods that the TypeScript client has, all of them', () => {
    const client: object = new PaymentsClient({ baseUrl: 'http://127.0.0.1', apiKey: 'sk_1' });
    const missing = requests.filter(({ request: { resource, method } }) => {
      const found: unknown = Reflect.get(client, camel(resource));
      return typeof found !== 'object' || found === null || !(camel(method) in found);
    });
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });

  it('are right by the types of the TypeScript client', async function () {
    this.timeout(60_000);
    const head = `import { PaymentsClient } from '@payments-service/client';
const payments = new PaymentsClient({ baseUrl: '', apiKey: '' });`;
    const blocks = requests.map(({ request }) => `{\n${samplesOf(request).TypeScript}\n}`);
    assert.equal(await typeErrors([script('ts', 'samples', [head, ...blocks].join('\n'))]), '');
  });

  const whyNotPython = noClient('python') ?? whyNotRun('py');
  if (whyNotPython !== null) it(`are not run by the Python client, because ${whyNotPython}`);
  else
    it('are calls that the Python client makes', async function () {
      this.timeout(120_000);
      const functions = requests.map(
        ({ id, request }) => `def ${id}():\n${indented(samplesOf(request).Python, '    ')}`,
      );
      const program = `import os
from payments_service import ApiError, PaymentsClient

payments = PaymentsClient(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0)
refused = []


def attempt(sample):
    try:
        sample()
    except ApiError as error:
        refused.append(error.code)


${functions.join('\n\n\n')}


${requests.map(({ id }) => `attempt(${id})`).join('\n')}
print("refused:", *sorted(set(refused)))
`;
      const env = { ...environment(), PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
      const sample = script('py', 'samples', program);
      const ran = await runScript(sample, env);
      assertRan(sample, ran);
      const [, codes = ''] = /^refused: (.*)$/m.exec(ran.stdout) ?? [];
      // The objects of the examples are not there.
      assert.doesNotMatch(codes, /route_not_found|invalid_json|unauthenticated|bad_request/);
    });

  const whyNotGo = noClient('go') ?? whyNotRun('go');
  if (whyNotGo !== null) it(`are not held against the Go client, because ${whyNotGo}`);
  else
    it('are right by the types of the Go client, and laid out as gofmt does it', async function () {
      this.timeout(360_000);
      const functions = requests.map(({ id, request }) => {
        const text = samplesOf(request).Go;
        const [, variable] = /^(\w+), err := (?!range)/m.exec(text) ?? [];
        const use = variable === undefined ? '' : `\n_, _ = ${variable}, err`;
        const body = indented(`${text}${use}\nreturn nil`, '\t');
        return `func ${id}(ctx context.Context, client *payments.Client) error {\n${body}\n}`;
      });
      const names = requests.map(({ id }) => id).join(', ');
      const program = `package main

import (
	"context"
	"fmt"
	"time"

	payments "payments-service.example/client"
)

${functions.join('\n\n')}

func main() {
	_ = []any{time.UTC, fmt.Println, ${names}}
}
`;
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'main.go'), program);
        const required = 'require payments-service.example/client v1.0.0';
        const replaced = `replace payments-service.example/client => ${join(root, 'clients/go')}`;
        await writeFile(join(folder, 'go.mod'), `module samples\n\ngo 1.24\n\n${required}\n\n${replaced}\n`);
        const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod -trimpath', GOPROXY: 'off' };
        const built = await runProgram('go', ['build', '-o', join(folder, 'samples'), '.'], { cwd: folder, env });
        assert.equal(built.code, 0, built.stderr);
        const laidOut = await runProgram('gofmt', ['-d', join(folder, 'main.go')]);
        assert.deepEqual([laidOut.code, laidOut.stdout], [0, '']);
      });
    });

  it('are requests in curl that reach their operation', async function () {
    this.timeout(120_000);
    await withFolder(async (folder) => {
      const shell = openShell(folder, environment());
      for (const { id, request } of requests) {
        const ran = await shell.run(
          script('sh', id, `${samplesOf(request).curl} -sS -o body -w '%{http_code}\\n' && cat body`),
        );
        assertRan(script('sh', id, ''), ran);
        const [status = '', ...body] = ran.stdout.split('\n');
        assert.match(status, /^(2\d\d|4\d\d|503)$/, id);
        const { code = '' } = /^4/.test(status) ? JSON.parse(body.join('\n')).error : {};
        const wrong = [
          'route_not_found',
          'method_not_allowed',
          'invalid_json',
          'unsupported_content_type',
          'unauthenticated',
        ];
        assert.ok(!wrong.includes(code), `${id}: ${status} ${body}`);
        const details: { code: string }[] =
          code === 'validation_failed' ? JSON.parse(body.join('\n')).error.details : [];
        // The customers of the examples are not there, and some dates have passed.
        const odd = details.filter((detail) =>
          /^(unknown_parameter|parameter_missing|invalid_(type|format|value))$/.test(detail.code),
        );
        assert.deepEqual(odd, [], `${id}: ${body}`);
      }
      await shell.close();
    });
  });
});

describe('a value in a sample', () => {
  it('is written on one line if it fits, with the quotes of its language', () => {
    assert.equal(literal({ name: "Ada's", 'a-b': [1, null] }, typescript), "{ name: 'Ada\\'s', 'a-b': [1, null] }");
  });

  it('is spread over lines if it is long, with each member on its own', () => {
    const value = { one: 'a'.repeat(60), other: { inner: true } };
    assert.equal(literal(value, typescript), `{\n  one: '${'a'.repeat(60)}',\n  other: { inner: true }\n}`);
  });
});
