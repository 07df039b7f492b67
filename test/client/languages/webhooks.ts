import assert from 'node:assert/strict';
import { it } from 'mocha';
import { addMs } from '../../../src/domain/instants.ts';
import { realInstant, realNow } from '../../../src/platform/real-time.ts';
import { newSigningSecret, signatureHeaders } from '../../../src/services/webhooks/signing.ts';
import { type Driver, useDriver } from './driver.ts';

const secret = newSigningSecret();
const body = JSON.stringify({ id: 'evt_1', event_type: 'payment_plan.closed', data: { id: 'pp_1', name: 'Größe' } });
/** Headers that are no instant of this century, some of them too long for a number of the language. */
export const strangeTimestamps = [
  ...['now', '-1', '0', '1.5', '1e400', 'Infinity', 'NaN', '0x10', '\ud800', '\u0663\u0663'],
  ...[16, 19, 20, 309, 400, 5000].map((digits) => '9'.repeat(digits)),
];
/** As the service signs it. */
const signed = (secrets = [secret], at = realNow()): Record<string, string> =>
  signatureHeaders({ id: 'evt_1', at, body }, secrets);
const minutesAgo = (minutes: number) => addMs(realNow(), -minutes * 60_000);

/** What the verifiers of all languages accept and refuse: the cases of `webhooks.test.ts`. */
export function itVerifiesWebhooks(driver: Driver): void {
  const client = useDriver(driver, () => ({ url: 'http://127.0.0.1:1', key: 'sk_1' }));
  const attempt = (text: string, headers: Record<string, string>, secrets: string | string[] = secret) =>
    client.attempt({ resource: 'webhooks', method: 'verify', arguments: [text, headers, secrets] });

  async function accepts(text: string, headers: Record<string, string>, secrets?: string | string[]): Promise<void> {
    const { result, error } = await attempt(text, headers, secrets);
    assert.deepEqual([result?.id, error], ['evt_1', undefined]);
  }
  async function refuses(reason: RegExp, text: string, headers: Record<string, string>, secrets?: string | string[]) {
    const { error } = await attempt(text, headers, secrets);
    assert.equal(error?.name, 'WebhookVerificationError', String(reason));
    assert.match(error.message, reason);
  }

  it('returns the event of a webhook that the service signed, with headers in any case', async () => {
    const { result } = await attempt(body, signed());
    assert.deepEqual([result.event_type, result.data.name], ['payment_plan.closed', 'Größe']);
    await accepts(
      body,
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])),
    );
  });

  it('refuses a body that was changed or written again, and a signature for another event or time', async () => {
    const wrong = /signature/;
    await refuses(wrong, body.replace('pp_1', 'pp_2'), signed());
    await refuses(wrong, JSON.stringify(JSON.parse(body), null, 1), signed());
    await refuses(wrong, '', signed());
    await refuses(wrong, body, { ...signed(), 'webhook-id': 'evt_2' });
    await refuses(wrong, body, { ...signed(), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 1) });
  });

  it('refuses a rightly signed webhook that is more than five minutes old or ahead', async () => {
    await accepts(body, signed([secret], minutesAgo(4.9)));
    await accepts(body, signed([secret], minutesAgo(-4.9)));
    await refuses(/too old/, body, signed([secret], minutesAgo(5.1)));
    await refuses(/too new/, body, signed([secret], minutesAgo(-5.1)));
  });

  it('refuses a request whose headers are missing, or whose timestamp is not a number', async () => {
    const { 'webhook-signature': _, ...unsigned } = signed();
    await refuses(/missing/, body, unsigned);
    await refuses(/missing/, body, {});
    for (const timestamp of strangeTimestamps) {
      await refuses(/timestamp/, body, { ...signed(), 'webhook-timestamp': timestamp });
    }
    for (const half of ['\ud800', '\udce4']) {
      await refuses(/signature/, body, { ...signed(), 'webhook-id': half });
      await refuses(/signature/, body, { ...signed(), 'webhook-signature': half });
    }
  });

  it('accepts either secret while one is replaced, on both sides', async () => {
    const next = newSigningSecret();
    for (const secrets of [[secret], [next], [secret, next]]) {
      await accepts(body, signed(secrets), [secret, next]);
      await accepts(body, signed(secrets), [next, secret]);
    }
    await accepts(body, signed([secret, next]), secret);
    await refuses(/signature/, body, signed([newSigningSecret()]), [secret, next]);
  });

  it('distinguishes a malformed secret from a wrong webhook', async () => {
    for (const secrets of [[], [secret, 'whsec_***'], 'whsec_']) {
      const { error } = await attempt(body, signed(), secrets);
      assert.match(error.message, /secret is (missing|malformed)/);
      assert.notEqual(error.name, 'WebhookVerificationError');
    }
  });

  it('accepts what it signs itself, and so does the service’s own verifier', async () => {
    const headers = await client.call({ resource: 'webhooks', method: 'sign', arguments: [body, secret] });
    const { result } = await attempt(body, headers);
    assert.equal(result.id, 'evt_1');
    const at = realInstant(Number(headers['webhook-timestamp']) * 1000);
    const expected = signatureHeaders({ id: headers['webhook-id'], at, body }, [secret]);
    assert.equal(headers['webhook-signature'], expected['webhook-signature']);
  });
}
