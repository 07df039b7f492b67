import { type PaymentAttemptRow, selectAttempt } from '../../db/payment-attempts.ts';
import { insertGivenUp, selectReservation } from '../../db/payment-reservations.ts';
import { tenantOf } from '../../db/tenant.ts';
import { type ChargeOutcome, declined } from '../../domain/charge-outcome.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { OutcomeUnknown, type ProcessorState } from '../../processors/processor.ts';
import { type ChangeOrigin, type Changes, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { orNotFound } from '../errors.ts';
import { type Charging, recordOutcome, reopenAttempt } from './charge.ts';
import type { Charge } from './charge-records.ts';
import { wakeAfterOutcome } from './payment-confirmation.ts';

/** What a person has found out about an attempt, and how. */
export interface Settlement {
  attemptId: string;
  outcome: 'succeeded' | 'failed';
  /** For the audit log: where the truth was read, such as the processor's statement. */
  evidence: string;
}

/**
 * Records the outcome of an attempt that the processor no longer knows, as an operator has looked it up. The processor
 * is asked first: its own word counts more. Before a failure its reservation is canceled, if the processor responds.
 * @returns a sentence about the result.
 * @throws NotFound
 * @throws CommandRefused when the attempt has its outcome, or the processor tells another.
 */
export async function settleAttempt(
  sql: Pool,
  charging: Charging,
  { attemptId, outcome, evidence }: Settlement,
  { by, now }: ChangeOrigin,
): Promise<string> {
  const attempt = orNotFound(await selectAttempt(sql, attemptId), 'payment attempt', attemptId);
  const from = attempt.outcome;
  if (from !== 'processing' && from !== 'requires_action') {
    throw new CommandRefused(`There is nothing to settle: attempt ${attemptId} is ${from}.`);
  }
  const charge = orNotFound(
    await atomically(sql, (tx) => reopenAttempt(tx, attempt)),
    'payment intent',
    attempt.payment_intent_id,
  );
  if (from === 'requires_action' && !charge.livemode) {
    throw new CommandRefused(`There is nothing to settle: attempt ${attemptId} waits for its payer in the sandbox.`);
  }
  const reservation = await selectReservation(sql, attemptId);
  const state = await askedBefore(charging, charge, { reference: reservation?.reference ?? null, outcome, now });
  const agrees = outcome === 'failed' && (state?.kind === 'not_charged' || state?.kind === 'canceled');
  if (state !== null && !agrees) {
    throw new CommandRefused(
      `The processor responds, and says: ${state.kind}. An outcome that it tells is recorded within a minute.`,
    );
  }
  const result: SettledOutcome = outcome === 'succeeded' ? { kind: outcome } : declined('gateway_timeout');
  const number = (reservation?.number ?? 0) + 1;
  return atomically(sql, (tx) =>
    recordSettled(tx, charging, { attempt, from, charge, number, result, evidence }, { by, now }),
  );
}

/** An outcome after which nothing more is expected. */
export type SettledOutcome = Exclude<ChargeOutcome, { kind: 'requires_action' }>;

/** An attempt, and what is recorded of it. `number` is that of its next reservation. */
export interface Settled {
  attempt: Pick<PaymentAttemptRow, 'id' | 'source'>;
  /** What it is until then. */
  from: 'processing' | 'requires_action';
  charge: Charge;
  number: number;
  result: SettledOutcome;
  evidence: string;
  /** What else the audit log has. */
  changes?: Changes;
}

/**
 * Gives an attempt up at the processor, and records its outcome with an entry in the audit log.
 * @returns a sentence about the result.
 * @throws NotFound
 * @throws CommandRefused when the payment was reserved meanwhile.
 */
export async function recordSettled(
  tx: Tx,
  { hook }: Charging,
  { attempt, from, charge, number, result, evidence, changes = {} }: Settled,
  { by, now }: ChangeOrigin,
): Promise<string> {
  // From here on, no other process charges or fails it.
  if (!(await insertGivenUp(tx, { attempt_id: attempt.id, number, livemode: charge.livemode }))) {
    throw new CommandRefused('The payment was reserved at the processor at this moment. Run the command again.');
  }
  const intent = orNotFound(
    await recordOutcome(tx, charge, { outcome: result, requestId: null, now, from }, hook),
    'payment intent',
    charge.paymentIntentId,
  );
  await wakeAfterOutcome(tx, attempt, charge, now);
  await recordAudit(tx, {
    action: 'payment_attempt.settled',
    by,
    at: now,
    tenant: tenantOf(intent),
    subjectId: attempt.id,
    changes: { ...changes, outcome: { from, to: result.kind }, evidence: { from: null, to: evidence } },
  });
  return `Attempt ${attempt.id} of ${intent.id} is recorded as ${result.kind}; the payment is ${intent.status}.`;
}

/** What the processor says of the attempt; null if it does not respond, or has reserved nothing. */
export async function askedBefore(
  { processors }: Charging,
  { livemode, request }: Charge,
  { reference, outcome, now }: { reference: string | null; outcome: Settlement['outcome']; now: RealInstant },
): Promise<ProcessorState | null> {
  const processor = livemode ? processors.live : processors.sandbox;
  if (processor === null || reference === null || request === null) return null;
  const at = withoutClock(now); // only live payments are reserved, and live mode has no clocks
  try {
    const state = await processor.inquire(request, reference, at);
    if (state.kind !== 'not_charged' || outcome !== 'failed') return state;
    await processor.cancel(request, reference);
    return await processor.inquire(request, reference, at);
  } catch (error) {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  }
}
