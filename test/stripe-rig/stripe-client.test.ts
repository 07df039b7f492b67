import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import Stripe from 'stripe';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { type FaultProxy, openFaultProxy } from '../../lab/stripe-rig/fault-proxy.ts';
import { stripeClient } from '../../processors/stripe/stripe-client.ts';

const key = 'sk_test_rig1234567890';
const apiVersion = '2026-10-28.endive';

describe("Stripe's library", () => {
  let server: LoopbackServer;
  let way: FaultProxy;
  const received: { method: string; path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  let isStalling = false;

  before('start a server', async () => {
    server = await serveOnLoopback(({ method, path, headers }, response) => {
      received.push({ method, path, headers });
      response.writeHead(200, { 'content-type': 'application/json' });
      if (isStalling) response.write('{"id":');
      else response.end(JSON.stringify({ id: 'pi_1', object: 'payment_intent' }));
    });
  });
  beforeEach(async () => {
    way = await openFaultProxy(server.url);
    received.length = 0;
    isStalling = false;
  });
  afterEach(() => way.close());
  after(() => server.close());

  const ours = (more: { baseUrl?: string; timeoutMs?: number } = {}) =>
    stripeClient({ key, apiVersion, baseUrl: way.url, ...more });
  const create = (stripe: Stripe) => stripe.paymentIntents.create({ amount: 1018, currency: 'aud' });

  it('repeats a request after a reset as it comes, whatever maxNetworkRetries says', async () => {
    const { hostname: host, port } = new URL(way.url);
    const asItComes = new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0 });
    way.plan('POST', { kind: 'reset_answer', at: 0 });
    assert.equal((await create(asItComes)).id, 'pi_1');
    assert.deepEqual(way.calls, ['POST /v1/payment_intents', 'POST /v1/payment_intents']);
  });

  for (const [what, fault] of [
    ['is lost', { kind: 'reset_answer', at: 0 }],
    ['is reset in its head', { kind: 'reset_answer', at: 0.2 }],
    ['is reset in its body', { kind: 'reset_answer', at: 0.95 }],
    ['is HTML', { kind: 'html', when: 'after' }],
    ['breaks off', { kind: 'truncated' }],
    ['is a 409', { kind: 'status', status: 409, when: 'before' }],
    ['is a 500', { kind: 'status', status: 500, when: 'after' }],
    ['does not come because the request was reset', { kind: 'reset_request', at: 0.5 }],
  ] as const) {
    it(`sends one request with our settings when the answer ${what}`, async () => {
      way.plan('POST', fault);
      await assert.rejects(create(ours()));
      assert.deepEqual(way.calls, ['POST /v1/payment_intents']);
      assert.equal(way.made[fault.kind], 1);
    });
  }

  it('sends one request with our settings over a connection that Stripe has closed meanwhile', async () => {
    const stripe = ours();
    await create(stripe);
    way.cut();
    await create(stripe).catch(() => {});
    await create(stripe);
    assert.ok(way.calls.length <= 3, `${way.calls.length} requests for three calls`);
  });

  it('gives up after the timeout with our settings, in the body too', async () => {
    isStalling = true;
    const begun = performance.now();
    await assert.rejects(create(ours({ baseUrl: server.url, timeoutMs: 300 })));
    assert.ok(performance.now() - begun < 5_000);
    assert.equal(received.length, 1);
  });

  it('follows no redirect with our settings', async () => {
    const elsewhere = await serveOnLoopback((_, response) => {
      response.writeHead(307, { location: `${server.url}/v1/payment_intents` }).end();
    });
    try {
      await assert.rejects(create(ours({ baseUrl: elsewhere.url })));
      assert.deepEqual(received, []);
    } finally {
      await elsewhere.close();
    }
  });

  it('sends the pinned version, a key of idempotency, and nothing of earlier requests', async () => {
    const stripe = ours();
    await create(stripe);
    await create(stripe);
    for (const { headers } of received) {
      assert.equal(headers['stripe-version'], apiVersion);
      assert.match(String(headers['idempotency-key']), /./);
      assert.equal(headers['x-stripe-client-telemetry'], undefined);
    }
  });

  it('has no key in an error', async () => {
    way.plan('POST', { kind: 'reset_answer', at: 0 });
    const error = await create(ours()).catch((reason: unknown) => reason);
    assert.doesNotMatch(JSON.stringify(error) + String((error as Error).stack), /rig1234567890/);
  });
});
