import { setTimeout as pause } from 'node:timers/promises';
import { endpointKeyOf, listUnattempted } from '../../db/webhook-batches.ts';
import { type DeliveryToMake, listDeliveriesToMake, type WebhookDeliveryRow } from '../../db/webhook-deliveries.ts';
import { noteSlow } from '../../db/webhook-endpoints.ts';
import { all } from '../../platform/all-settled.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { enqueue } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { pass } from '../crash-points.ts';
import { type DeliveryDeps, failIfClosed, isDue, post, prepare } from './attempt.ts';
import { type BatchProgress, destinationOf, newProgress, progressOfLines, sumOf } from './progress.ts';
import { errorOf, type MadeAttempt, ownEntry, recordMade, throughOutages } from './record-attempt.ts';
import type { BatchRequest } from './sender.ts';
import { promptMs, type SentFrom } from './sending-turns.ts';
import { openSecrets } from './signing.ts';

/** How many deliveries are read, sent and recorded together. What a biller changes is seen by the next of them. */
const partSize = 50;

/** After this time no further part is begun: a workflow task must end soon, and an activity has a timeout. */
const longestMs = 5_000;

/**
 * The next request of a batch follows the response to the last one, or this time after it began. So a receiver that
 * responds at once gets the events in their order, and one that takes longer gets several at a time. Lines that run
 * at the same time slow down each other's responses a little: up to `mostPaces` of them lengthen the time.
 */
const paceMs = 5;
const mostPaces = 4;

/** How long an activity waits for its endpoint's share of requests while it sends nothing, and how often it asks. */
const longestWaitMs = 1_000;
const askAgainMs = 5;

/** Which batch it is, and where it is sent from. */
export interface BatchSource {
  from: SentFrom;
  /** The workflow of the batch, for the log. */
  workflowId: string;
  /** How many endpoints the batch goes to. */
  lines?: number;
}

/** What was sent of a part, and how the batch continues. */
interface Sent {
  /** Those that have ended so far. It grows while others are under way. */
  ended: MadeAttempt[];
  underWay: Set<Promise<void>>;
  unsent: DeliveryToMake[];
  next: 'in this batch' | 'one by one' | 'in an activity';
}

/**
 * Makes the first attempts of deliveries to endpoints of one biller. Each endpoint has a line of its own, next to the
 * others: one that takes long holds up no other. See `sendLine`.
 */
export async function sendBatch(
  sql: Pool,
  deps: DeliveryDeps,
  ids: readonly string[],
  source: BatchSource,
): Promise<BatchProgress> {
  const lines = linesOf(ids);
  const [line = [], ...others] = lines;
  if (others.length === 0) return sendLine(sql, deps, line, source);
  const begun = lines.map((own) => ({ ids: own, end: sendLine(sql, deps, own, { ...source, lines: lines.length }) }));
  const allEnd = Promise.allSettled(begun.map(({ end }) => end));
  const sent = begun.map(async ({ ids: own, end }) => ({
    ids: own,
    progress: await endLine(sql, deps, own, await end, allEnd),
  }));
  return progressOfLines(ids, await all(sent));
}

/**
 * Ends a line that ran with others. If it has deliveries left while another line waits for a receiver that takes long,
 * the batch cannot continue soon: then they get workflows of their own.
 */
async function endLine(
  sql: Pool,
  deps: DeliveryDeps,
  ids: readonly string[],
  progress: BatchProgress,
  allEnd: Promise<unknown>,
): Promise<BatchProgress> {
  const left = ids.slice(progress.taken);
  if (left.length === 0) return progress;
  const isHeldUp = await Promise.race([allEnd.then(() => false), pause(promptMs, true)]);
  if (!isHeldUp) return progress;
  return sumOf(progress, { taken: left.length, handedOver: await handOver(sql, deps, left, { isSlow: false }) });
}

/** Returns the deliveries to each endpoint, in the order of the list. */
function linesOf(ids: readonly string[]): string[][] {
  const lines = new Map<string, string[]>();
  for (const id of ids) {
    const line = lines.get(endpointKeyOf(id));
    if (line === undefined) lines.set(endpointKeyOf(id), [id]);
    else line.push(id);
  }
  return [...lines.values()];
}

/**
 * Makes the first attempts of deliveries to one endpoint, in the order of the list, as far as that is done within five
 * seconds; `taken` says how many of the list. A delivery that was attempted before or has ended is left alone. One that
 * is not delivered gets a workflow of its own, enqueued in the transaction that records the attempt. So does what was
 * not sent, because the receiver takes long or fails, or because it is not due by the clock of this process. In a
 * workflow task, the result may be that an activity must continue.
 */
