import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { type PaymentsClient, signWebhook, type WebhookDelivery } from '@payments-service/client';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { startServer } from '../support/sample-servers.ts';
import type { Script } from '../support/samples.ts';

/** A webhook as the service sent it. */
interface Sent {
  headers: Record<string, string>;
  body: string;
}

/** Forwards webhooks to a receiver and records them. It returns 204 itself until there is a receiver. */
export async function startRelay() {
  const relay = { url: '', to: null as string | null, sent: [] as Sent[], close: async () => {} };
  const { url, close } = await serveOnLoopback(async ({ headers, body }, response) => {
    const sent = { headers: signatureOf(headers), body };
    relay.sent.push(sent);
    const answer = relay.to === null ? { status: 204, text: '' } : await post(relay.to, sent);
    response.writeHead(answer.status).end(answer.text);
  });
  Object.assign(relay, { url, close });
  return relay;
}

/**
 * Has the service send webhooks to a receiver of the guides, then sends it forged ones, which it must refuse. The
 * receiver prints each event that it accepts, once.
 */
export async function assertReceives(script: Script, payments: PaymentsClient): Promise<void> {
  const relay = await startRelay();
  const url = `${relay.url}/webhooks`;
  const { id, secret = '' } = await payments.webhookEndpoints.create({ url });
  const receiver = await startServer(script, { WEBHOOK_SECRET: secret });
  relay.to = `${receiver.url}/webhooks`;
  const ping = async (): Promise<WebhookDelivery> => {
    const { id: deliveryId } = await payments.webhookEndpoints.ping(id);
    return eventually('the ping was sent', async () => {
      const delivery = await payments.webhookDeliveries.get(deliveryId);
      return delivery.attempts.length > 0 && delivery;
    });
  };
  try {
    assert.equal((await ping()).status, 'delivered');
    assert.notEqual((await payments.webhookEndpoints.get(id)).verified_at, null, 'the challenge was returned');
    const [sent] = relay.sent;
    assert.ok(sent);
    assert.equal((await post(relay.to, sent)).status, 200, 'the same webhook once more');
    const other = JSON.stringify({ id: 'evt_other', event_type: 'payment_plan.closed', data: { id: 'pp_other' } });
    const signed = { headers: signWebhook(other, secret, { id: 'evt_other' }), body: other };
    assert.equal((await post(relay.to, signed)).status, 204, 'an event that is no ping');
    await assertRefuses(relay.to, sent, secret);

    await payments.webhookEndpoints.rotateSecret(id, { overlap_hours: 1 });
    assert.equal((await ping()).status, 'delivered', 'signed with the old secret and the new one');
    assert.equal(relay.sent.at(-1)?.headers['webhook-signature']?.split(' ').length, 2);
    await payments.webhookEndpoints.rotateSecret(id, { overlap_hours: 0 });
    const { attempts } = await ping();
    assert.equal(attempts[0]?.status_code, 400, 'signed with a secret that the receiver does not have');
    const { stdout } = await receiver.end();
    const events = `webhook_endpoint.ping ${id}\npayment_plan.closed pp_other\nwebhook_endpoint.ping ${id}\n`;
    assert.equal(stdout, events, 'each event once, and none that was refused');
  } finally {
    await receiver.end();
    await relay.close();
  }
}

async function assertRefuses(url: string, { headers, body }: Sent, secret: string): Promise<void> {
  const id = headers['webhook-id'] ?? '';
  const timestamp = Number(headers['webhook-timestamp']);
  const signedAt = (seconds: number) => signWebhook(body, secret, { id, at: new Date((timestamp + seconds) * 1000) });
  const cases: Record<string, Sent> = {
    'a body that was changed': { headers, body: body.replace('ping', 'pong') },
    'a body that was written anew': { headers, body: JSON.stringify(JSON.parse(body), null, 1) },
    'an id that was changed': { headers: { ...headers, 'webhook-id': `${id}0` }, body },
    'a timestamp that was changed': { headers: { ...headers, 'webhook-timestamp': String(timestamp - 1) }, body },
    'a timestamp that is none': { headers: { ...headers, 'webhook-timestamp': 'now' }, body },
    'a signature of six minutes ago': { headers: signedAt(-360), body },
    'a signature of six minutes ahead': { headers: signedAt(360), body },
    'a signature of another secret': { headers: signWebhook(body, otherSecret, { id }), body },
    'no signature': { headers: { ...headers, 'webhook-signature': '' }, body },
    'no headers': { headers: {}, body },
  };
  for (const [what, sent] of Object.entries(cases)) assert.equal((await post(url, sent)).status, 400, what);
  assert.equal((await post(url, { headers: signedAt(-240), body })).status, 200, 'a signature of four minutes ago');
}

const otherSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

async function post(url: string, { headers, body }: Sent): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

function signatureOf(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}
