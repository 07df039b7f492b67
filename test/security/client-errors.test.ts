import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { ApiError, type ClientOptions, ConnectionError, PaymentsClient, PaymentsError } from '@payments-service/client';
import { after, before, describe, it } from 'mocha';
import { lengthy } from '../client/languages/requests.ts';

const intentId = 'pi_sandbox_0Ab3dE6hIj9kLmNoPqRsTuVwXyZ01234';
const query = {
  client_secret: `${intentId}_secret_9xY8wV7uT6sR5qP4`,
  email: 'jo+1@example.com',
  name: 'Jo Nguyen & Co',
};
/** An error must not contain any of these, in any form. */
const secrets = [
  '_secret_9xY8',
  '9xY8wV7uT6sR5qP4',
  'client_secret=',
  'jo+1@example.com',
  'jo%2B1%40example.com',
  'Nguyen',
  'sk_sandbox_abcdefgh',
];

/** Everything that a program may print of an error and its causes. */
function formsOf(error: unknown): string {
  const forms = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error)];
  for (let each = error; each instanceof Error; each = each.cause) {
    const own = Object.getOwnPropertyNames(each).map((name) =>
      inspect(Reflect.get(each as object, name), { depth: 9 }),
    );
    forms.push(String(each), each.message, each.stack ?? '', JSON.stringify(each), ...own);
  }
  return forms.join('\n');
}

