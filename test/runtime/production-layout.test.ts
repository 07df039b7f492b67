import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { pinnedTemporal } from '../../dev/pinned-programs.ts';
import { childEnvironment, readConfig } from '../../src/processes/config/config.ts';
import { connectionVariable } from '../../src/processes/config/temporal.ts';
import { readServingConfig } from '../../src/processes/service-config.ts';
import { temporalServer } from '../support/temporal.ts';

const folder = new URL('../../temporal/', import.meta.url);
const read = (name: string) => readFile(new URL(name, folder), 'utf8');

/** The variables of an `environment:` block, with their values where these are no references. */
function variablesIn(block: string): Record<string, string> {
  return Object.fromEntries(
    [...block.matchAll(/^ {4,6}([A-Z_]+): (.+?)(?: #.*)?$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^'|'$/g, ''),
    ]),
  );
}

describe('the layout for production', () => {
  it('runs the versions of Temporal that are fetched and built for one machine', async () => {
    const [compose, server, tool] = await Promise.all([
      read('compose.yaml'),
      read('go.mod'),
      read('schema-tool/go.mod'),
    ]);
    const version = (text: string, module: string) => text.match(new RegExp(`${module} v([\\d.]+)`))?.[1];
    const pinned = version(server, 'go.temporal.io/server');
    const ui = version(server, 'github.com/temporalio/ui-server/v2');
    assert.ok(pinned && ui);
    assert.equal(version(tool, 'go.temporal.io/server'), pinned);
    assert.deepEqual(pinnedTemporal, { server: pinned, ui });
    assert.deepEqual(
      [...compose.matchAll(/image: (temporalio\/[^@\s]+)/g)].map(([, image]) => image).sort(),
      [`temporalio/admin-tools:${pinned}`, `temporalio/server:${pinned}`, `temporalio/ui:${ui}`].sort(),
    );
  });

  it('gives our processes only settings that they know, and all that they need', async () => {
    const compose = await read('compose.yaml');
    const config = await readFile(new URL('../../src/processes/config/config.ts', import.meta.url), 'utf8');
    const [shared = ''] = compose.match(/^x-service:.*?^services:/ms) ?? [];
    const [api = ''] = compose.match(/^ {2}api:.*?^ {2}worker:/ms) ?? [];
    const [pages = ''] = compose.match(/^ {2}pages:.*?^ {2}balancer:/ms) ?? [];
    const [worker = ''] = compose.match(/^ {2}worker:.*?^ {2}pages:/ms) ?? [];
    const hasOperatorKey = (part: string) => Object.hasOwn(variablesIn(part), 'OPERATOR_KEY');
    assert.deepEqual([shared, worker, pages, api].map(hasOperatorKey), [false, false, false, true], 'OPERATOR_KEY');
    const given = { ...variablesIn(shared), ...variablesIn(api), ...variablesIn(pages) };
    for (const name of Object.keys(given)) {
      const isKnown = config.includes(`'${name}'`) || connectionVariable.test(name.replace(/^SANDBOX_/, ''));
      assert.ok(isKnown, `${name} is a setting`);
    }
    const values = {
      ...given,
      DATABASE_URL: given.DATABASE_URL?.replace(/\$\{.*?\}/, 'secret'),
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      OPERATOR_KEY: randomBytes(24).toString('hex'),
      LIVE_PROCESSOR_URL: 'https://processor.example.com',
      LIVE_PROCESSOR_SECRET: randomBytes(24).toString('hex'),
      PUBLIC_URL: given.PUBLIC_URL?.replace(/^\$\{PUBLIC_URL:-(.*)\}$/, '$1'),
    };
    const set = readConfig(values);
    const { databaseUrl, temporal, sandboxTemporal, encryptionKeys, host } = set;
    assert.equal(readServingConfig(values, { forThisMachine: false }).publicUrl, 'https://localhost:8444');
    assert.ok(databaseUrl && temporal.address && encryptionKeys);
    assert.deepEqual([temporal.namespace, sandboxTemporal?.namespace], ['payments', 'payments-sandbox']);
    assert.equal(sandboxTemporal?.address, temporal.address);
    for (const name of ['LIVE_PROCESSOR_URL', 'LIVE_PROCESSOR_SECRET']) {
      assert.equal(given[name], `\${${name}:-}`, 'empty by default');
    }
    const [prepare = ''] = compose.match(/^ {2}prepare:.*?^ {2}api:/ms) ?? [];
    readConfig({
      ...variablesIn(prepare),
      DATABASE_URL: variablesIn(prepare).DATABASE_URL?.replace(/\$\{.*?\}/, 'secret'),
    });
    assert.equal(host, '0.0.0.0');
  });

  it('trusts the balancer alone to say from where a payer comes, and publishes what PUBLIC_URL says', async () => {
    const compose = await read('compose.yaml');
    const [shared = ''] = compose.match(/^x-service:.*?^services:/ms) ?? [];
    const [balancer = ''] = compose.match(/^ {2}balancer:.*?^networks:/ms) ?? [];
    assert.equal(/ipv4_address: ([\d.]+)/.exec(balancer)?.[1], variablesIn(shared).TRUSTED_PROXY);
    assert.match(balancer, /'127\.0\.0\.1:8444:8444'/);
    assert.match(await read('compose/haproxy.cfg'), /^frontend pages\n {2}bind "\$\{PAGES_ADDRESS-:8444\}" ssl /m);
  });

  it('puts the guides into the image, because the reference shows them', async () => {
    const image = await read('compose/service.Dockerfile');
    const ignored = await readFile(new URL('../.dockerignore', folder), 'utf8');
    for (const guides of ['docs/api', 'docs/images']) {
      assert.match(image, new RegExp(`^COPY ${guides} ${guides}$`, 'm'));
      assert.match(ignored, new RegExp(`^!${guides}$`, 'm'));
    }
  });

  it('mounts and builds from files that there are', async () => {
    const compose = await read('compose.yaml');
    const mounted = [...compose.matchAll(/\[\.\/(\S+?):/g)].map(([, file = '']) => file);
    assert.equal(mounted.length, 4);
    for (const file of [...mounted, 'on-postgres.env', 'compose/service.Dockerfile'])
      await access(new URL(file, folder));
  });

  it('has namespace and search attributes made by a command that may be repeated', async function () {
    this.timeout(120_000);
    const program = new URL('../../src/processes/cli/main.ts', import.meta.url).pathname;
    const prepare = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, [program, 'temporal:prepare'], { env: childEnvironment(env) });
    const env = { TEMPORAL_ADDRESS: await temporalServer(), TEMPORAL_NAMESPACE: 'prepared-by-command' };
    for (let time = 0; time < 2; time++) {
      assert.match(
        (await prepare(env)).stdout,
        /^The namespace prepared-by-command and its search attributes are ready/,
      );
    }
    await assert.rejects(prepare({ TEMPORAL_ADDRESS: '' }), { code: 2 });
  });
});
