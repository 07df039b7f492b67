import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { Id } from '../../src/domain/ids.ts';
import { enableByOperator, replayByOperator } from '../../src/operations/endpoint-recovery.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { attemptDelivery, type DeliveryDeps } from '../../src/services/webhooks/attempt.ts';
import { updateWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { createWebhookSender, type WebhookSender } from '../../src/services/webhooks/sender.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';
import { makeCall, makeEndpoint, makeEvent, useReceiver, webhookDeps } from '../support/webhooks.ts';

const endpoints = '/api/v1/webhook_endpoints';
const since = '2026-01-01T00:00:00Z';

describe('a live webhook endpoint', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const api = useApi(db, undefined, () => ({ vault: webhookDeps.vault }));
  let billerId: Id<'biller'>;
  let key = '';
  let sender: WebhookSender;
  before('open the sender', () => {
    sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 1000 });
  });
  after('close the sender', () => sender.close());
  beforeEach('make a biller', async () => {
    receiver.reset();
    billerId = (await makeBiller(db.sql)).id;
    key = (await makeKey(db.sql, { billerId, livemode: true })).key;
  });

  // In live mode the sender reaches no loopback address, where the receiver of the tests is.
  const deps: DeliveryDeps = {
    vault: webhookDeps.vault,
    sender: {
      send: (request) => sender.send({ ...request, livemode: false }),
      sendInBatch: (request) => sender.sendInBatch({ ...request, livemode: false }),
      close: () => sender.close(),
    },
    now: realNow,
    random: () => 0.5,
  };
  const call = () => makeCall(db.sql, { billerId, livemode: true });
  const make = async (url = receiver.url) => (await makeEndpoint(db.sql, await call(), url)).id;
  const send = (method: string, path: string, body?: unknown): Promise<Reply> => api.send(method, path, { key, body });
  const replay = (id: string) => send('POST', `${endpoints}/${id}/replay`, { since });
  const verifiedAt = async (id: string) => (await send('GET', `${endpoints}/${id}`)).body.verified_at;
  const challengeIn = (body: string | undefined): string => JSON.parse(body ?? '').data.challenge;
  const lastChallenge = () => challengeIn(receiver.received.at(-1)?.body);

  /** Pings an endpoint whose receiver returns what `body` makes of the challenge; returns the id of the delivery. */
  async function ping(id: string, body: (challenge: string) => string, status = 200): Promise<string> {
    receiver.reset();
    receiver.answer = (_request, response) => response.writeHead(status).end(body(lastChallenge()));
    const { body: delivery } = await send('POST', `${endpoints}/${id}/ping`);
    await attemptDelivery(db.sql, deps, delivery.id, null);
    return delivery.id;
  }
  const asJson = (challenge: string) => JSON.stringify({ challenge });

  it('gets no replay before it is verified; the error says to ping it', async () => {
    const id = await make();
    await makeEvent(db.sql, await call());
    await db.sql`update webhook_deliveries set status = 'failed', failure_reason = 'x', finished_at = now(),
      next_attempt_at = null where endpoint_id = ${id}`;
    const refused = await replay(id);
    assert.deepEqual(
      [refused.status, refused.body.error.type, refused.body.error.code],
      [422, 'invalid_request_error', 'webhook_endpoint_unverified'],
    );
    assert.match(refused.body.error.message, new RegExp(`POST /webhook_endpoints/${id}/ping`));
    const rows = await db.sql`select 1 from webhook_deliveries where endpoint_id = ${id} and status = 'pending'`;
    assert.equal(rows.length, 0);
    await ping(id, asJson);
    assert.equal((await replay(id)).body.enqueued, 1);
  });

  it('gets no replay for a 2xx alone: that does not show whose receiver it is', async () => {
    const id = await make();
    await ping(id, () => 'ok');
    assert.equal(await verifiedAt(id), null);
    assert.equal((await replay(id)).status, 422);
  });

  const proofs: [string, (challenge: string) => string][] = [
    ['as a member of a JSON object', asJson],
    ['beside other members', (challenge) => JSON.stringify({ ok: true, challenge, at: [1] })],
    ['as the bare text', (challenge) => challenge],
    ['as the bare text in a line', (challenge) => `  ${challenge}\r\n`],
  ];
  for (const [what, body] of proofs) {
    it(`is verified by a receiver that returns the challenge ${what}`, async () => {
      const id = await make();
      await ping(id, body);
      assert.match(await verifiedAt(id), /^\d{4}-.*Z$/);
    });
  }

  const noProofs: [string, (challenge: string) => string, number?][] = [
    ['echoes the whole ping', () => receiver.received.at(-1)?.body ?? ''],
    ['echoes it in an object of its own', () => JSON.stringify({ data: receiver.received.at(-1)?.body })],
    ['echoes the URL', () => receiver.received.at(-1)?.path ?? ''],
    ['returns it within other text', (challenge) => `You sent ${challenge}`],
    ['returns it deeper', (challenge) => JSON.stringify({ data: { challenge } })],
    ['returns it in a list', (challenge) => JSON.stringify([challenge])],
    ['returns it as a string of JSON', (challenge) => JSON.stringify(challenge)],
    ['returns a part of it', (challenge) => challenge.slice(0, -1)],
    ['returns more than it', (challenge) => `${challenge}${challenge}`],
    ['returns another', () => JSON.stringify({ challenge: `whc_${'A'.repeat(32)}` })],
    ['returns no text for it', () => JSON.stringify({ challenge: null })],
    ['returns broken JSON', (challenge) => `{"challenge": "${challenge}"`],
    ['returns it after 2 KiB', (challenge) => `${' '.repeat(2048)}${challenge}`],
    ['returns it with 400', asJson, 400],
    ['returns it with 302', asJson, 302],
    ['returns nothing', () => '', 200],
  ];
  for (const [what, body, status] of noProofs) {
    it(`is not verified by a receiver that ${what}`, async () => {
      const id = await make();
      await ping(id, body, status);
      assert.equal(await verifiedAt(id), null);
      assert.equal((await replay(id)).body.error.code, 'webhook_endpoint_unverified');
    });
  }

  it('is not verified with the challenge of an earlier attempt, nor with one that the API knows', async () => {
    const id = await make();
    const deliveryId = await ping(id, () => '', 500);
    const first = lastChallenge();
    const { body: delivery } = await send('GET', `/api/v1/webhook_deliveries/${deliveryId}`);
    const event = await send('GET', `/api/v1/events/${delivery.event_id}`);
    assert.equal('challenge' in event.body.data, false);
    receiver.answer = (_request, response) => response.end(asJson(first));
    await attemptDelivery(db.sql, deps, deliveryId, 1);
    assert.notEqual(lastChallenge(), first);
    assert.equal(await verifiedAt(id), null);
  });

  it('does not store its challenge: neither in the event nor in the receiver’s response', async () => {
    const id = await make();
    const deliveryId = await ping(id, (challenge) => `{"challenge": "${challenge}", "seen": "${challenge}"}`);
    const challenge = lastChallenge();
    assert.notEqual(await verifiedAt(id), null);
    const { body } = await send('GET', `/api/v1/webhook_deliveries/${deliveryId}`);
    assert.equal(body.attempts[0].response_excerpt, '{"challenge": "whc_[redacted]", "seen": "whc_[redacted]"}');
    const [found] = await db.sql`
      select (select count(*) from events where data::text like ${`%${challenge}%`})
        + (select count(*) from webhook_delivery_attempts where response_excerpt like ${`%${challenge}%`})
        + (select count(*) from audit_log where changes::text like ${`%${challenge}%`}) as n`;
    assert.equal(Number(found?.n), 0);
  });

  it('is unverified again at another URL, and stays verified at its own', async () => {
    const id = await make();
    await ping(id, asJson);
    const at = await verifiedAt(id);
    const change = async (input: { url?: string; description?: string }) =>
      updateWebhookEndpoint(db.sql, { ...(await call()), livemode: true }, id, input, {
        ...webhookDeps,
        outbound: { allowLoopback: true, resolve: async () => ['8.8.8.8'] },
      });
    await change({ description: 'Books' });
    assert.equal(await verifiedAt(id), at);
    await change({ url: 'https://hooks.example.com/victim' });
    assert.equal(await verifiedAt(id), null);
    assert.equal((await replay(id)).status, 422);
  });

  it('is not verified at a new URL by a late response of the old receiver', async () => {
    const id = await make();
    receiver.reset();
    receiver.answer = async (_request, response) => {
      await db.sql`update webhook_endpoints set url = 'https://hooks.example.com/victim' where id = ${id}`;
      response.end(asJson(lastChallenge()));
    };
    const { body: delivery } = await send('POST', `${endpoints}/${id}/ping`);
    assert.equal((await attemptDelivery(db.sql, deps, delivery.id, null))?.status, 'delivered');
    assert.equal(await verifiedAt(id), null);
  });

  it('is verified once, and the audit log has it', async () => {
    const id = await make();
    await ping(id, asJson);
    const at = await verifiedAt(id);
    await ping(id, asJson);
    assert.equal(await verifiedAt(id), at);
    const entries = (await listAudit(db.sql, { billerId, limit: 100, before: undefined })).filter(
      (entry) => entry.subject_id === id && entry.action === 'webhook_endpoint.verified',
    );
    assert.deepEqual(
      entries.map(({ actor, changes }) => [actor, changes]),
      [[{ kind: 'service', id: 'webhook delivery' }, { verified_at: { from: null, to: at } }]],
    );
  });

  it('gets no replay from an operator either before it is verified', async () => {
    const id = await make();
    const whose = { by: tester, now: realNow() };
    await assert.rejects(replayByOperator(db.sql, id, whose), { code: 'webhook_endpoint_unverified' });
    await db.sql`update webhook_endpoints set status = 'disabled', disabled_reason = 'failing' where id = ${id}`;
    await assert.rejects(enableByOperator(db.sql, id, whose), { code: 'webhook_endpoint_unverified' });
    assert.equal((await send('GET', `${endpoints}/${id}`)).body.status, 'disabled');
  });

  it('differs from a sandbox endpoint, which needs no verification', async () => {
    const sandbox = await makeCall(db.sql, { billerId });
    const { id } = await makeEndpoint(db.sql, sandbox, receiver.url);
    const { key: sandboxKey } = await makeKey(db.sql, { billerId });
    const reply = await api.send('POST', `${endpoints}/${id}/replay`, { key: sandboxKey, body: { since } });
    assert.equal(reply.status, 200);
  });
});
