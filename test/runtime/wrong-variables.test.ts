import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';

const right = {
  DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/payments',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};

/** Everything that the process prints, before it ends with 1. */
async function lastWordsOf(name: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runProgram('npm', ['run', '--silent', name], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'error', ...right, ...env },
    timeoutMs: 60_000,
  });
  assert.equal(code, 1);
  return stdout + stderr;
}

describe('a process of the service that cannot start with its variables', function () {
  this.timeout(120_000); // each is loaded anew

  for (const name of ['api', 'worker', 'pages']) {
    it(`prints one line for each that is wrong or missing, and nothing else: ${name}`, async () => {
      const printed = await lastWordsOf(name, {
        DATABASE_URL: 'payments',
        PORT: 'x',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:b',
        TEMPORAL_ADDRESS: '127.0.0.1:99999',
        ENCRYPTION_KEYS: '',
      });
      const [first, ...lines] = printed.trimEnd().split('\n');
      assert.equal(first, 'The configuration cannot be used:');
      assert.deepEqual(lines.map((line) => /^ {2}- ([A-Z_]+) /.exec(line)?.[1]).toSorted(), [
        'DATABASE_URL',
        'ENCRYPTION_KEYS',
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        'PORT',
        // What links are made of; a worker makes none.
        ...(name === 'worker' ? [] : ['PUBLIC_URL']),
        'TEMPORAL_ADDRESS',
      ]);
    });
  }

  it('does so for what only the machine can tell: a port that is taken, an address that is not here', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const message = (fault: RegExp) => new RegExp(`^The configuration cannot be used:\\n {2}- ${fault.source}.*\\n$`);
    for (const [name, env, fault] of [
      ['pages', { PAGES_PORT: port }, /Port \d+ is taken by another process\. End it, or set PAGES_PORT/],
      ['api', { PORT: port }, /Port \d+ is taken by another process\. End it, or set PORT/],
      ['pages', { HOST: '192.0.2.1' }, /HOST must be an address of this machine/],
      [
        'worker',
        { METRICS_PORT: String(Number(port) - 1) },
        /The metrics cannot be served at .* \(METRICS_HOST, METRICS_PORT\): those of the Temporal SDK/,
      ],
      ['worker', { METRICS_PORT: port }, /The metrics cannot be served at .* \(METRICS_HOST, METRICS_PORT\)/],
    ] as const) {
      assert.match(await lastWordsOf(name, { PUBLIC_URL: 'http://127.0.0.1:1', ...env }), message(fault));
    }
    taken.close();
  });
});
