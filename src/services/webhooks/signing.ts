import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { RealInstant } from '../../platform/real-time.ts';

/** Returns a new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Returns the headers that sign a body by Standard Webhooks. Each secret adds a signature. So a receiver that knows any
 * of them accepts the request while a secret is being rotated. `at` is the time of this attempt, not of the event.
 */
export function signatureHeaders(
  message: { id: string; at: RealInstant; body: string },
  secrets: string[],
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(message.at.getTime() / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message.id, message.at, message.body))
      .join(' '),
  };
}
