import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './generated/models.ts';

/** Of a web `Request`, of Node's `IncomingMessage`, or of a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * The event that a webhook carries, once its signature is found to be right (Standard Webhooks) and its timestamp not more
 * than five minutes off.
 *
 * `body` must be as it was received: JSON that was parsed and written anew is signed otherwise. Give both secrets while an
 * endpoint's secret is being replaced; one valid signature is enough. The same event may come more than once: go by its `id`.
 * @throws WebhookVerificationError for anything else. Answer 400 then.
 * @throws Error when a secret cannot be one.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): WebhookEvent {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const verifiers = secrets.map((each) => new Webhook(each));
  if (verifiers.length === 0) throw new TypeError('no secret was given');
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

/** The headers that sign a body as the service does, for tests of your own receiver. `at` is now if not given. */
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
