import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentsClient } from '@payments-service/client';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { runScript } from '../../lab/run-program.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';

/** The demo as its users start it. */
async function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await runScript('demo/main.ts', args);
  return { code, output: stdout + stderr };
}

/** Passes everything on, and changes the API's response to a request whose path matches. */
async function distort(baseUrl: string, path: RegExp, change: (body: string) => string): Promise<LoopbackServer> {
  return serveOnLoopback(async (request, response) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const passedOn = await fetch(`${baseUrl}${request.path}`, {
      method: request.method,
      headers: headers as Record<string, string>,
      body: request.body === '' ? null : request.body,
    });
    const body = await passedOn.text();
    response.writeHead(passedOn.status, { 'Content-Type': 'application/json' });
    response.end(path.test(request.path) ? change(body) : body);
  });
}

describe('npm run demo', function () {
  this.timeout(180_000);
  let folder: string;
  let service: ServiceCopy;

  before('start a service', async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-demo-test-'));
    service = await startService(folder);
  });
  after('end it', async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function leftovers() {
    const { baseUrl, key } = service;
    const { testClocks, webhookEndpoints } = new PaymentsClient({ baseUrl, apiKey: key });
    return { clocks: await testClocks.list().toArray(), endpoints: await webhookEndpoints.list().toArray() };
  }

  it('finds the service to do what the rules say, and leaves nothing behind on a running copy', async () => {
    const { code, output } = await demo('--keys', join(folder, 'development.json'));
    assert.equal(code, 0, output);
    assert.match(output, /^2028-02-29 00:00 {2}course +20\.00 {2}paid +1 {2}payment_intent\.succeeded +\d+$/m);
    assert.match(output, /^2028-02-07 00:00 {2}piano +suspended +payment_plan\.suspended +\d+$/m);
    assert.match(output, /^ 5 {2}2028-04-10 09:00 {2}2028-06-09 09:00 +60 +\d+ +2 +1 +0 +0$/m);
    assert.match(output, /namespaces\/payments\/workflows\?query=TestClockId%3D%22clk_/);
    assert.match(
      output,
      /^2028-04-10 22:00 {2}debits +50\.00 {2}declined, again 04-11 +1 {2}payment_intent\.failed +\d+$/m,
    );
    assert.match(output, /^2028-04-07 {2}2028-04-12 {2}2028-04-17 23:00 {2}succeeded$/m);
    assert.match(output, /^2028-04-28 {2}2028-04-28 {2}2028-05-01 23:00 {2}returned +6$/m);
    assert.match(output, /closed with a shortfall of 20\.00: the payer gets a link$/m);
    assert.match(output, /^2028-02-25 00:00 {2}subscription\.recovered +active +yes$/m);
    assert.match(output, /^ +32\.11 {2}charged$/m);
    assert.match(output, /^4 +2028-05-01 {2}2028-06-01 {2}paid +98\.00$/m);
    assert.match(output, /^2028-06-05 23:00 {2}subscription\.past_due +past_due +no$/m);
    assert.match(output, /^2028-07-12 23:00 {2}subscription\.recovered +active +yes$/m);
    assert.match(output, /^2 +2028-07-02 {2}2028-08-02 {2}paid +49\.00$/m);
    assert.match(output, /^2 payments, 98\.00 in all: each is collected once\.$/m);
    assert.match(output, /^PASSED: \d{4} comparisons with the rules, no difference/m);
    const wide = output.split('\n').filter((line) => line.length > 100 && !line.startsWith('http'));
    assert.deepEqual(wide, []);
    assert.deepEqual(await leftovers(), { clocks: [], endpoints: [] });
  });

  it('fails and names the difference when the API returns one wrong amount', async () => {
    const proxy = await distort(service.baseUrl, /\/payments\?/, (body) =>
      body.replace('"amount":2000,', '"amount":2100,'),
    );
    const { code, output } = await demo('--base-url', proxy.url, '--keys', service.key);
    await proxy.close();
    assert.equal(code, 1, output);
    assert.match(output, /course, payments, slot 4, amount:\n +expected 2000, got 2100\n/);
    assert.match(output, /^FAILED: 1 difference in \d+ comparisons/m);
    assert.deepEqual(await leftovers(), { clocks: [], endpoints: [] });
  });

  it('refuses an option that it does not know', async () => {
    const { code, output } = await demo('--bogus');
    assert.equal(code, 1);
    assert.match(output, /Unknown option '--bogus'/);
  });
});
