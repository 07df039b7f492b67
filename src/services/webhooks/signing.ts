import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { sealedField } from '../../db/sealed-values.ts';
import type { DeliveryToMake } from '../../db/webhook-deliveries.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { eventBody } from '../../resources/event.ts';
import type { Vault } from '../accounts/vault.ts';
import { newChallenge } from './challenge.ts';
import type { WebhookRequest } from './sender.ts';

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

/** Returns the signing secrets of a delivery's endpoint at an instant, the present one first. */
export function openSecrets(
  { endpoint, endpoint_id, biller_id: billerId, livemode }: DeliveryToMake,
  vault: Vault,
  at: RealInstant,
): string[] {
  const tenant = { billerId, livemode };
  const secrets = [vault.open(endpoint.sealed_secret, sealedField('webhook_secrets', tenant, endpoint_id))];
  const overlapEnds = endpoint.previous_secret_expires_at;
  const previous = endpoint.sealed_previous_secret;
  if (previous !== null && overlapEnds !== null && overlapEnds > at) {
    secrets.push(vault.open(previous, sealedField('previous_webhook_secrets', tenant, endpoint_id)));
  }
  return secrets;
}

/** Returns the request of an attempt at this instant, signed with these secrets. */
export function requestFor(
  { event, endpoint, endpoint_id, livemode }: DeliveryToMake,
  secrets: string[],
  at: RealInstant,
): WebhookRequest {
  const challenge = event.event_type === 'webhook_endpoint.ping' ? newChallenge() : undefined;
  const body = eventBody(event, challenge);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payments-service-webhooks/1.0',
    accept: '*/*',
    'accept-encoding': 'identity',
    ...signatureHeaders({ id: event.id, at, body }, secrets),
  };
  const failingMs = endpoint.failing_since && at.getTime() - endpoint.failing_since.getTime();
  return { endpointId: endpoint_id, failingMs, url: endpoint.url, livemode, headers, body, challenge };
}
