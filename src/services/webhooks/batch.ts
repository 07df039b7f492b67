import { setTimeout as pause } from 'node:timers/promises';
import { type DuePart, leaveBatch, listDue, maxInPart } from '../../db/webhook-batches.ts';
import type { DeliveryToMake } from '../../db/webhook-deliveries.ts';
import { noteSlow } from '../../db/webhook-endpoints.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { pass } from '../crash-points.ts';
import { emit } from '../telemetry.ts';
import { type DeliveryDeps, failIfClosed, isDue, type PreparedAttempt, post, prepare } from './attempt.ts';
import { addAttempts, addEndpoint, type BatchProgress, mostListed, newProgress } from './progress.ts';
import { errorOf, type MadeAttempt, recordMade, throughOutages } from './record-attempt.ts';
import type { BatchRequest } from './sender.ts';
import { promptMs } from './sending-turns.ts';
import { openSecrets } from './signing.ts';

/** After this time a batch begins no more, so that a worker that shuts down has not long to wait for it. */
const longestMs = 5_000;

/** The same while it waits for a receiver that has begun to hang, so that the biller's other endpoints do not. */
const longestWithHangingMs = 20_000;

/**
 * After this time a batch looks for what has become due meanwhile. If it finds nothing so many times, it ends. A
 * shorter time makes more and smaller parts; more looks let it outlive longer pauses between events.
 */
const lookAgainMs = 20;
const looksInVain = 3;

/**
 * The next request to an endpoint follows the response to the last one, or this time after it began. So a receiver that
 * responds at once gets the events in their order, and one that takes longer gets several at a time. Endpoints that are
 * sent to at the same time slow down each other's responses a little: up to `mostPaces` of them lengthen the time.
 */
const paceMs = 5;
const mostPaces = 4;

/** How long a batch waits for its endpoint's share of requests while it sends nothing, and how often it asks. */
const longestWaitMs = 1_000;
const askAgainMs = 5;

/** A batch that is being sent. */
interface Batch {
  workflowId: string;
  begunAt: number;
  progress: BatchProgress;
  /** The parts that are being sent, by the keys of their endpoints. */
  underWay: Map<string, Promise<void>>;
  /** How many of these wait for a receiver that takes long. */
  hanging: number;
  /** Why parts could not be sent or recorded. */
  errors: unknown[];
}

/** What was sent of a part, and how the batch continues. */
interface Sent {
  /** All that were sent. */
  ids: Set<string>;
  underWay: Set<Promise<void>>;
  /** Those that have ended and are not recorded. It grows while others are under way. */
  ended: MadeAttempt[];
  /** Whether the receiver takes long: then those that were not sent leave the batch. */
  isSlow: boolean;
}

/**
 * Makes the first attempts of a biller's deliveries that are due, and of those that become due meanwhile: until nothing
 * is due for a moment, or a bound is reached. Each endpoint gets its events in their order, next to the others. What is
 * not delivered gets a workflow of its own, in the transaction that records the attempt. So does what was not sent,
 * because the receiver takes long or fails.
 * @throws what the database throws. What was not recorded is sent again, under the same `webhook-id`.
 */
export async function sendBatch(sql: Pool, deps: DeliveryDeps, workflowId: string): Promise<BatchProgress> {
  const progress = newProgress();
  const batch: Batch = {
    workflowId,
    begunAt: performance.now(),
    progress,
    underWay: new Map(),
    hanging: 0,
    errors: [],
  };
  const { underWay, errors } = batch;
  try {
    for (let inVain = 0; inVain < looksInVain; ) {
      const goesOn = mayGoOn(batch);
      if (!goesOn && underWay.size === 0) break;
      const parts = goesOn ? await listDue(sql, workflowId, [...underWay.keys()]) : [];
      for (const part of parts) startPart(sql, deps, batch, part);
      const hasMore = parts.some(({ entries }) => entries.length === maxInPart);
      const wait = pause(lookAgainMs);
      await (hasMore || !goesOn ? Promise.race([wait, ...underWay.values()]) : wait);
      inVain = parts.length > 0 || underWay.size > 0 ? 0 : inVain + 1;
    }
  } finally {
    await Promise.all(underWay.values());
  }
  if (errors.length > 0) throw errors[0];
  return progress;
}

function mayGoOn({ begunAt, progress, hanging, errors }: Batch): boolean {
  if (errors.length > 0) return false;
  const ms = performance.now() - begunAt;
  if (hanging > 0) return ms < longestWithHangingMs;
  return ms < longestMs && progress.attempted.length < mostListed;
}

function startPart(sql: Pool, deps: DeliveryDeps, batch: Batch, part: DuePart): void {
  for (const { createdAt } of part.entries)
    emit({ kind: 'outbox entry dispatched', workflowType: 'webhookBatch', madeAt: createdAt, isDispatched: true });
  const end = sendPart(sql, deps, batch, part)
    .catch((error: unknown) => void batch.errors.push(error))
    .finally(() => batch.underWay.delete(part.endpointKey));
  batch.underWay.set(part.endpointKey, end);
}

/**
 * Sends what is due to one endpoint, and records it. A delivery that was attempted before or has ended, and one that
 * is not due by the clock of this process, leaves the batch unsent.
 */
