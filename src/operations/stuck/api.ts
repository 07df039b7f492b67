import { setTimeout as pause } from 'node:timers/promises';
import type { StuckReport } from './find-stuck.ts';

/** A process that restarts refuses connections for a second or two. */
const patienceMs = 5_000;
const askAgainMs = 500;

/** The kind of stuck that only a request to the API shows. */
export const apiDefinition = {
  kind: 'api_unreachable',
  meaning: 'The API does not respond.',
  after_seconds: patienceMs / 1000,
} as const;

/**
 * Asks the API at this address (without a slash at its end) for `/healthz`, which needs neither PostgreSQL nor
 * Temporal, for up to five seconds. Neither PostgreSQL nor Temporal can tell that an API hangs, nor can the API itself:
 * so only a program beside it asks, `npm run ops -- stuck`. The metric `payments_stuck` and the page `/ops` do not have
 * this kind: the scrape of a hanging API fails, and so does the page. Does not throw.
 */
export async function findUnreachableApi(apiUrl: string): Promise<StuckReport> {
  const url = `${apiUrl}/healthz`;
  const signal = AbortSignal.timeout(patienceMs);
  let outcome: Outcome;
  do {
    outcome = await ask(url, signal);
    if (outcome === 'healthy') return { ...apiDefinition, count: 0, found: [] };
    await pause(askAgainMs, undefined, { signal }).catch(() => {});
  } while (!signal.aborted);
  const place = { subject_id: null, biller_id: null, livemode: null, workflow_id: null };
  const found = [{ kind: apiDefinition.kind, ...place, since: null, ...describe(url, outcome) }];
  return { ...apiDefinition, count: 1, found };
}

/** `silent`: no response came in time. Otherwise the status of the response, or why there is no connection. */
type Outcome = 'healthy' | 'silent' | { status: number } | { refusal: string };

async function ask(url: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.status === 200 ? 'healthy' : { status: response.status };
  } catch (error) {
    if (signal.aborted) return 'silent';
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { refusal: cause instanceof Error ? cause.message : String(cause) };
  }
}

function describe(url: string, outcome: Exclude<Outcome, 'healthy'>): { why: string; remedy: string } {
  if (outcome === 'silent') {
    return {
      why: `${url} gave no response within ${patienceMs / 1000} s: the API process hangs, or its host cannot be reached`,
      remedy:
        'End the API with kill -9 (under npm start: the process in DATA_DIR/run/api.json, which is started again by ' +
        'itself), then start it: npm run api. Nothing is lost. Its log says what it did last.',
    };
  }
  if ('status' in outcome) {
    return {
      why: `${url} responds ${outcome.status} instead of 200: a proxy without an API behind it, or another program`,
      remedy: 'Start an API: npm run api (npm start has one); or correct API_URL.',
    };
  }
  return {
    why: `nothing responds at ${url}: ${outcome.refusal}`,
    remedy: 'Start an API: npm run api (npm start has one); its log says why it has ended. Or correct API_URL.',
  };
}
