import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { createWebhookSender, type WebhookResponse } from '../../src/services/webhooks/sender.ts';
import type { Later } from '../../src/services/webhooks/sending-turns.ts';
import { selfSigned } from '../support/certificate.ts';
import { useReceiver, webhookDeps } from '../support/webhooks.ts';

type Answer = WebhookResponse | Later;

const request = { endpointId: 'we_1', failingMs: null, url: '', livemode: false, headers: {}, body: '{}' };
const timeoutMs = 300;
const megabyte = 1_048_576;
/** What the two sockets of a connection on this machine may hold, beside what is read. */
const buffered = 16 * megabyte;

describe('a webhook receiver', () => {
  const receiver = useReceiver();
  const servers: Server[] = [];
  afterEach('reset the receiver and stop the others', async () => {
    receiver.reset();
    for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  });

  /** Serves on loopback until the test ends; answers the port. */
  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return (server.address() as AddressInfo).port;
  }

  /** One POST by a sender of its own, and how long it took. */
  async function send(url = receiver.url, outbound = webhookDeps.outbound): Promise<Answer & { ms: number }> {
    const sender = createWebhookSender({ policy: outbound, timeoutMs });
    const begun = performance.now();
    const answer = await sender.send({ ...request, url });
    const ms = performance.now() - begun;
    await sender.close();
    return { ...answer, ms };
  }

  const errorOf = (answer: Answer) => (answer.kind === 'failed' ? answer.error : null);
  const statusOf = (answer: Answer) => (answer.kind === 'responded' ? answer.statusCode : null);

  /** Answers with as much as is taken, up to 100 MB; tells how much that was. */
  function pour(headers: Record<string, string>) {
    const poured = { bytes: 0, isCut: false };
    receiver.answer = (_request, response) => {
      response.on('close', () => {
        poured.isCut = true;
      });
      response.writeHead(200, headers);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (poured.bytes < 100 * megabyte && !poured.isCut) {
          poured.bytes += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    };
    return poured;
  }

  for (const [how, headers] of [
    ['announces 100 MB', { 'content-length': String(100 * megabyte) }],
    ['sends 100 MB in chunks', {}],
  ] as const) {
    it(`that ${how} has 2 KiB of it read, at once, and is cut off`, async () => {
      const poured = pour(headers);
      const answer = await send();
      assert.deepEqual([statusOf(answer), answer.kind === 'responded' && answer.excerpt.length], [200, 2048]);
      await eventually('it is cut off', () => poured.isCut);
      assert.ok(poured.bytes < buffered, `${poured.bytes} bytes were taken`);
    });
  }

  it('whose compressed answer would swell to 100 MB has it kept as it came', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * megabyte));
    receiver.answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    const before = process.memoryUsage().rss;
    const answer = await send();
    assert.ok(answer.kind === 'responded' && answer.excerpt.length <= 2048);
    assert.ok(process.memoryUsage().rss - before < 50 * megabyte);
  });

  it('that sends interim answers without end has not answered when the time is over', async () => {
    receiver.answer = (request) => {
      const timer = setInterval(() => request.socket.write('HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n'), 5);
      request.socket.on('close', () => clearInterval(timer)).on('error', () => {});
    };
    const answer = await send();
    assert.equal(errorOf(answer), 'no response within 0.3 s');
    assert.ok(answer.ms < 1000);
  });

  it('that would speak another protocol from here on has not answered', async () => {
    receiver.answer = (request) => {
      request.socket.on('error', () => {});
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    };
    assert.equal((await send()).kind, 'failed');
  });

  it('is cut off in words if its headers are endless', async () => {
    receiver.answer = (request) => {
      request.socket.on('error', () => {});
      request.socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${'y'.repeat(1000)}\r\n`.repeat(100)}`);
    };
    assert.equal(errorOf(await send()), 'response headers too large');
  });

  it('that redirects without end, to itself, to this machine or to a file, is asked once each time', async () => {
    const targets = [
      '/',
      `${receiver.url}/again`,
      'http://127.0.0.1:1/',
      'http://169.254.169.254/',
      'file:///etc/passwd',
    ];
    let asked = 0;
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of targets) {
        receiver.answer = (_request, response) => response.writeHead(status, { location }).end();
        assert.equal(statusOf(await send()), status);
        assert.equal(receiver.received.length, ++asked);
      }
    }
  });

  it('that answers before it has heard all is believed', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket
          .on('error', () => {})
          .resume()
          .end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
      }),
    );
    assert.equal(statusOf(await send(`http://127.0.0.1:${port}`)), 200);
  });

  it('that never ends its TLS handshake, or does not begin one, holds up nothing beyond the time', async () => {
    const silent = await listen(createTcpServer((socket) => socket.on('error', () => {}).resume()));
    assert.equal(errorOf(await send(`https://127.0.0.1:${silent}`)), 'no response within 0.3 s');
    const { port } = new URL(receiver.url);
    assert.match(errorOf(await send(`https://127.0.0.1:${port}`)) ?? '', /^TLS failed/);
  });

  it('whose certificate is not trusted receives nothing of the event', async () => {
    let heard = 0;
    const server = createTlsServer(selfSigned, () => {
      heard += 1;
    });
    const port = await listen(server);
    assert.equal(errorOf(await send(`https://127.0.0.1:${port}`)), 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    assert.equal(heard, 0);
  });

  it('whose name server never answers holds up nothing beyond the time', async () => {
    const hanging = { allowLoopback: true, resolve: () => new Promise<string[]>(() => {}) };
    const answer = await send('http://hanging.test/', hanging);
    assert.equal(errorOf(answer), 'no response within 0.3 s');
    assert.ok(answer.ms < 1000);
  });

  it('has 15 seconds, not one more and not one less', async () => {
    receiver.answer = () => {};
    const sender = createWebhookSender({ policy: webhookDeps.outbound });
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let answer: Answer | undefined;
      const sending = sender.send({ ...request, url: receiver.url }).then((given) => {
        answer = given;
      });
      while (receiver.received.length === 0) await turn();
      mock.timers.tick(14_999);
      for (let turns = 0; turns < 50; turns++) await turn();
      assert.equal(answer, undefined);
      mock.timers.tick(1);
      await sending;
      assert.equal(answer && errorOf(answer), 'no response within 15 s');
    } finally {
      mock.timers.reset();
      await sender.close();
    }
  });

  it('that hangs keeps its own share of the slots; others, at the same host too, are sent to at once', async () => {
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 2000 });
    receiver.answer = (request, response) => {
      if (request.url !== '/hangs') response.end();
    };
    const to = (endpointId: string, path: string) => sender.send({ ...request, endpointId, url: receiver.url + path });
    const hanging: Promise<Answer>[] = [];
    for (let endpoint = 0; endpoint < 8; endpoint++) {
      for (;;) {
        const sent = to(`we_hangs_${endpoint}`, '/hangs');
        const isRefused = await Promise.race([sent.then(({ kind }) => kind === 'later'), turn(false)]);
        if (isRefused) break;
        hanging.push(sent);
      }
    }
    assert.ok(hanging.length > 250, `only ${hanging.length} were let in`);
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => to('we_answers', '/')));
    assert.ok(performance.now() - begun < 1500, 'the one that answers was held up');
    assert.deepEqual(new Set(answers.map(statusOf)), new Set([200]));
    assert.ok((await Promise.all(hanging)).every((answer) => answer.kind === 'failed'));
    receiver.answer = undefined;
    assert.equal(statusOf(await to('we_hangs_0', '/hangs')), 200);
    await sender.close();
  });
});
