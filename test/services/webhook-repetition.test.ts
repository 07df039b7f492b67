import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { recordAttempts } from '../../src/db/webhook-deliveries.ts';
import { namedId } from '../../src/domain/ids.ts';
import { type CrashPoint, listenToCrashPoints } from '../../src/services/crash-points.ts';
import { attemptDelivery, type DeliveryDeps } from '../../src/services/webhooks/attempt.ts';
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  rotateSecret,
  updateWebhookEndpoint,
} from '../../src/services/webhooks/endpoints.ts';
import { door, holdLocks } from '../races/barriers.ts';
import { useDatabase } from '../support/database.ts';
import { deliveryOf, makeEvent, useDeliveries, useReceiver, webhookDeps } from '../support/webhooks.ts';

const day = 86_400_000;

describe('an attempt of a webhook delivery', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  afterEach('no process dies', () => listenToCrashPoints(() => {}));

  const endpointOf = async (id: string) => getWebhookEndpoint(db.sql, the.call, id);
  const statuses = async (id: string) => (await the.read(id)).attempts.map((each) => each.status_code);
  const nextDelivery = async (endpointId: string) =>
    deliveryOf(db.sql, await makeEvent(db.sql, { ...the.call, now: the.now }), endpointId);

  /**
   * An attempt whose worker freezes between the answer and its record; `thaw` lets it go on, and answers what it made.
   */
  async function freeze(id: string) {
    const thawing = door();
    const frozen: DeliveryDeps = {
      ...the.deps,
      sender: {
        ...the.deps.sender,
        async send(request) {
          const answer = await the.deps.sender.send(request);
          await thawing.pass();
          return answer;
        },
      },
    };
    const attempt = attemptDelivery(db.sql, frozen, id, null);
    await Promise.race([thawing.arrived, attempt]);
    return () => {
      thawing.open();
      return attempt;
    };
  }

  /** Makes the attempt by a worker that dies at this point. */
  async function dieAt(point: CrashPoint, id: string): Promise<void> {
    listenToCrashPoints((passed) => {
      if (passed === point) throw new Error('the worker is gone');
    });
    await assert.rejects(the.attempt(id), /the worker is gone/);
    listenToCrashPoints(() => {});
  }

  for (const [point, sent] of [
    ['delivery prepared', 1],
    ['delivery posted', 2],
    ['delivery recorded', 1],
  ] as const) {
    it(`whose worker dies at "${point}" is sent ${sent === 1 ? 'once' : 'twice, under one id,'} and recorded once`, async () => {
      const { eventId, id } = await the.made();
      await dieAt(point, id);
      assert.equal((await the.attempt(id))?.status, 'delivered');
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        Array(sent).fill(eventId),
      );
      assert.equal(new Set(receiver.received.map((received) => received.body)).size, 1);
      assert.deepEqual(await statuses(id), [200]);
    });
  }

  it('is not recorded by a worker that was frozen when another has made it', async () => {
    const { id } = await the.made();
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end();
    const thaw = await freeze(id);
    assert.equal((await the.attempt(id))?.status, 'delivered');
    const told = await thaw();
    assert.deepEqual([told?.status, told?.attempts], ['delivered', 1]);
    assert.deepEqual(await statuses(id), [200]);
  });

  it('says nothing about the endpoint if its worker was frozen for days: neither that it fails nor that it is gone', async () => {
    for (const late of [500, 410]) {
      const { endpoint, id } = await the.made();
      receiver.reset();
      receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? late : 200).end();
      const thaw = await freeze(id);
      await the.attempt(id);
      the.pass(6 * day);
      assert.equal((await thaw())?.status, 'delivered');
      receiver.answer = the.fail;
      assert.equal((await the.attempt(await nextDelivery(endpoint.id)))?.status, 'pending');
      assert.equal((await endpointOf(endpoint.id)).status, 'enabled', String(late));
      await deleteWebhookEndpoint(db.sql, the.call, endpoint.id);
    }
  });

  it('says nothing about the endpoint if its worker was frozen, although the receiver accepted it: the other attempt failed', async () => {
    const { endpoint, id } = await the.made();
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 1 ? 200 : 500).end();
    const thaw = await freeze(id);
    await the.attempt(id);
    const failingSince = async () => {
      const [row] = await db.sql<{ failing_since: Date | null }[]>`
        select failing_since from webhook_endpoints where id = ${endpoint.id}`;
      return row?.failing_since ?? null;
    };
    const before = await failingSince();
    assert.ok(before);
    the.pass(day);
    assert.equal((await thaw())?.status, 'pending');
    assert.deepEqual(await failingSince(), before);
    assert.deepEqual(await statuses(id), [500]);
    await deleteWebhookEndpoint(db.sql, the.call, endpoint.id);
  });

  it('that is told 410 at an address which the endpoint has left does not disable it', async () => {
    const { endpoint, id } = await the.made('/old');
    receiver.answer = (request, response) => response.writeHead(request.url === '/old' ? 410 : 200).end();
    const thaw = await freeze(id);
    await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { url: `${receiver.url}/new` }, webhookDeps);
    const progress = await thaw();
    assert.deepEqual([progress?.status, progress?.lastAnswer], ['pending', 'status 410']);
    assert.equal((await endpointOf(endpoint.id)).status, 'enabled');
    assert.equal((await the.attempt(id, 1))?.status, 'delivered');
    assert.deepEqual(
      receiver.received.map(({ path }) => path),
      ['/old', '/new'],
    );
  });

  it('that fails at an address which the endpoint has left is none of the five days of failure', async () => {
    const { endpoint, id } = await the.made('/old');
    receiver.answer = the.fail;
    const thaw = await freeze(id);
    await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { url: `${receiver.url}/new` }, webhookDeps);
    await thaw();
    the.pass(5 * day);
    await the.attempt(await nextDelivery(endpoint.id));
    assert.equal((await endpointOf(endpoint.id)).status, 'enabled');
  });

  it('is signed with the secret of its own moment when that is rotated between two tries', async () => {
    const { endpoint, id } = await the.made();
    receiver.answer = the.fail;
    await the.attempt(id);
    const rotated = await rotateSecret(db.sql, the.call, endpoint.id, { overlap_hours: 0 }, webhookDeps);
    await the.attempt(id, 1);
    const accepts = (secret = '') =>
      receiver.received.map(({ body, headers }) => {
        const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
        try {
          return new Webhook(secret).verify(body, flat) !== undefined;
        } catch {
          return false;
        }
      });
    assert.deepEqual(
      [accepts(endpoint.secret), accepts(rotated.secret)],
      [
        [true, false],
        [false, true],
      ],
    );
  });

  it('is seen together with the state that it has led to, or not at all', async () => {
    const { id } = await the.made();
    const locks = await holdLocks(db.sql, async (tx) => {
      await tx`lock table webhook_delivery_attempts in access exclusive mode`;
      const attempt = {
        delivery_id: namedId('webhook_delivery', id),
        number: 1,
        at: the.now,
        error: null,
        duration_ms: 1,
        response_excerpt: '',
      };
      const outcome = { status: 'delivered' as const, nextAttemptAt: null, failureReason: null };
      await recordAttempts(tx, [{ ...attempt, status_code: 200 }], outcome, the.now);
    });
    const reading = the.read(id);
    await locks.waiting(() => 1);
    await locks.release();
    const { status, attempts } = await reading;
    assert.deepEqual([status, attempts.length], ['delivered', 1]);
  });

  it('has one recorded attempt when two senders race', async () => {
    const { id } = await the.made();
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(500).end(), 50);
    const both = await Promise.all([the.attempt(id), the.attempt(id)]);
    assert.deepEqual(
      both.map((progress) => progress?.attempts),
      [1, 1],
    );
    assert.equal(receiver.received.length, 2);
    assert.equal((await the.read(id)).attempts.length, 1);
  });

  it('is not sent again by a repeated activity whose first run has recorded it', async () => {
    const { id } = await the.made();
    receiver.answer = the.fail;
    await the.attempt(id);
    const repeated = await the.attempt(id);
    assert.deepEqual([repeated?.status, repeated?.attempts, repeated?.waitMs], ['pending', 1, 5000]);
    await the.attempt(id, 1);
    await the.attempt(id, 1);
    assert.equal(receiver.received.length, 2);
    assert.equal((await the.read(id)).attempts.length, 2);
  });

  it('is nothing when there is no such delivery', async () => {
    assert.equal(await the.attempt('whd_00000000000000000000000000000000'), null);
  });
});