async function sendLine(
  sql: Pool,
  deps: DeliveryDeps,
  ids: readonly string[],
  source: BatchSource,
): Promise<BatchProgress> {
  const until = performance.now() + longestMs;
  let progress = newProgress();
  while (progress.taken < ids.length && performance.now() < until) {
    const part = ids.slice(progress.taken, progress.taken + partSize);
    const found = await listDeliveriesToMake(sql, part);
    assertOneEndpoint(found);
    const read = found.filter(isUnattempted);
    const [first] = read;
    if (first === undefined) {
      progress = sumOf(progress, { taken: part.length });
      continue;
    }
    progress = sumOf(progress, destinationOf(first));
    const now = deps.now();
    const due = read.filter((delivery) => isDue(delivery, now));
    const sent = await sendPart(sql, deps, due, source);
    if (sent.ended.length > 0) pass('batch posted');
    progress = sumOf(progress, await recordEnded(sql, deps, sent.ended.splice(0), source));
    if (sent.next === 'in an activity') return { ...progress, needsActivity: true };
    const isSlow = sent.next === 'one by one';
    const rest = isSlow ? ids.slice(progress.taken + part.length) : [];
    const unsent = read.filter((delivery) => !due.includes(delivery) || sent.unsent.includes(delivery));
    const handedOver = await handOver(sql, deps, [...unsent.map(({ id }) => id), ...rest], { isSlow });
    // Only now, because these requests may take as long as a receiver may.
    await Promise.all(sent.underWay);
    progress = sumOf(progress, await recordEnded(sql, deps, sent.ended, source));
    progress = sumOf(progress, { taken: part.length + rest.length, handedOver });
  }
  return progress;
}

function isUnattempted({ status, attempt_count, series_start }: DeliveryToMake): boolean {
  return status === 'pending' && attempt_count === series_start;
}

/** Sends deliveries to one endpoint. Returns when all have ended, or when one takes longer than a prompt one may. */
async function sendPart(sql: Pool, deps: DeliveryDeps, due: DeliveryToMake[], source: BatchSource): Promise<Sent> {
  const sent: Sent = { ended: [], underWay: new Set(), unsent: [], next: 'in this batch' };
  const [first] = due;
  if (first === undefined) return sent;
  const now = deps.now();
  if ((await failIfClosed(sql, due, now)) !== null) return sent;
  if (first.endpoint.failing_since !== null) return { ...sent, unsent: due, next: 'one by one' };
  const secrets = openSecrets(first, deps.vault, now);
  for (const [index, delivery] of due.entries()) {
    const next = await sendOne(deps, sent, delivery, secrets, source);
    if (next === 'in this batch') continue;
    Object.assign(sent, { unsent: due.slice(index), next });
    break;
  }
  await Promise.race([Promise.all(sent.underWay), pause(promptMs)]);
  if (sent.underWay.size > 0) sent.next = 'one by one';
  return sent;
}

/** Sends one delivery, unless the batch must stop before it; then returns how to continue. */
async function sendOne(
  deps: DeliveryDeps,
  sent: Sent,
  delivery: DeliveryToMake,
  secrets: string[],
  { from, lines = 1 }: BatchSource,
): Promise<Sent['next']> {
  if (sent.ended.some(({ response }) => response.kind === 'responded' && response.statusCode === 410)) {
    return 'one by one'; // recording this response ends the other deliveries
  }
  const prepared = prepare(delivery, secrets, deps.now());
  const begin = () => deps.sender.sendInBatch(prepared.request, from);
  // A workflow task has a small share, and must end soon.
  const begun = from === 'workflow task' ? begin() : await untilShared(begin, sent.underWay);
  if (begun.kind === 'slow') return 'one by one';
  if (begun.kind === 'busy') return from === 'activity' ? 'one by one' : 'in an activity';
  const sending = post(prepared, () => begun.response).then((response) => {
    sent.ended.push({ ...prepared, response });
    sent.underWay.delete(sending);
  });
  sent.underWay.add(sending);
  await Promise.race([sending, pause(paceMs * Math.min(lines, mostPaces))]);
  return 'in this batch';
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

/** Records the attempts of a line, and returns the counts. */
async function recordEnded(
  sql: Pool,
  deps: DeliveryDeps,
  made: readonly MadeAttempt[],
  { workflowId }: BatchSource,
): Promise<Pick<BatchProgress, 'delivered' | 'failed' | 'failures'>> {
  await recordMade(sql, deps, made, workflowId);
  pass('batch recorded');
  const failures = made.flatMap(({ delivery: { id }, response }) => {
    const error = errorOf(response);
    return error === null ? [] : [{ id, error }];
  });
  return { delivered: made.length - failures.length, failed: failures.length, failures };
}

/**
 * Asserts that the deliveries of a line have one endpoint. `endpointKeyOf` makes the lines, from ids alone; address and
 * secrets of the first delivery are used for all, and all responses count for its endpoint.
 * @throws Error before anything is sent or recorded.
 */
function assertOneEndpoint(line: readonly Pick<WebhookDeliveryRow, 'id' | 'endpoint_id'>[]): void {
  const [first] = line;
  const other = line.find(({ endpoint_id }) => endpoint_id !== first?.endpoint_id);
  if (first === undefined || other === undefined) return;
  throw new Error(
    `Deliveries ${first.id} and ${other.id} are in one line of a batch, but go to ${first.endpoint_id} and ` +
      `${other.endpoint_id}. Nothing more of the line is sent.`,
  );
}

/**
 * Gives each of these deliveries that was not attempted a workflow of its own. With `isSlow`, no further batch goes to
 * their endpoint until it responds promptly again. Returns how many they are.
 */
async function handOver(
  sql: Pool,
  deps: DeliveryDeps,
  ids: readonly string[],
  { isSlow }: { isSlow: boolean },
): Promise<number> {
  if (ids.length === 0) return 0;
  return throughOutages(() =>
    atomically(sql, async (tx) => {
      const deliveries = await listUnattempted(tx, ids);
      const [first] = deliveries;
      if (first === undefined) return 0;
      assertOneEndpoint(deliveries);
      if (isSlow) await noteSlow(tx, first.endpoint_id);
      await enqueue(tx, deliveries.map(ownEntry), deps.now());
      return deliveries.length;
    }),
  );
}
