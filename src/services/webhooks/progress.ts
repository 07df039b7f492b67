import type { DeliveryToMake, WebhookDeliveryRow } from '../../db/webhook-deliveries.ts';
import type { BatchAbout, DeliveryAbout } from '../../messages/search-attributes.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { originOf } from '../../platform/redact.ts';

/** The progress of a delivery. Contains only ids, counts, words and an origin: it is kept in workflow histories. */
export interface DeliveryProgress {
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** The outcome of the last attempt, why the delivery ended, or why an attempt was not made; in a few words. */
  lastAnswer: string;
  /** Real time, ISO 8601. Null if no attempt follows. */
  nextAttemptAt: string | null;
  /** Milliseconds until `nextAttemptAt`. */
  waitMs: number;
  /** The attempt was not made, because it is not the endpoint's turn. */
  isTurnedAway?: true;
  /** Scheme, host and port of the endpoint. */
  goesTo: string;
  about: DeliveryAbout;
}

/** Returns the progress after an attempt, or without one; `outcome` says in a few words why. */
export function progressOf(
  row: Omit<WebhookDeliveryRow, 'event_type'>,
  made: DeliveryToMake,
  outcome: string,
  now: RealInstant,
): DeliveryProgress {
  return {
    status: row.status,
    attempts: row.attempt_count,
    lastAnswer: row.failure_reason ?? outcome,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    waitMs: Math.max(0, (row.next_attempt_at ?? now).getTime() - now.getTime()),
    goesTo: originOf(made.endpoint.url),
    about: {
      billerId: made.biller_id,
      livemode: made.livemode,
      eventType: made.event_type,
      endpointId: made.endpoint_id,
      testClockId: made.event.test_clock_id,
    },
  };
}

/** A first attempt that has failed. */
interface FailedAttempt {
  id: string;
  error: string;
}

/** The progress of a batch. Contains only ids, counts, words and an origin: it is kept in workflow histories. */
export interface BatchProgress {
  /** How many deliveries of the list are done with: the first so many, unless `left` says which are not. */
  taken: number;
  /** The deliveries that are not done with, if they are not simply the last of the list. */
  left?: string[];
  delivered: number;
  /** How many were attempted and not delivered. Those with attempts left have workflows of their own. */
  failed: number;
  /** How many were not sent, and have workflows of their own. */
  handedOver: number;
  /** The first of those that failed. */
  failures: FailedAttempt[];
  /** Scheme, host and port of the endpoint. Null until a delivery was read. */
  goesTo: string | null;
  about: (Pick<BatchAbout, 'billerId' | 'livemode'> & { endpointId: string }) | null;
  /** The endpoints, with scheme, host and port, if there are several. */
  endpoints?: { id: string; goesTo: string }[];
  /** The workflow task has no room for the requests: an activity continues. */
  needsActivity?: true;
}

/** How many failures are listed. */
const listedFailures = 10;

/** Returns the progress of a batch that has done nothing yet. */
export function newProgress(): BatchProgress {
  return { taken: 0, delivered: 0, failed: 0, handedOver: 0, failures: [], goesTo: null, about: null };
}

/** Returns the progress after two parts of a batch. */
export function sumOf(before: BatchProgress, more: Partial<BatchProgress>): BatchProgress {
  const sum = (name: 'taken' | 'delivered' | 'failed' | 'handedOver') => before[name] + (more[name] ?? 0);
  const { needsActivity: _, ...rest } = before;
  return {
    ...rest,
    taken: sum('taken'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    handedOver: sum('handedOver'),
    failures: [...before.failures, ...(more.failures ?? [])].slice(0, listedFailures),
    goesTo: more.goesTo ?? before.goesTo,
    about: more.about ?? before.about,
    ...(more.needsActivity ? { needsActivity: true } : {}),
  };
}

/** What was done of the deliveries to one endpoint, of which the list has these. */
export interface LineProgress {
  ids: readonly string[];
  progress: BatchProgress;
}

/** Returns the progress of a batch to several endpoints. */
export function progressOfLines(ids: readonly string[], lines: readonly LineProgress[]): BatchProgress {
  const left = new Set(lines.flatMap((line) => line.ids.slice(line.progress.taken)));
  const endpoints = lines.flatMap(({ progress: { about, goesTo } }) =>
    about === null || goesTo === null ? [] : [{ id: about.endpointId, goesTo }],
  );
  return {
    ...lines.reduce((sum, { progress }) => ({ ...sumOf(sum, progress), ...keptActivity(sum) }), newProgress()),
    ...(left.size === 0 ? {} : { left: ids.filter((id) => left.has(id)) }),
    endpoints,
  };
}

function keptActivity({ needsActivity }: BatchProgress) {
  return needsActivity ? { needsActivity } : {};
}

/** Returns where a batch goes, as its page shows it. */
export function destinationOf({ biller_id, livemode, endpoint_id, endpoint }: DeliveryToMake) {
  return { goesTo: originOf(endpoint.url), about: { billerId: biller_id, livemode, endpointId: endpoint_id } };
}
