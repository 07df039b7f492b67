import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PaymentsClient } from '@payments-service/client';
import { it } from 'mocha';
import { root } from '../../lab/run-program.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { camel, pascal } from '../../src/api/reference/client-names.ts';
import { literal, typescript } from '../../src/api/reference/literals.ts';
import { operationsOf, sampleRequestOf } from '../../src/api/reference/operation.ts';
import { samplesOf } from '../../src/api/reference/samples.ts';
import { allRoutes } from '../../src/api/routes/index.ts';
import { assertRan, type Script, typeErrors, withFolder } from '../support/samples.ts';
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

/** All sources of a client, as one text; null if there is no such client. */
function sourcesOf(folder: string, extension: string): string | null {
  const path = join(root, 'clients', folder);
  if (!existsSync(path)) return null;
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(extension));
  return names.map((name) => readFileSync(join(path, name), 'utf8')).join('\n');
}

describe('the samples of the reference', () => {
  const stage = useStage();

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

  const python = sourcesOf('python', '.py');
  const go = sourcesOf('go', '.go');
  if (python === null) it('are not compared with the Python client, which is not here');
  else
    it('call methods that the Python client has', () => {
      const missing = requests.filter(({ request: { resource, method } }) => {
        const [, ofClass = ''] = python.split(`class ${pascal(resource)}(`);
        const [own = ''] = ofClass.split(/^class /m);
        return !own.includes(`def ${method.join('_')}(`) || !python.includes(`self.${resource.join('_')}`);
      });
      assert.deepEqual(
        missing.map(({ id }) => id),
        [],
      );
    });
  if (go === null) it('are not compared with the Go client, which is not here');
  else
    it('call methods that the Go client has, with types that it has', () => {
      const missing = requests.flatMap(({ id, request }) => {
        const name = new RegExp(
          `^func \\(\\w+ \\*?${pascal(request.resource)}\\w*\\) ${pascal(request.method)}\\(`,
          'm',
        );
        const types = [...samplesOf(request).Go.matchAll(/payments\.(\w+)/g)].map(([, type = '']) => type);
        const unknown = types.filter((type) => !new RegExp(`\\b${type}\\b`).test(go));
        return name.test(go) && unknown.length === 0 ? [] : [`${id} ${unknown}`];
      });
      assert.deepEqual(missing, []);
    });

  it('are requests in curl that reach their operation', async function () {
    this.timeout(120_000);
    const env = { BASE_URL: stage.api.url, API_KEY: stage.keys.sandboxSecret };
    await withFolder(async (folder) => {
      const shell = openShell(folder, env);
      const { sandboxSecret } = stage.keys;
      assert.ok(sandboxSecret);
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
