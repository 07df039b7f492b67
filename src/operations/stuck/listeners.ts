import { setTimeout as pause } from 'node:timers/promises';
import { isId } from '../../domain/ids.ts';
import { type Kind, reportOf, type StuckReport, stuckAs, type Words } from './reading/find-stuck.ts';

/** A process that restarts refuses connections for a second or two. */
const patienceMs = 5_000;
const askAgainMs = 500;

/** The kind of stuck that only a request to a listener shows, and what operators call the listener. */
interface Listener extends Kind {
  name: string;
  script: string;
  /** Its record below DATA_DIR/run. */
  record: string;
  /** Where others reach it. */
  variable: string;
  /** On which port it listens. */
  portVariable: string;
}

const after = patienceMs / 1000;

export const listeners = {
  api: {
    kind: 'api_unreachable',
    meaning: 'The API does not respond.',
    after,
    name: 'the API',
    script: 'npm run api',
    record: 'api.json',
    variable: 'API_URL',
    portVariable: 'PORT',
  },
  pages: {
    kind: 'pages_unreachable',
    meaning: 'The pages for payers do not respond.',
    after,
    name: 'the pages',
    script: 'npm run pages',
    record: 'pages.json',
    variable: 'PUBLIC_URL',
    portVariable: 'PAGES_PORT',
  },
} as const satisfies Record<string, Listener>;

/**
 * Asks API or pages at this address (without a slash at its end) for `/healthz`, which needs neither PostgreSQL nor
 * Temporal, for up to five seconds. Neither PostgreSQL nor Temporal can tell that a process hangs, nor can the process
 * itself: so only another program asks, `npm run ops -- stuck`. The metric `payments_stuck` and the page `/ops` do
 * not have these kinds: the scrape of a process that hangs fails, and so does the page. Does not throw.
 */
export async function findUnreachable(listener: Listener, address: string): Promise<StuckReport> {
  const url = `${address}/healthz`;
  const signal = AbortSignal.timeout(patienceMs);
  let outcome: Outcome;
  do {
    outcome = await ask(url, signal);
    if (outcome === 'healthy') return reportOf(listener, []);
    await pause(askAgainMs, undefined, { signal }).catch(() => {});
  } while (!signal.aborted);
  return reportOf(listener, [stuckAs(listener, describe(listener, url, outcome))]);
}

/**
 * `silent`: no response came in time. `foreign`: the response is 200, and not from the service. Otherwise the status of
 * the response, or why there is no connection.
 */
type Outcome = 'healthy' | 'silent' | 'foreign' | { status: number } | { refusal: string };

async function ask(url: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual' });
    await response.body?.cancel();
    if (response.status !== 200) return { status: response.status };
    // Every response of API and pages has an id of this form.
    return isId('request', response.headers.get('Request-Id') ?? '') ? 'healthy' : 'foreign';
  } catch (error) {
    if (signal.aborted) return 'silent';
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { refusal: cause instanceof Error ? cause.message : String(cause) };
  }
}

function describe(
  { name, script, record, variable, portVariable }: Listener,
  url: string,
  outcome: Exclude<Outcome, 'healthy'>,
): Words {
  const start = `Start it: ${script} (npm start has one)`;
  if (outcome === 'silent') {
    return {
      why: `${url} gave no response within ${patienceMs / 1000} s: ${name} process hangs, or its host cannot be reached`,
      remedy:
        `End ${name} with kill -9 (under npm start: the process in DATA_DIR/run/${record}, which is started again ` +
        `automatically), then start it: ${script}. Nothing is lost. Its log says what it did last.`,
    };
  }
  if (outcome === 'foreign') {
    const { port, protocol } = new URL(url);
    const number = port || (protocol === 'https:' ? '443' : '80');
    return {
      why: `${url} responds 200, but without the Request-Id of ${name}: another program answers on port ${number}`,
      remedy:
        `On that host, ss -ltnp 'sport = :${number}' names it: end it. Then start ${name}: ${script} (npm start does so ` +
        `automatically), or give it another port (${portVariable}). If the service is elsewhere, correct ${variable}.`,
    };
  }
  if ('status' in outcome) {
    return {
      why: `${url} responds ${outcome.status} instead of 200: a proxy without ${name} behind it, or another program`,
      remedy: `${start}; or correct ${variable}.`,
    };
  }
  return {
    why: `nothing responds at ${url}: ${outcome.refusal}`,
    remedy: outcome.refusal.includes('ECONNREFUSED')
      ? `${start}; its log says why it has ended. Or correct ${variable}.`
      : `It is there and closes connections: if it has no open files left, its log and files_used_up say so. Otherwise ${start.charAt(0).toLowerCase()}${start.slice(1)}; or correct ${variable}.`,
  };
}
