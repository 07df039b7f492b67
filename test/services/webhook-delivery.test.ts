import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { realNow } from '../../src/domain/real-time.ts';
import type { Call } from '../../src/services/call.ts';
import { InvalidState, NotFound } from '../../src/services/errors.ts';
import {
  findWebhookDelivery,
  pingWebhookEndpoint,
  replayWebhookDeliveries,
  retryWebhookDelivery,
} from '../../src/services/webhook-deliveries.ts';
import { attemptDelivery, type DeliveryDeps, giveUpDelivery } from '../../src/services/webhook-delivery.ts';
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  rotateSecret,
  updateWebhookEndpoint,
} from '../../src/services/webhook-endpoints.ts';
import { createWebhookSender, OriginBusy, type WebhookSender } from '../../src/services/webhook-sender.ts';
import { useDatabase } from '../support/database.ts';
import { deliveryOf, makeCall, makeEndpoint, makeEvent, useReceiver, webhookDeps } from '../support/webhooks.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('a webhook delivery', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  let sender: WebhookSender;
  let deps: DeliveryDeps;
  let call: Call;
  let now: Date;

  before(() => {
    sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 300 });
  });
  after(() => sender.close());

  beforeEach(async () => {
    receiver.reset();
    now = realNow();
    call = await makeCall(db.sql, { now });
    deps = { vault: webhookDeps.vault, sender, now: () => now, random: () => 0.5 };
  });

  let unstaged = 0;
  afterEach(async () => {
    // Every pending delivery has been told to Temporal at least once.
    const rows = await db.sql`
      select 1 from webhook_deliveries d
      where not exists (select 1 from workflow_intents i where i.subject_id = d.id and i.start)`;
    unstaged += rows.length;
  });
  after(() => assert.equal(unstaged, 0));

  async function made(path = '/hook') {
    const endpoint = await makeEndpoint(db.sql, call, receiver.url + path);
    const eventId = await makeEvent(db.sql, call, { data: { amount: 5000 } });
    return { endpoint, eventId, id: await deliveryOf(db.sql, eventId, endpoint.id) };
  }
  const attempt = (id: string, after: number | null = null) => attemptDelivery(db.sql, deps, id, after);
  const read = (id: string) => findWebhookDelivery(db.sql, call, id);
  const lastOf = async (id: string) => (await read(id)).attempts.at(-1);

  describe('that is answered', () => {
    it('with any 2xx is delivered, signed so that the official library accepts it', async () => {
      const { endpoint, eventId, id } = await made('/hook?tenant=7');
      receiver.answer = (_request, response) => response.writeHead(204).end();
      const progress = await attempt(id);
      assert.deepEqual([progress?.status, progress?.attempts, progress?.nextAttemptAt], ['delivered', 1, null]);

      const [webhook, ...others] = receiver.received;
      assert.ok(webhook);
      assert.equal(others.length, 0);
      assert.equal(webhook.path, '/hook?tenant=7');
      assert.equal(webhook.headers['content-type'], 'application/json');
      assert.match(webhook.headers['user-agent'] ?? '', /^payments-service/);
      assert.equal(webhook.headers['webhook-id'], eventId);
      assert.equal(webhook.headers['webhook-timestamp'], String(Math.floor(now.getTime() / 1000)));
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
      const delivery = await read(id);
      assert.deepEqual([delivery.status, delivery.next_attempt_at, delivery.attempts.length], ['delivered', null, 1]);
      assert.deepEqual([delivery.attempts[0]?.status_code, delivery.attempts[0]?.error], [204, null]);
    });

    it('with an error is tried again, under the same id with a new timestamp, until it succeeds', async () => {
      const { eventId, id } = await made();
      receiver.answer = (_request, response, nth) => response.writeHead(nth < 3 ? 500 : 200).end('x');
      const first = await attempt(id);
      assert.deepEqual([first?.status, first?.waitMs, first?.lastAnswer], ['pending', 5000, 'answered 500']);
      now = new Date(now.getTime() + 5000);
      const second = await attempt(id, 1);
      assert.deepEqual([second?.status, second?.waitMs], ['pending', 300_000]);
      now = new Date(now.getTime() + 300_000);
      assert.equal((await attempt(id, 2))?.status, 'delivered');
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        [eventId, eventId, eventId],
      );
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size, 3);
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
      assert.deepEqual(
        (await read(id)).attempts.map((each) => each.status_code),
        [500, 500, 200],
      );
    });

    it('with failure ten times is given up, and says so', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => response.writeHead(503).end();
      const waits: (number | undefined)[] = [];
      for (let after = 0; after < 10; after++) {
        const progress = await attempt(id, after);
        waits.push(progress?.waitMs);
        now = new Date(now.getTime() + (progress?.waitMs ?? 0));
      }
      assert.deepEqual(
        waits.map((wait) => (wait ?? 0) / 60_000),
        [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, 0],
      );
      const delivery = await read(id);
      assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'all attempts have failed']);
      assert.equal((await attempt(id))?.status, 'failed');
      assert.equal(receiver.received.length, 10);
    });

    it('with a redirect has failed, and the redirect is not followed', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) =>
        response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end('moved');
      const progress = await attempt(id);
      assert.equal(progress?.status, 'pending');
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/hook'],
      );
      assert.equal((await lastOf(id))?.error, 'answered 307: redirects are not followed');
    });

    it('with Retry-After, in seconds or as a date, waits at least so long', async () => {
      for (const value of ['90', new Date(now.getTime() + 91_000).toUTCString()]) {
        const { id } = await made();
        receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': value }).end();
        const waitMs = (await attempt(id))?.waitMs ?? 0;
        assert.ok(waitMs >= 90_000 && waitMs <= 91_000, `${value}: ${waitMs}`);
      }
    });

    it('is kept to 2 KiB of the answer, whole characters and no NUL', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => response.end(`\0${'€'.repeat(5000)}`);
      assert.equal((await attempt(id))?.status, 'delivered');
      assert.equal((await lastOf(id))?.response_excerpt, `\ufffd${'€'.repeat(682)}`);
    });

    it('with a body that never ends has what its status says, and the connection is cut', async () => {
      const { id } = await made();
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
      assert.equal((await attempt(id))?.status, 'delivered');
      assert.ok(performance.now() - started < 250);
      assert.equal((await lastOf(id))?.response_excerpt?.length, 2048);
      await until(() => closed);
    });

    it('byte by byte is cut at the timeout', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => {
        response.writeHead(500);
        const timer = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(timer));
      };
      const progress = await attempt(id);
      assert.equal(progress?.status, 'pending');
      const last = await lastOf(id);
      assert.equal(last?.status_code, 500);
      assert.ok((last?.duration_ms ?? 0) >= 290 && (last?.duration_ms ?? 0) < 1000);
    });
  });

  describe('that is not answered', () => {
    const withoutAnswer = async (id: string) => {
      const progress = await attempt(id);
      assert.equal(progress?.status, 'pending');
      const last = await lastOf(id);
      assert.equal(last?.status_code, null);
      assert.equal(last?.response_excerpt, null);
      return last?.error;
    };

    it('has failed at the timeout, also when headers come byte by byte', async () => {
      const hanging = await made();
      receiver.answer = () => {};
      assert.equal(await withoutAnswer(hanging.id), 'no answer within 0.3 s');
      const slow = await made();
      receiver.answer = (request) => {
        request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const timer = setInterval(() => request.socket.write('.'), 20);
        request.socket.on('close', () => clearInterval(timer));
        request.socket.on('error', () => {});
      };
      assert.equal(await withoutAnswer(slow.id), 'no answer within 0.3 s');
    });

    it('has failed when the connection is reset, closed or refused', async () => {
      const reset = await made();
      receiver.answer = (request) => request.socket.resetAndDestroy();
      assert.match((await withoutAnswer(reset.id)) ?? '', /reset|closed/);
      const closed = await made();
      receiver.answer = (request) => request.socket.end();
      assert.match((await withoutAnswer(closed.id)) ?? '', /closed|reset/);
      const refused = await makeEndpoint(db.sql, call, 'http://127.0.0.1:1/');
      const id = await deliveryOf(db.sql, await makeEvent(db.sql, call), refused.id);
      assert.equal(await withoutAnswer(id), 'connection refused');
    });

    it('has failed when the answer is not HTTP', async () => {
      const { id } = await made();
      receiver.answer = (request) => request.socket.end('SSH-2.0-OpenSSH\r\n');
      assert.equal(await withoutAnswer(id), 'the answer is not HTTP');
    });

    it('has failed in words when the address is not public, without a connection', async () => {
      const { id, endpoint } = await made();
      await db.sql`update webhook_endpoints set url = 'http://169.254.169.254/latest' where id = ${endpoint.id}`;
      assert.equal(await withoutAnswer(id), 'the address is not public');
    });
  });

  describe('with two secrets', () => {
    it('carries a signature of each while they overlap, and of the new one alone after it', async () => {
      const { endpoint, id } = await made();
      const rotated = await rotateSecret(db.sql, call, endpoint.id, { overlap_hours: 2 }, webhookDeps);
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
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await attempt(id);
      assert.equal(receiver.received.at(-1)?.headers['webhook-signature']?.toString().split(' ').length, 2);
      assert.deepEqual([verifies(endpoint.secret), verifies(rotated.secret)], [true, true]);

      // The overlap is over: moved into the past, since the library checks the timestamp against the real clock.
      await db.sql`update webhook_endpoints set previous_secret_expires_at = ${now} where id = ${endpoint.id}`;
      await attempt(id, 1);
      assert.deepEqual([verifies(endpoint.secret), verifies(rotated.secret)], [false, true]);
    });

    it('has no overlap when none is wanted', async () => {
      const { endpoint, id } = await made();
      await rotateSecret(db.sql, call, endpoint.id, { overlap_hours: 0 }, webhookDeps);
      await attempt(id);
      assert.equal(receiver.received[0]?.headers['webhook-signature']?.toString().split(' ').length, 1);
    });
  });

  describe('to an endpoint that is gone', () => {
    it('disables it at 410, ends what waits for it and tells the other endpoints', async () => {
      const { endpoint, id } = await made();
      const waiting = await deliveryOf(db.sql, await makeEvent(db.sql, call), endpoint.id);
      const other = await makeEndpoint(db.sql, call, `${receiver.url}/other`);
      receiver.answer = (_request, response) => response.writeHead(410).end();
      assert.equal((await attempt(id))?.status, 'failed');

      const after = await findWebhookEndpoint(db.sql, call, endpoint.id);
      assert.deepEqual([after.status, after.disabled_reason], ['disabled', 'gone']);
      for (const each of [id, waiting]) {
        const delivery = await read(each);
        assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'endpoint disabled']);
      }
      const told = await db.sql`
        select d.endpoint_id, e.data->>'id' as about, e.data->>'secret' as secret
        from events e join webhook_deliveries d on d.event_id = e.id
        where e.event_type = 'webhook_endpoint.disabled' and e.biller_id = ${call.billerId}`;
      assert.deepEqual([...told], [{ endpoint_id: other.id, about: endpoint.id, secret: null }]);
    });

    it('disables it after five days of nothing but failure, and not when it has answered in between', async () => {
      receiver.answer = (_request, response) => response.writeHead(500).end();
      const { endpoint, id } = await made();
      await attempt(id);
      const state = async () => (await findWebhookEndpoint(db.sql, call, endpoint.id)).disabled_reason;
      const next = async () => {
        const eventId = await makeEvent(db.sql, { ...call, now });
        return attempt(await deliveryOf(db.sql, eventId, endpoint.id));
      };
      now = new Date(now.getTime() + 4 * day);
      receiver.answer = undefined;
      assert.equal((await next())?.status, 'delivered');
      receiver.answer = (_request, response) => response.writeHead(500).end();
      now = new Date(now.getTime() + 2 * day);
      await next();
      assert.equal(await state(), null);
      now = new Date(now.getTime() + 5 * day - 1);
      await next();
      assert.equal(await state(), null);
      now = new Date(now.getTime() + 1);
      assert.equal((await next())?.status, 'failed');
      assert.equal(await state(), 'failing');
    });

    it('ends when the endpoint is deleted or disabled, without another POST', async () => {
      const deleted = await made();
      await deleteWebhookEndpoint(db.sql, call, deleted.endpoint.id);
      assert.equal((await read(deleted.id)).failure_reason, 'endpoint deleted');
      const disabled = await made();
      await updateWebhookEndpoint(db.sql, call, disabled.endpoint.id, { status: 'disabled' }, webhookDeps);
      assert.equal((await read(disabled.id)).failure_reason, 'endpoint disabled');
      // Made pending behind the endpoint's back, as by a fan-out that was under way at that moment.
      await db.sql`
        update webhook_deliveries set status = 'pending', failure_reason = null, finished_at = null
        where id in (${deleted.id}, ${disabled.id})`;
      assert.equal((await attempt(deleted.id))?.lastAnswer, 'endpoint deleted');
      assert.equal((await attempt(disabled.id))?.lastAnswer, 'endpoint disabled');
      assert.equal(receiver.received.length, 0);
      assert.equal((await read(deleted.id)).status, 'failed');
    });

    it('stays ended, with the attempt on record, when the endpoint is deleted while it answers with an error', async () => {
      const { endpoint, id } = await made();
      receiver.answer = async (_request, response) => {
        await deleteWebhookEndpoint(db.sql, call, endpoint.id);
        response.writeHead(500).end();
      };
      assert.equal((await attempt(id))?.status, 'failed');
      const delivery = await read(id);
      assert.deepEqual([delivery.failure_reason, delivery.attempts.length], ['endpoint deleted', 1]);
    });
  });

  describe('made more than once', () => {
    it('records nothing for a late recorder whose attempt another has made', async () => {
      const { id } = await made();
      let thaw = () => {};
      const frozen = new Promise<void>((done) => {
        thaw = done;
      });
      const late: DeliveryDeps = {
        ...deps,
        sender: {
          ...sender,
          send: async (request) => {
            const answer = await sender.send(request);
            await frozen;
            return answer;
          },
        },
      };
      receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end();
      const frozenAttempt = attemptDelivery(db.sql, late, id, null);
      await until(() => receiver.received.length === 1);
      assert.equal((await attempt(id))?.status, 'delivered');
      thaw();
      const told = await frozenAttempt;
      assert.deepEqual([told?.status, told?.attempts], ['delivered', 1]);
      const delivery = await read(id);
      assert.deepEqual(
        delivery.attempts.map((each) => each.status_code),
        [200],
      );
    });

    it('has one recorded attempt when two senders race', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => setTimeout(() => response.writeHead(500).end(), 50);
      const both = await Promise.all([attempt(id), attempt(id)]);
      assert.deepEqual(
        both.map((progress) => progress?.attempts),
        [1, 1],
      );
      assert.equal(receiver.received.length, 2);
      assert.equal((await read(id)).attempts.length, 1);
    });

    it('is not sent again by a repeated activity whose first run has recorded it', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await attempt(id);
      const repeated = await attempt(id);
      assert.deepEqual([repeated?.status, repeated?.attempts, repeated?.waitMs], ['pending', 1, 5000]);
      await attempt(id, 1);
      await attempt(id, 1);
      assert.equal(receiver.received.length, 2);
      assert.equal((await read(id)).attempts.length, 2);
    });

    it('is nothing when there is no such delivery', async () => {
      assert.equal(await attempt('whd_00000000000000000000000000000000'), null);
    });

    it('re-uses the connection', async () => {
      const deliveries = [];
      for (let count = 0; count < 5; count++) deliveries.push(await made());
      const before = receiver.connections;
      for (const { id } of deliveries) assert.equal((await attempt(id))?.status, 'delivered');
      assert.ok(receiver.connections - before <= 1);
    });

    it('is refused, not queued, when a receiver that hangs has 64 of them', async () => {
      receiver.answer = () => {};
      const request = { url: receiver.url, livemode: false, headers: {}, body: '{}' };
      const hanging = Array.from({ length: 64 }, () => sender.send(request));
      await assert.rejects(sender.send(request), OriginBusy);
      const answers = await Promise.all(hanging);
      assert.ok(answers.every((answer) => answer.kind === 'unanswered'));
      receiver.answer = undefined;
      assert.equal((await sender.send(request)).kind, 'answered');
    });
  });

  describe('retried by hand', () => {
    const intentOf = async (id: string) => {
      const [row] = await db.sql`
        select start, signal from workflow_intents where subject_id = ${id} order by id desc limit 1`;
      return row;
    };

    it('begins a fresh series when it had failed, and its old attempts stay', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => response.writeHead(500).end();
      for (let after = 0; after < 10; after++) await attempt(id, after);
      assert.equal((await read(id)).status, 'failed');
      const retried = await retryWebhookDelivery(db.sql, { ...call, now }, id);
      assert.deepEqual([retried.status, retried.failure_reason], ['pending', null]);
      assert.deepEqual(await intentOf(id), { start: true, signal: 'retryNow' });
      const progress = await attempt(id);
      assert.deepEqual([progress?.status, progress?.attempts, progress?.waitMs], ['pending', 11, 5000]);
      receiver.answer = undefined;
      assert.equal((await attempt(id, 11))?.status, 'delivered');
      assert.equal((await read(id)).attempts.length, 12);
    });

    it('is due at once when it was waiting, and goes on with its series', async () => {
      const { id } = await made();
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await attempt(id);
      await attempt(id, 1);
      await retryWebhookDelivery(db.sql, { ...call, now }, id);
      const progress = await attempt(id);
      assert.deepEqual([progress?.attempts, progress?.waitMs], [3, 30 * 60_000]);
    });

    it('is sent again when it had been delivered', async () => {
      const { id } = await made();
      await attempt(id);
      await retryWebhookDelivery(db.sql, call, id);
      assert.equal((await attempt(id))?.status, 'delivered');
      assert.equal(receiver.received.length, 2);
    });

    it('is refused while the endpoint is disabled or deleted, and to strangers', async () => {
      const { endpoint, id } = await made();
      await assert.rejects(retryWebhookDelivery(db.sql, await makeCall(db.sql), id), NotFound);
      await assert.rejects(retryWebhookDelivery(db.sql, { ...call, livemode: true }, id), NotFound);
      await updateWebhookEndpoint(db.sql, call, endpoint.id, { status: 'disabled' }, webhookDeps);
      await assert.rejects(retryWebhookDelivery(db.sql, call, id), InvalidState);
      await deleteWebhookEndpoint(db.sql, call, endpoint.id);
      await assert.rejects(retryWebhookDelivery(db.sql, call, id), InvalidState);
    });

    it('can be given up by an operator', async () => {
      const { id } = await made();
      await giveUpDelivery(db.sql, id, now);
      await giveUpDelivery(db.sql, id, now);
      const delivery = await read(id);
      assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'given up by an operator']);
    });
  });

  describe('in a replay', () => {
    it('is made for what failed, what waits, and what was never sent, and with "all" for what was delivered', async () => {
      const since = new Date(now.getTime() - 1000).toISOString();
      const { endpoint, id: delivered } = await made();
      await attempt(delivered);
      const deliveryOfNext = async () => deliveryOf(db.sql, await makeEvent(db.sql, call), endpoint.id);
      const failed = await deliveryOfNext();
      const waiting = await deliveryOfNext();
      await giveUpDelivery(db.sql, failed, now);
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await attempt(waiting);
      await updateWebhookEndpoint(db.sql, call, endpoint.id, { status: 'disabled' }, webhookDeps);
      const missed = await makeEvent(db.sql, call);
      await makeEvent(db.sql, await makeCall(db.sql));
      await assert.rejects(replayWebhookDeliveries(db.sql, call, endpoint.id, { since }), InvalidState);
      await updateWebhookEndpoint(db.sql, call, endpoint.id, { status: 'enabled' }, webhookDeps);

      const later = { ...call, now: new Date(now.getTime() + 1000) };
      const replayed = await replayWebhookDeliveries(db.sql, later, endpoint.id, { since });
      assert.deepEqual(replayed, { enqueued: 3, has_more: false });
      const pending = await db.sql<{ id: string }[]>`
        select id from webhook_deliveries where endpoint_id = ${endpoint.id} and status = 'pending' order by id`;
      assert.deepEqual(
        pending.map((row) => row.id),
        [failed, waiting, await deliveryOf(db.sql, missed, endpoint.id)],
      );
      now = later.now;
      receiver.reset();
      for (const { id } of pending) assert.equal((await attempt(id))?.status, 'delivered');
      assert.deepEqual(receiver.received.at(-1)?.headers['webhook-id'], missed);

      assert.equal((await replayWebhookDeliveries(db.sql, later, endpoint.id, { since })).enqueued, 0);
      const all = { since, status: 'all' as const };
      assert.equal((await replayWebhookDeliveries(db.sql, later, endpoint.id, all)).enqueued, 4);
    });

    it('keeps to the range and to what the endpoint subscribes to', async () => {
      const endpoint = await makeEndpoint(db.sql, call, receiver.url, ['payment_plan.*']);
      const at = (hours: number) => new Date(now.getTime() + hours * hour);
      const recorded = async (hours: number, type: 'payment_plan.closed' | 'refund.failed' = 'payment_plan.closed') => {
        const eventId = await makeEvent(db.sql, { ...call, now: at(hours) }, { type });
        if (type === 'payment_plan.closed') {
          await giveUpDelivery(db.sql, await deliveryOf(db.sql, eventId, endpoint.id), at(hours));
        }
        return eventId;
      };
      await recorded(-3);
      const wanted = await recorded(-2);
      await recorded(-2, 'refund.failed');
      await recorded(-1);
      const range = { since: at(-2).toISOString(), until: at(-1.5).toISOString() };
      assert.equal((await replayWebhookDeliveries(db.sql, call, endpoint.id, range)).enqueued, 1);
      assert.equal((await read(await deliveryOf(db.sql, wanted, endpoint.id))).status, 'pending');
    });
  });

  describe('of a ping', () => {
    it('goes to the endpoint alone, whatever it subscribes to', async () => {
      await makeEndpoint(db.sql, call, `${receiver.url}/other`);
      const endpoint = await makeEndpoint(db.sql, call, `${receiver.url}/pinged`, ['refund.failed']);
      const delivery = await pingWebhookEndpoint(db.sql, call, endpoint.id);
      assert.deepEqual([delivery.event_type, delivery.status], ['webhook_endpoint.ping', 'pending']);
      assert.equal((await attempt(delivery.id))?.status, 'delivered');
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/pinged'],
      );
      const [count] = await db.sql`
        select count(*)::integer as n from webhook_deliveries where event_id = ${delivery.event_id}`;
      assert.equal(count?.n, 1);
    });

    it('is refused to a disabled endpoint', async () => {
      const endpoint = await makeEndpoint(db.sql, call, receiver.url);
      await updateWebhookEndpoint(db.sql, call, endpoint.id, { status: 'disabled' }, webhookDeps);
      await assert.rejects(pingWebhookEndpoint(db.sql, call, endpoint.id), InvalidState);
    });
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
