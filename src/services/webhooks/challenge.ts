import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { tenantOf } from '../../db/tenant.ts';
import { updateVerifiedAt, type WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { InvalidState } from '../errors.ts';
import { recordEndpointChange } from './endpoint-audit.ts';

/**
 * Returns a new challenge: `whc_` and 32 random characters. Each attempt to deliver a ping draws its own, and nothing
 * stores it. So only a receiver that has read the attempt can know it. The API cannot show it, and a URL written in
 * advance cannot contain it.
 */
export function newChallenge(): string {
  return `whc_${randomBytes(24).toString('base64url')}`;
}

/**
 * Returns whether a response body contains the challenge: as its whole text, or as the member `challenge` of a JSON
 * object. A host that echoes the request does not pass, since the challenge is nested deeper in a ping.
 */
export function returnsChallenge(body: string, challenge: string): boolean {
  const text = body.trim();
  return isEqual(text.startsWith('{') ? memberIn(text) : text, challenge);
}

function memberIn(text: string): string {
  try {
    const { challenge }: { challenge?: unknown } = JSON.parse(text);
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** Compares in constant time. The digests have the same length, whatever the receiver has sent. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * Records that the biller has proved control of the endpoint. Does nothing if that is recorded already, or if the URL
 * has changed since the attempt.
 */
export async function verifyEndpoint(
  tx: Tx,
  address: { id: Id<'webhook_endpoint'>; url: string },
  now: RealInstant,
): Promise<void> {
  const endpoint = await updateVerifiedAt(tx, address, now);
  if (endpoint === null) return;
  const tenant = tenantOf(endpoint);
  const whose = { by: { kind: 'service', id: 'webhook delivery' } as const, at: now, tenant };
  await recordEndpointChange(tx, 'webhook_endpoint.verified', [{ ...endpoint, verified_at: null }, endpoint], whose);
}

/**
 * Checks that a live endpoint is verified as its biller's before thousands of events are sent to it.
 * @throws InvalidState `webhook_endpoint_unverified`.
 */
export function assertVerified({ id, livemode, verified_at }: WebhookEndpointRow): void {
  if (!livemode || verified_at !== null) return;
  throw new InvalidState(
    `The webhook endpoint ${id} is not verified, so nothing is replayed to it. Send POST /webhook_endpoints/${id}/ping, and ` +
      'have its receiver return {"challenge": …} with the data.challenge of the ping.',
    'webhook_endpoint_unverified',
  );
}
