import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './generated/models.ts';

/** The headers of a web `Request`, of Node's `IncomingMessage`, or of a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the event of a webhook, if its signature is right (Standard Webhooks) and its timestamp at most five minutes
 * off.
 *
 * `body` must be as received: JSON that was parsed and written again does not match the signature. While an endpoint's
 * secret is being replaced, pass both; one valid signature is enough. The same event can arrive twice: recognise it by
 * its `id`.
 * @throws WebhookVerificationError otherwise. Return 400 then.
 * @throws Error if a secret is malformed.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): WebhookEvent {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const verifiers = secrets.map((each) => new Webhook(each));
  if (verifiers.length === 0) throw new TypeError('secret is missing');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = signatureIn(headers);
  const failures: unknown[] = [];
  for (const verifier of verifiers) {
    try {
      return verifier.verify(text, signed) as WebhookEvent;
    } catch (error) {
      failures.push(error);
    }
  }
  const [cause] = failures;
  throw new WebhookVerificationError(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Signs a body as the service does, for tests of your receiver. Returns the headers. `at` is by default now. */
export function signWebhook(
  body: string,
  secret: string,
  { id = `evt_${crypto.randomUUID().replaceAll('-', '')}`, at = new Date() } = {},
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

function signatureIn(headers: WebhookHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
}
