import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { noteVerified, type WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { InvalidState } from '../errors.ts';
import { recordEndpointChange } from './endpoint-audit.ts';

/**
 * A new challenge: `whc_` and 32 random characters. Each attempt to deliver a ping draws its own and nothing stores it, so that
 * only a receiver that has read the attempt can know it: not the API, and not a URL that was written before.
 */
export function newChallenge(): string {
  return `whc_${randomBytes(24).toString('base64url')}`;
}

/**
 * Whether a response body returns the challenge: as its whole text, or as the member `challenge` of a JSON object. A host that
 * echoes what it was sent does not, since the challenge stands deeper in a ping.
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

/** In constant time; the digests are of one length whatever the receiver has sent. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Records that an endpoint is its biller's, unless it is recorded already or the endpoint has another URL by now. */
export async function verifyEndpoint(tx: Db, address: { id: string; url: string }, now: Date): Promise<void> {
  const endpoint = await noteVerified(tx, address, now);
  if (endpoint === null) return;
  const tenant = { billerId: endpoint.biller_id, livemode: endpoint.livemode };
  const whose = { by: { kind: 'service', id: 'webhook delivery' } as const, at: now, tenant };
  await recordEndpointChange(tx, 'webhook_endpoint.verified', [{ ...endpoint, verified_at: null }, endpoint], whose);
}

/**
 * Checks that a live endpoint has proved to be its biller's before thousands of events are sent to it.
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
