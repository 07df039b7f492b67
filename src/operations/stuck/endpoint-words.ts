import type { RealInstant } from '../../platform/real-time.ts';
import { originOf } from '../../platform/redact.ts';
import type { EndpointNews } from './queries/webhooks.ts';

/** Where deliveries go, what came back from there last, and when the next attempt is; in words for an operator. */
export function wordsAboutEndpoint({ last_at, last_error, next_at, ...endpoint }: EndpointNews | Shown): string {
  const origin = 'origin' in endpoint ? endpoint.origin : originOf(endpoint.url);
  const next = next_at === null ? 'no attempt follows' : `the next attempt is at ${next_at.toISOString()}`;
  return `to ${origin}; ${lastAttempt(last_at, last_error)}; ${next}`;
}

/** The same for an endpoint of which only the origin is known. */
type Shown = Omit<EndpointNews, 'url'> & { origin: string };

function lastAttempt(at: RealInstant | null, error: string | null): string {
  if (at === null) return 'nothing was sent there yet';
  return `the last attempt, at ${at.toISOString()}: ${error ?? 'accepted'}`;
}
