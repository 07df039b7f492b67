import { selectAttemptOfSubscriptionRequest } from '../../db/payment-attempts.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { NotFound } from '../errors.ts';
import { transact } from '../events.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeForRequest, continueCharge } from '../payments/charged-request.ts';
import { claimKey, type RepeatableRequest, storeResponse } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { lockForRequest } from './subscription-requests.ts';
import type { AskedStep, Step } from './subscription-steps.ts';
import { getSubscription } from './subscriptions.ts';

/** A step that a request asks for. */
export type RequestedStep = Step & { asked: AskedStep };

/** What asks: who, for which subscription, and how a repetition of the request finds what was committed. */
export interface CollectingRequest {
  context: RequestContext;
  id: string;
  request: RepeatableRequest<ShownSubscriptionRow>;
}

type Opened = { kind: 'charge'; charge: Charge } | { kind: 'completed'; row: ShownSubscriptionRow };

/**
 * Carries out a request that may collect, and returns the subscription after the collection. Like a confirm, it commits
 * the attempt before the processor is asked, and a repetition of the request continues with that attempt. If the
 * process dies in between, housekeeping finishes the charge.
 * @param open does what is asked in the first transaction. Returns what is to be charged now, or null.
 * @throws NotFound; InvalidState while the customer's clock is advancing; what `open` throws.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function collectWithin(
  pool: Pool,
  charging: Charging,
  asking: CollectingRequest,
  open: (step: RequestedStep) => Promise<Charge | null>,
): Promise<ShownSubscriptionRow> {
  const { context, id, request } = asking;
  const opened = await transact(pool, context, (tx) => openRequested(tx, charging, asking, open));
  if (opened.kind === 'completed') return opened.row;
  const { charge } = opened;
  const collected = await chargeForRequest(pool, charging, context, charge, request, async (tx) => {
    const row = await getSubscription(tx, context, id);
    // The hook wakes the workflow, but not after a step that is the subscription's own.
    if (charge.unattended) await wakeWorkflow(tx, row, context.now);
    return row;
  });
  if (collected === null) throw new NotFound('subscription', id);
  return collected;
}

async function openRequested(
  tx: Tx,
  charging: Charging,
  { context, id, request }: CollectingRequest,
  open: (step: RequestedStep) => Promise<Charge | null>,
): Promise<Opened> {
  await claimKey(tx, request);
  const { locked, at } = await lockForRequest(tx, context, id);
  const earlier = await findEarlierTry(tx, { context, id, request });
  if (earlier !== null) return earlier;
  const { requestKey, keyExpiresAt } = request;
  const asked = { requestKey, keyExpiresAt, isConfirm: false };
  const charge = await open({ tx, charging, locked, at, now: context.now, dueAt: at, asked });
  if (charge !== null) return { kind: 'charge', charge };
  const row = await getSubscription(tx, context, id);
  await wakeWorkflow(tx, row, context.now);
  storeResponse(tx, request, row);
  return { kind: 'completed', row };
}

/** The workflow goes on from here. */
async function wakeWorkflow(tx: Tx, row: ShownSubscriptionRow, now: RealInstant): Promise<void> {
  await wake.subscription(tx, row, now, { start: row.state !== 'canceled' });
}

/** Finds the charge that an earlier try of the same request has opened. */
async function findEarlierTry(
  tx: Tx,
  { context, id, request: { requestKey, keyExpiresAt } }: CollectingRequest,
): Promise<Opened | null> {
  if (requestKey === null) return null;
  const attempt = await selectAttemptOfSubscriptionRequest(tx, id, requestKey, context.now);
  if (attempt === null) return null;
  const charge = await continueCharge(tx, attempt, keyExpiresAt);
  if (charge !== null) return { kind: 'charge', charge };
  return { kind: 'completed', row: await getSubscription(tx, context, id) };
}