describe('an error of the client', () => {
  let server: Server;
  let url = '';
  let requests: string[] = [];
  /** How the server reacts to the first bytes of a request. */
  let respond: (socket: Socket, target: string) => void = () => {};
  before('listen', async () => {
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        const target = bytes.toString().split(' ')[1] ?? '';
        requests.push(target);
        respond(socket, target);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    url = `http://127.0.0.1:${address.port}`;
  });
  after('close', () => {
    server.close();
  });

  const client = (options: Partial<ClientOptions> = {}) =>
    new PaymentsClient({ baseUrl: url, apiKey: 'sk_sandbox_abcdefghijk', maxRetries: 0, timeoutMs: 5000, ...options });
  const ask = (from: PaymentsClient) => [
    () => from.paymentIntents.get(intentId, { client_secret: query.client_secret }),
    () => from.customers.list({ email: query.email, name: query.name }),
  ];

  /** The errors of requests with a secret query. Each is searched in every form. */
  async function assertClean(options: Partial<ClientOptions> = {}): Promise<PaymentsError[]> {
    const found: PaymentsError[] = [];
    for (const request of ask(client(options))) {
      await assert.rejects(request, (error) => {
        assert.ok(error instanceof PaymentsError, inspect(error));
        const text = formsOf(error);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in:\n${text}`);
        found.push(error);
        return true;
      });
    }
    return found;
  }
  const reply = (status: string, type: string, body: string, more = '') =>
    `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}Connection: close\r\n\r\n${body}`;
  /** The target as a proxy may quote it: as it came, decoded, and as its parts. */
  const quoted = (target: string) =>
    `GET ${url}${target} failed; ${decodeURIComponent(target.replaceAll('+', ' '))}; secret ${new URL(target, url).searchParams.get('client_secret')}`;

  it('names method, host and path when the connection is refused, and no query', async () => {
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
    const address = closed.address();
    assert.ok(typeof address === 'object' && address !== null);
    await new Promise((done) => closed.close(done));
    const [first] = await assertClean({ baseUrl: `http://127.0.0.1:${address.port}` });
    assert.ok(first instanceof ConnectionError);
    const path = `/api/v1/payment_intents/${intentId}`;
    assert.ok(first.message.startsWith(`GET http://127.0.0.1:${address.port}${path} got no response: `), first.message);
    assert.match(first.message, /ECONNREFUSED/);
    assert.match(inspect(first.cause), /ECONNREFUSED/);
  });

  const faults: [string, (socket: Socket, target: string) => void, typeof ApiError | typeof ConnectionError][] = [
    ['gets no answer in time', () => {}, ConnectionError],
    ['is cut off', (socket) => socket.destroy(), ConnectionError],
    ['is reset', (socket) => socket.resetAndDestroy(), ConnectionError],
    [
      'is cut off within the answer',
      (socket, target) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${quoted(target)}`),
      ConnectionError,
    ],
    ['is answered with no HTTP', (socket, target) => socket.end(quoted(target)), ConnectionError],
    [
      'is answered with a header that is none',
      (socket, target) => socket.end(`HTTP/1.1 200 OK\r\n${quoted(target)}\r\n\r\n`),
      ConnectionError,
    ],
    [
      'is answered with JSON that is none, which the parser would quote',
      (socket, target) => socket.end(reply('200 OK', 'application/json', quoted(target))),
      ApiError,
    ],
    [
      'is answered with an empty body that should be JSON',
      (socket) => socket.end(reply('200 OK', 'application/json', '')),
      ApiError,
    ],
    [
      'is answered by a page of a proxy',
      (socket, target) => socket.end(reply('502 Bad Gateway', 'text/html', `<p>${quoted(target)}</p>`)),
      ApiError,
    ],
    [
      'is sent elsewhere',
      (socket, target) => socket.end(reply('302 Found', 'text/html', '', `Location: https://example.com${target}\r\n`)),
      ApiError,
    ],
    [
      'is refused in the words of a client that quotes it',
      (socket, target) => {
        const message = quoted(target);
        const error = {
          message,
          type: 'api_error',
          code: 'x',
          details: [{ code: 'y', message, path: message }],
          note: message,
        };
        socket.end(reply('400 Bad Request', 'application/json', JSON.stringify({ error })));
      },
      ApiError,
    ],
  ];
  for (const [what, fault, kind] of faults) {
    it(`does not contain the query of a request that ${what}, also after retries`, async () => {
      for (const maxRetries of [0, 1]) {
        respond = fault;
        requests = [];
        const errors = await assertClean({ timeoutMs: 200, maxRetries });
        assert.equal(requests.length >= 2, true);
        assert.ok(
          requests.some((target) => target.includes(query.client_secret)),
          'the query was sent',
        );
        for (const error of errors) assert.ok(error instanceof kind, inspect(error));
      }
    });
  }

  it('takes time in proportion to its length, whatever it quotes', async () => {
    for (const message of lengthy) {
      const fetch = async () => Response.json({ error: { message, type: 'api_error' } }, { status: 400 });
      const begun = performance.now();
      await assert.rejects(client({ fetch }).customers.list({ email: query.email }), ApiError);
      const ms = performance.now() - begun;
      assert.ok(ms < 2_000, `${Math.round(ms)} ms for ${message.slice(0, 20)}`);
    }
  });

  it('keeps everything else: the path, the code, the request id and the other words', async () => {
    respond = (socket) => {
      const error = {
        message: 'Why? Ask us: limit=20 is too many.',
        type: 'api_error',
        code: 'odd',
        request_id: 'req_1',
      };
      socket.end(reply('400 Bad Request', 'application/json', JSON.stringify({ error })));
    };
    const [first] = await assertClean();
    assert.ok(first instanceof ApiError);
    assert.deepEqual(
      [first.message, first.code, first.requestId, first.path],
      ['Why? Ask us: limit=20 is too many.', 'odd', 'req_1', `/api/v1/payment_intents/${intentId}`],
    );
  });

  it('does not contain it either if the user’s own fetch puts the URL into its errors and causes', async () => {
    const [first] = await assertClean({
      fetch: async (input) => {
        const cause = Object.assign(new Error(`socket of ${input}`), { code: 'ECONNRESET', input });
        const error = new Error(`request to ${input} failed, reason: connect ECONNREFUSED`, { cause });
        throw Object.assign(error, {
          name: 'FetchError',
          url: String(input),
          config: { url: input, headers: 'sk_sandbox_abcdefghijk' },
        });
      },
    });
    assert.match(inspect(first?.cause), /FetchError/);
    assert.match(inspect(first?.cause), /ECONNRESET/);
    await assertClean({
      fetch: async (input) => {
        throw `${input} failed`;
      },
    });
  });

  it('does not contain the key or password of an address that fetch would quote', () => {
    for (const options of [
      { apiKey: 'sk_sandbox_abcdefghijk\nX: y' },
      { apiKey: 'sk_sandbox_abcdefghijkü' },
      { baseUrl: 'https://jo:sk_sandbox_abcdefghijk@example.com' },
    ]) {
      assert.throws(
        () => client(options),
        (error) => error instanceof TypeError && !formsOf(error).includes('abcdefgh'),
      );
    }
  });

  it('does not show it on the terminal of a program that it ends', async () => {
    const program = `
      import { PaymentsClient } from '@payments-service/client';
      const payments = new PaymentsClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'sk_sandbox_abcdefghijk', maxRetries: 1 });
      await payments.paymentIntents.get('${intentId}', { client_secret: '${query.client_secret}' });`;
    const cwd = fileURLToPath(new URL('../../', import.meta.url));
    const args = ['--conditions=payments-source', '--input-type=module', '--eval', program];
    await assert.rejects(promisify(execFile)(process.execPath, args, { cwd }), (error) => {
      const { stdout, stderr } = Object(error);
      assert.match(stderr, /ConnectionError: GET http:\/\/127\.0\.0\.1:1\/api\/v1\/payment_intents\//);
      const printed = `${stdout}${stderr}`;
      for (const secret of secrets) assert.ok(!printed.includes(secret), `${secret} is in:\n${printed}`);
      return true;
    });
  });
});
