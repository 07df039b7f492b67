import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { rotateSecret } from '../../src/services/webhooks/endpoints.ts';
import { createWebhookSender, type WebhookSender } from '../../src/services/webhooks/sender.ts';
import { useDatabase } from '../support/database.ts';
import { deliveryOf, makeEndpoint, makeEvent, useDeliveries, useReceiver, webhookDeps } from '../support/webhooks.ts';

/** The timeout of a sender that should not reach it, however busy the machine is. */
const patientMs = 40_000;

describe('a webhook delivery', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  let patient: WebhookSender;
  before('open a sender with a long timeout', () => {
    patient = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: patientMs });
  });
  after('close it', () => patient.close());
  const lastOf = async (id: string) => (await the.read(id)).attempts.at(-1);

  describe('that is answered', () => {
    it('is delivered by any 2xx, signed so that the official library accepts it', async () => {
      const { endpoint, eventId, id } = await the.made('/hook?tenant=7');
      receiver.answer = (_request, response) => response.writeHead(204).end();
      const progress = await the.attempt(id);
      assert.deepEqual([progress?.status, progress?.attempts, progress?.nextAttemptAt], ['delivered', 1, null]);

      const [webhook, ...others] = receiver.received;
      assert.ok(webhook);
      assert.equal(others.length, 0);
      assert.equal(webhook.path, '/hook?tenant=7');
      assert.equal(webhook.headers['content-type'], 'application/json');
      assert.match(webhook.headers['user-agent'] ?? '', /^payments-service/);
      assert.equal(webhook.headers['webhook-id'], eventId);
      assert.equal(webhook.headers['webhook-timestamp'], String(Math.floor(the.now.getTime() / 1000)));
      const payload = new Webhook(endpoint.secret).verify(webhook.body, flat(webhook.headers));
      assert.deepEqual(payload, JSON.parse(webhook.body));
      assert.deepEqual(Object.keys(JSON.parse(webhook.body)), [
        'id',
        'event_type',
        'created_at',
        'livemode',
        'biller_id',
        'test_clock',
        'sequence',
        'request_id',
        'data',
      ]);
      const delivery = await the.read(id);
      assert.deepEqual([delivery.status, delivery.next_attempt_at, delivery.attempts.length], ['delivered', null, 1]);
      assert.deepEqual([delivery.attempts[0]?.status_code, delivery.attempts[0]?.error], [204, null]);
    });

    it('is tried again after an error, under the same id with a new timestamp, until it succeeds', async () => {
      const { eventId, id } = await the.made();
      receiver.answer = (_request, response, nth) => response.writeHead(nth < 3 ? 500 : 200).end('x');
      const first = await the.attempt(id);
      assert.deepEqual([first?.status, first?.waitMs, first?.lastAnswer], ['pending', 5000, 'status 500']);
      the.pass(5000);
      const second = await the.attempt(id, 1);
      assert.deepEqual([second?.status, second?.waitMs], ['pending', 300_000]);
      the.pass(300_000);
      assert.equal((await the.attempt(id, 2))?.status, 'delivered');
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        [eventId, eventId, eventId],
      );
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size, 3);
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
      assert.deepEqual(
        (await the.read(id)).attempts.map((each) => each.status_code),
        [500, 500, 200],
      );
    });

    it('is given up after ten failures, and says so', async () => {
      const { id } = await the.made();
      receiver.answer = (_request, response) => response.writeHead(503).end();
      const waits: (number | undefined)[] = [];
      for (let after = 0; after < 10; after++) {
        const progress = await the.attempt(id, after);
        waits.push(progress?.waitMs);
        the.pass(progress?.waitMs ?? 0);
      }
      assert.deepEqual(
        waits.map((wait) => (wait ?? 0) / 60_000),
        [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, 0],
      );
      const delivery = await the.read(id);
      assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'all attempts have failed']);
      assert.equal((await the.attempt(id))?.status, 'failed');
      assert.equal(receiver.received.length, 10);
    });

    it('has failed with a redirect, which is not followed', async () => {
      const { id } = await the.made();
      receiver.answer = (_request, response) =>
        response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end('moved');
      const progress = await the.attempt(id);
      assert.equal(progress?.status, 'pending');
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/hook'],
      );
      assert.equal((await lastOf(id))?.error, 'status 307: redirects are not followed');
    });

    it('waits at least as long as Retry-After says, in seconds or as a date, and little longer', async () => {
      for (const value of ['90', new Date(the.now.getTime() + 91_000).toUTCString()]) {
        const { id } = await the.made();
        receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': value }).end();
        const waitMs = (await the.attempt(id))?.waitMs ?? 0;
        assert.ok(waitMs >= 90_000 && waitMs <= 91_000 * 1.1, `${value}: ${waitMs}`);
      }
    });

    it('waits as planned, or for a day at most, if Retry-After is absurd', async () => {
      const planned = 5000;
      const day = 86_400_000;
      for (const [value, expected] of [
        ['9'.repeat(30), day],
        ['Fri, 31 Dec 9999 23:59:59 GMT', day],
        ['Thu, 01 Jan 1970 00:00:00 GMT', planned],
        ['0', planned],
        ['-90', planned],
        ['1e9', planned],
        ['90; 90', planned],
        ['Infinity', planned],
        ['', planned],
        [['90', '900'], planned],
      ] as const) {
        const { id } = await the.made();
        receiver.answer = (_request, response) => response.writeHead(503, { 'retry-after': value as string }).end();
        assert.equal((await the.attempt(id))?.waitMs, expected, String(value));
      }
    });

    it('has our own secrets cut out of what is kept, as by a receiver that echoes what it knows', async () => {
      const { endpoint, id } = await the.made();
      const secrets = [endpoint.secret, 'sk_live_0123456789abcdefghijklmnop', 'pi_sandbox_1_secret_0123456789abcdef'];
      receiver.answer = (_request, response) => response.end(`I know ${secrets.join(' and ')}.`);
      await the.attempt(id);
      const excerpt = (await lastOf(id))?.response_excerpt ?? '';
      assert.equal(excerpt, 'I know whsec_[redacted] and sk_live_[redacted] and pi_sandbox_1_secret_[redacted].');
    });

    it('is kept to 2 KiB of the answer, whole characters and no NUL', async () => {
      const { id } = await the.made();
      receiver.answer = (_request, response) => response.end(`\0${'€'.repeat(5000)}`);
      assert.equal((await the.attempt(id))?.status, 'delivered');
      assert.equal((await lastOf(id))?.response_excerpt, `\ufffd${'€'.repeat(682)}`);
    });

    it('has what its status says with a body that never ends, and the connection is cut', async () => {
      const { id } = await the.made();
      let closed = false;
      receiver.answer = (_request, response) => {
        response.on('close', () => {
          closed = true;
        });
        const pour = () => {
          while (!closed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', pour);
        pour();
      };
      const started = performance.now();
      assert.equal((await attemptDelivery(db.sql, { ...the.deps, sender: patient }, id, null))?.status, 'delivered');
      assert.ok(performance.now() - started < patientMs / 2, 'it has not waited for its timeout');
      assert.equal((await lastOf(id))?.response_excerpt?.length, 2048);
      await until(() => closed);
    });

    it('byte by byte is cut at the timeout', async () => {
      const { id } = await the.made();
      receiver.answer = (_request, response) => {
        response.writeHead(500);
        const timer = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(timer));
      };
      const progress = await the.attempt(id);
      assert.equal(progress?.status, 'pending');
      const last = await lastOf(id);
      assert.equal(last?.status_code, 500);
      assert.ok((last?.duration_ms ?? 0) >= 290 && (last?.duration_ms ?? 0) < 1000);
    });
  });

  describe('that is not answered', () => {
    const withoutAnswer = async (id: string) => {
      const progress = await the.attempt(id);
      assert.equal(progress?.status, 'pending');
      const last = await lastOf(id);
      assert.equal(last?.status_code, null);
      assert.equal(last?.response_excerpt, null);
      return last?.error;
    };

    it('has failed at the timeout, also when headers come byte by byte', async () => {
      const hanging = await the.made();
      receiver.answer = () => {};
      assert.equal(await withoutAnswer(hanging.id), 'no response within 0.3 s');
      const slow = await the.made();
      receiver.answer = (request) => {
        request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const timer = setInterval(() => request.socket.write('.'), 20);
        request.socket.on('close', () => clearInterval(timer));
        request.socket.on('error', () => {});
      };
      assert.equal(await withoutAnswer(slow.id), 'no response within 0.3 s');
    });

    it('has failed when the connection is reset, closed or refused', async () => {
      const reset = await the.made();
      receiver.answer = (request) => request.socket.resetAndDestroy();
      assert.match((await withoutAnswer(reset.id)) ?? '', /reset|closed/);
      const closed = await the.made();
      receiver.answer = (request) => request.socket.end();
      assert.match((await withoutAnswer(closed.id)) ?? '', /closed|reset/);
      const refused = await makeEndpoint(db.sql, the.call, 'http://127.0.0.1:1/');
      const id = await deliveryOf(db.sql, await makeEvent(db.sql, the.call), refused.id);
      assert.equal(await withoutAnswer(id), 'connection refused');
    });

    it('has failed when the answer is not HTTP', async () => {
      const { id } = await the.made();
      receiver.answer = (request) => request.socket.end('SSH-2.0-OpenSSH\r\n');
      assert.equal(await withoutAnswer(id), 'the response is not HTTP');
    });

    it('has failed in words when the address is not public, without a connection', async () => {
      const { id, endpoint } = await the.made();
      await db.sql`update webhook_endpoints set url = 'http://169.254.169.254/latest' where id = ${endpoint.id}`;
      assert.equal(await withoutAnswer(id), 'the address is not public');
    });
  });

  describe('with two secrets', () => {
    it('carries a signature of each while they overlap, and of the new one alone after it', async () => {
      const { endpoint, id } = await the.made();
      const rotated = await rotateSecret(db.sql, the.call, endpoint.id, { overlap_hours: 2 }, webhookDeps);
      assert.notEqual(rotated.secret, endpoint.secret);
      const verifies = (secret = '') => {
        const webhook = receiver.received.at(-1);
        try {
          new Webhook(secret).verify(webhook?.body ?? '', flat(webhook?.headers ?? {}));
          return true;
        } catch {
          return false;
        }
      };
      receiver.answer = the.fail;
      await the.attempt(id);
      assert.equal(receiver.received.at(-1)?.headers['webhook-signature']?.toString().split(' ').length, 2);
      assert.deepEqual([verifies(endpoint.secret), verifies(rotated.secret)], [true, true]);

      // The overlap is over: moved into the past, since the library checks the timestamp against the real clock.
      await db.sql`update webhook_endpoints set previous_secret_expires_at = ${the.now} where id = ${endpoint.id}`;
      await the.attempt(id, 1);
      assert.deepEqual([verifies(endpoint.secret), verifies(rotated.secret)], [false, true]);
    });

    it('has no overlap when none is wanted', async () => {
      const { endpoint, id } = await the.made();
      await rotateSecret(db.sql, the.call, endpoint.id, { overlap_hours: 0 }, webhookDeps);
      await the.attempt(id);
      assert.equal(receiver.received[0]?.headers['webhook-signature']?.toString().split(' ').length, 1);
    });
  });

  it('re-uses the connection of the one before it', async () => {
    const deliveries = [];
    for (let count = 0; count < 5; count++) deliveries.push(await the.made());
    const before = receiver.connections;
    for (const { id } of deliveries) assert.equal((await the.attempt(id))?.status, 'delivered');
    assert.ok(receiver.connections - before <= 1);
  });
});

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (holds()) return;
    await pause(10);
  }
  assert.fail('it did not happen within 2 s');
}
