import { listUnattempted, recordDelivered } from '../../db/webhook-batches.ts';
import type { WebhookDeliveryRow } from '../../db/webhook-deliveries.ts';
import { noteSlow, updateResponding } from '../../db/webhook-endpoints.ts';
import { signals } from '../../messages/signals.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { pass } from '../crash-points.ts';
import { transact } from '../events.ts';
import { emit } from '../telemetry.ts';
import { startEntry, type WorkflowSubject } from '../wake.ts';
import { type DeliveryDeps, throughOutages } from './attempt.ts';
import type { BatchProgress } from './batch-progress.ts';
import { verifyEndpoint } from './challenge.ts';
import { attemptTelemetry } from './delivery-telemetry.ts';
import { attemptRow, errorOf, type MadeAttempt, MadeBefore, promptnessOf, recordResponse } from './record-attempt.ts';
import type { WebhookResponse } from './sender.ts';

/** An attempt of a batch, and the receiver's response. */
export interface Responded extends MadeAttempt {
  response: WebhookResponse;
}

/**
 * Records the outcomes of requests to one endpoint: those that failed, each in a transaction that enqueues the
 * delivery's own workflow; then all that succeeded, in one transaction. Returns the counts. `workflowId` is that of the
 * batch.
 */
export async function recordOutcomes(
  sql: Pool,
  deps: DeliveryDeps,
  made: readonly Responded[],
  workflowId: string,
): Promise<Pick<BatchProgress, 'delivered' | 'failed' | 'failures'>> {
  const failures = made.flatMap((each) => {
    const error = errorOf(each.response);
    return error === null ? [] : [{ ...each, error }];
  });
  for (const each of failures) await throughOutages(() => recordFailure(sql, deps, each, workflowId));
  const successes = made.filter(({ response }) => errorOf(response) === null);
  if (successes.length > 0) await throughOutages(() => recordSuccesses(sql, deps, successes, workflowId));
  pass('batch recorded');
  const listed = failures.map(({ delivery: { id }, error }) => ({ id, error }));
  return { delivered: successes.length, failed: failures.length, failures: listed };
}

async function recordFailure(
  sql: Pool,
  deps: DeliveryDeps,
  made: Responded & { error: string },
  workflowId: string,
): Promise<void> {
  const { delivery, number, response, error } = made;
  const now = deps.now();
  try {
    const recorded = await transact(sql, { requestId: null, now }, async (tx) => {
      const row = await recordResponse(tx, made, response, { now, random: deps.random() });
      if (row.status === 'pending') await enqueue(tx, [ownEntry(row)], now);
      return row;
    });
    pass('batch child enqueued');
    emit(attemptTelemetry(delivery, { attempt: number, response, error }, recorded, now, workflowId));
  } catch (error) {
    if (!(error instanceof MadeBefore)) throw error;
  }
}

async function recordSuccesses(
  sql: Pool,
  deps: DeliveryDeps,
  made: readonly Responded[],
  workflowId: string,
): Promise<void> {
  const now = deps.now();
  const recorded = new Set(await atomically(sql, (tx) => recordSuccessesIn(tx, made, now)));
  for (const { delivery, number, response } of made) {
    if (!recorded.has(delivery.id)) continue;
    const row: WebhookDeliveryRow = { ...delivery, status: 'delivered' };
    emit(attemptTelemetry(delivery, { attempt: number, response, error: null }, row, now, workflowId));
  }
}

async function recordSuccessesIn(tx: Tx, made: readonly Responded[], now: RealInstant): Promise<string[]> {
  const [first] = made;
  if (first === undefined) return [];
  // Lock order: the endpoint first, then its deliveries.
  const address = { id: first.delivery.endpoint_id, url: first.delivery.endpoint.url };
  const isPrompt = made.every(({ response }) => promptnessOf(response));
  await updateResponding(tx, address, { failingSince: null, isPrompt });
  const isVerified = made.some(({ response }) => response.kind === 'responded' && response.returnsChallenge);
  if (isVerified) await verifyEndpoint(tx, address, now);
  return recordDelivered(
    tx,
    made.map((each) => attemptRow(each, each.response)),
    now,
  );
}

/**
 * Asserts that the deliveries of a line have one endpoint. `endpointKeyOf` makes the lines, from ids alone; address and
 * secrets of the first delivery are used for all, and all responses count for its endpoint.
 * @throws Error before anything is sent or recorded.
 */
export function assertOneEndpoint(line: readonly Pick<WebhookDeliveryRow, 'id' | 'endpoint_id'>[]): void {
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
export async function handOver(
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

/**
 * Returns the outbox entry for a delivery's own workflow. One that stood in line for its endpoint has such a workflow
 * already, which waits for a turn of before: it reads the database again.
 */
function ownEntry(delivery: WorkflowSubject): OutboxEntry {
  return { ...startEntry('webhookDelivery', delivery), signal: signals.poke.name };
}
