import assert from 'node:assert/strict';
import { signWebhook, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '@payments-service/client';
import { eventually } from '../../lab/eventually.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { newSigningSecret, signatureHeaders } from '../../src/services/webhooks/signing.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';
import { strangeTimestamps } from './languages/webhooks.ts';

const secret = newSigningSecret();
const body = JSON.stringify({ id: 'evt_1', event_type: 'payment_plan.closed', data: { id: 'pp_1', name: 'Größe' } });
/** As the service signs it. */
const signed = (secrets = [secret], at = realNow()): Record<string, string> =>
  signatureHeaders({ id: 'evt_1', at, body }, secrets);
const minutesAgo = (minutes: number) => addMs(realNow(), -minutes * 60_000);

function refused(text: string, headers: WebhookHeaders, secrets: string | string[] = secret): string {
  let reason = '';
  assert.throws(
    () => verifyWebhook(text, headers, secrets),
    (error) => {
      assert.ok(error instanceof WebhookVerificationError && error.cause instanceof Error);
      reason = error.message;
      return true;
    },
  );
  return reason;
}

describe('the client’s webhook verifier', () => {
  it('returns the event of a webhook that the service signed', () => {
    assert.deepEqual(verifyWebhook(body, signed(), secret), JSON.parse(body));
  });

  it('accepts headers of Node and of the web, in any case, and the body as text or bytes', () => {
    const headers = signed();
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [headers, shouted, new Headers(headers)]) {
      for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
        assert.equal(verifyWebhook(raw, given, secret).id, 'evt_1');
      }
    }
  });

  it('refuses a body that was changed by a single character, or parsed and written again', () => {
    assert.equal(refused(body.replace('pp_1', 'pp_2'), signed()), 'No matching signature found');
    assert.equal(refused(JSON.stringify(JSON.parse(body), null, 1), signed()), 'No matching signature found');
    assert.equal(refused('', signed()), 'No matching signature found');
  });

  it('refuses a signature for another event or another time', () => {
    assert.equal(refused(body, { ...signed(), 'webhook-id': 'evt_2' }), 'No matching signature found');
    const later = String(Math.floor(Date.now() / 1000) + 1);
    assert.equal(refused(body, { ...signed(), 'webhook-timestamp': later }), 'No matching signature found');
  });

  it('refuses a rightly signed webhook that is more than five minutes old or ahead', () => {
    assert.equal(verifyWebhook(body, signed([secret], minutesAgo(4.9)), secret).id, 'evt_1');
    assert.equal(refused(body, signed([secret], minutesAgo(5.1))), 'Message timestamp too old');
    assert.equal(refused(body, signed([secret], minutesAgo(-5.1))), 'Message timestamp too new');
  });

  it('refuses a request without the headers of a webhook', () => {
    const { 'webhook-signature': _, ...unsigned } = signed();
    assert.equal(refused(body, unsigned), 'Missing required headers');
    assert.equal(refused(body, {}), 'Missing required headers');
  });

  it('refuses every timestamp that is no instant of this time', () => {
    for (const timestamp of strangeTimestamps) refused(body, { ...signed(), 'webhook-timestamp': timestamp });
  });

  it('accepts either secret while one is replaced, on both sides', () => {
    const next = newSigningSecret();
    for (const secrets of [[secret], [next], [secret, next]]) {
      assert.equal(verifyWebhook(body, signed(secrets), [secret, next]).id, 'evt_1');
      assert.equal(verifyWebhook(body, signed(secrets), [next, secret]).id, 'evt_1');
    }
    assert.equal(verifyWebhook(body, signed([secret, next]), secret).id, 'evt_1');
    assert.equal(refused(body, signed([newSigningSecret()]), [secret, next]), 'No matching signature found');
  });

  it('distinguishes a malformed secret from a wrong webhook', () => {
    assert.throws(
      () => verifyWebhook(body, signed(), []),
      (error) => !(error instanceof WebhookVerificationError),
    );
    assert.throws(
      () => verifyWebhook(body, signed(), [secret, 'whsec_***']),
      (error) => !(error instanceof WebhookVerificationError),
    );
  });

  it('accepts what signWebhook signs', () => {
    assert.equal(verifyWebhook(body, signWebhook(body, secret), secret).id, 'evt_1');
    assert.equal(signWebhook(body, secret, { id: 'evt_7' })['webhook-id'], 'evt_7');
    assert.match(refused(body, signWebhook(body, secret, { at: minutesAgo(6) })), /too old/);
  });
});

describe('the client’s webhook verifier, on deliveries of the service', () => {
  const service = useService();
  const receiver = useReceiver();

  it('accepts them with the endpoint’s secret, and with both while it is rotated', async () => {
    const { client } = await service.merchant();
    const { received } = receiver;
    const endpoint = await client.webhookEndpoints.create({ url: `${receiver.url}/hook` });
    const first = endpoint.secret ?? '';
    await client.webhookEndpoints.ping(endpoint.id);
    const [ping] = await eventually('the ping arrives', () => (received.length === 1 ? received : null));
    assert.ok(ping);
    const event = verifyWebhook(ping.body, ping.headers, first);
    assert.equal(event.event_type, 'webhook_endpoint.ping');
    assert.equal(event.data.id, endpoint.id);

    const { secret: second = '' } = await client.webhookEndpoints.rotateSecret(endpoint.id, { overlap_hours: 1 });
    await client.webhookEndpoints.ping(endpoint.id);
    const later = await eventually('the second ping arrives', () => received[1]);
    for (const secrets of [first, second, [first, second]]) {
      assert.equal(verifyWebhook(later.body, later.headers, secrets).event_type, 'webhook_endpoint.ping');
    }
    refused(ping.body, ping.headers, second);
  });
});