async function sendPart(sql: Pool, deps: DeliveryDeps, batch: Batch, part: DuePart): Promise<void> {
  assertOneEndpoint(part.deliveries);
  const now = deps.now();
  const due = part.deliveries.filter((delivery) => isUnattempted(delivery) && isDue(delivery, now));
  const traces = new Map(part.entries.map(({ deliveryId, traceparent }) => [deliveryId, traceparent]));
  const sent = await send(sql, deps, batch, due, traces);
  if (sent.ended.length > 0) pass('batch posted');
  await recordEnded(sql, deps, batch, part, sent);
  const unsent = part.entries.filter(({ deliveryId }) => !sent.ids.has(deliveryId));
  const slow = sent.isSlow ? due[0]?.endpoint_id : undefined;
  if (unsent.length > 0 || slow !== undefined) {
    const left = await throughOutages(() =>
      atomically(sql, async (tx) => {
        if (slow !== undefined) await noteSlow(tx, slow);
        return leaveBatch(
          tx,
          unsent.map(({ id }) => id),
        );
      }),
    );
    batch.progress.handedOver += left;
  }
  if (sent.underWay.size === 0) return;
  // Only now, because these requests may take as long as a receiver may.
  batch.hanging += 1;
  try {
    await Promise.all(sent.underWay);
  } finally {
    batch.hanging -= 1;
  }
  await recordEnded(sql, deps, batch, part, sent);
}

function isUnattempted({ status, attempt_count, series_start }: DeliveryToMake): boolean {
  return status === 'pending' && attempt_count === series_start;
}

/** Sends deliveries to one endpoint. Returns when all have ended, or when one takes longer than a prompt one may. */
async function send(
  sql: Pool,
  deps: DeliveryDeps,
  batch: Batch,
  due: DeliveryToMake[],
  traces: ReadonlyMap<string, string | null>,
): Promise<Sent> {
  const sent: Sent = { ids: new Set(), underWay: new Set(), ended: [], isSlow: false };
  const [first] = due;
  if (first === undefined) return sent;
  const now = deps.now();
  addEndpoint(batch.progress, first);
  if ((await failIfClosed(sql, due, now)) !== null) return sent;
  if (first.endpoint.failing_since !== null) return { ...sent, isSlow: true };
  const secrets = openSecrets(first, deps.vault, now);
  for (const delivery of due) {
    const prepared = prepare(delivery, secrets, deps.now());
    sent.isSlow = !(await sendOne(deps, batch, sent, prepared, traces.get(delivery.id) ?? null));
    if (sent.isSlow) break;
  }
  if (!sent.isSlow) await Promise.race([Promise.all(sent.underWay), pause(promptMs)]);
  if (sent.underWay.size > 0) sent.isSlow = true;
  return sent;
}

/** Sends one delivery and returns true, unless the batch must stop before it. */
async function sendOne(
  deps: DeliveryDeps,
  { underWay }: Batch,
  sent: Sent,
  prepared: PreparedAttempt,
  trace: string | null,
): Promise<boolean> {
  if (sent.ended.some(({ response }) => response.kind === 'responded' && response.statusCode === 410)) {
    return false; // recording this response ends the other deliveries
  }
  const begun = await untilShared(() => deps.sender.sendInBatch(prepared.request), sent.underWay);
  if (begun.kind !== 'sent') return false;
  const sending = post(prepared, () => begun.response, trace).then((response) => {
    sent.ended.push({ ...prepared, response });
    sent.underWay.delete(sending);
  });
  sent.ids.add(prepared.delivery.id);
  sent.underWay.add(sending);
  await Promise.race([sending, pause(paceMs * Math.min(underWay.size, mostPaces))]);
  return true;
}

/** Waits while the endpoint has its share of requests: for one of these to end or, not as long, for those of others. */
async function untilShared(begin: () => BatchRequest, underWay: ReadonlySet<Promise<void>>): Promise<BatchRequest> {
  for (let waitedMs = 0; ; waitedMs += askAgainMs) {
    const begun = begin();
    if (begun.kind !== 'busy' || waitedMs >= longestWaitMs) return begun;
    await Promise.race([...underWay, pause(askAgainMs)]);
    if (underWay.size > 0) waitedMs = 0;
  }
}

/** Records the attempts of a part that have ended. */
async function recordEnded(
  sql: Pool,
  deps: DeliveryDeps,
  { workflowId, progress }: Batch,
  { entries }: DuePart,
  { ended }: Sent,
): Promise<void> {
  const made = ended.splice(0);
  const entriesOf = (id: string) => entries.filter(({ deliveryId }) => deliveryId === id).map((entry) => entry.id);
  await recordMade(sql, deps, made, { workflowId, entriesOf });
  pass('batch recorded');
  addAttempts(
    progress,
    made.map(({ delivery: { id }, response }) => ({ id, error: errorOf(response) })),
  );
}

/**
 * Asserts that the deliveries of a part have one endpoint. `endpointKeyOf` makes the parts, from ids alone; address and
 * secrets of the first delivery are used for all, and all responses count for its endpoint.
 * @throws Error before anything is sent or recorded.
 */
function assertOneEndpoint(part: readonly DeliveryToMake[]): void {
  const [first] = part;
  const other = part.find(({ endpoint_id }) => endpoint_id !== first?.endpoint_id);
  if (first === undefined || other === undefined) return;
  throw new Error(
    `Deliveries ${first.id} and ${other.id} are in one part of a batch, but go to ${first.endpoint_id} and ` +
      `${other.endpoint_id}. Nothing more of the part is sent.`,
  );
}
