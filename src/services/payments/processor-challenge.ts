// The challenge of a payment at a processor. What the payer did there, only the processor tells. Nothing else ends it:
// a payment is never failed or canceled here while the processor may still take the money.

import { isPayerDeleted } from '../../db/customers.ts';
import { listChallengedAttempts, type PaymentAttemptRow, selectAttemptInFlight } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { selectReservation } from '../../db/payment-reservations.ts';
import { challengeMs } from '../../domain/challenges.ts';
import { type ChargeFailure, declined } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import { addMs, withoutClock } from '../../domain/instants.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type Inquiry, OutcomeUnknown, type PaymentProcessor } from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';
import { ProcessorNotConfigured } from '../errors.ts';
import { allFinished, type Charging, orUnavailable, recordOutcome, reopenAttempt, reserves } from './charge.ts';
import { requestUnder } from './reserved-charge.ts';

/**
 * - `waits`: the payer can be sent to `url`.
 * - `elsewhere`: the processor waits for the payer, and does not say where.
 * - `ended`: no challenge waits at a processor, or its outcome is recorded.
 */
export type ChallengeAtProcessor = { kind: 'waits'; url: string } | { kind: 'elsewhere' } | { kind: 'ended' };

/** In milliseconds. Most payers come back earlier, and then their page asks. */
const leftAloneMs = 60_000;

interface Asking {
  now: RealInstant;
  requestId: string | null;
  /**
   * `if_due`: gives the challenge up when the payer's time is over. `now`: at once, because the payer wants to pay in
   * another way. `to_cancel`: at once, and leaves it to the caller to end the payment.
   */
  giveUp: 'if_due' | 'now' | 'to_cancel';
}

/**
 * Asks the processor for the challenge of a live payment, and records its outcome. Of several that ask at once, one
 * records it. A challenge is given up after its time, when its payer wants that, when what it pays has ended, and when
 * its customer was deleted: it is canceled at the processor first, and the payment fails with
 * `authentication_required` when the processor says that nothing was taken, and nothing will be.
 * @throws ProcessorUnavailable when the processor gives no outcome. The payment is unchanged then.
 * @throws ProcessorNotConfigured if the challenge is to be given up, and there is no live processor to ask.
 */
export async function settleChallenge(
  pool: Pool,
  { processors, hook }: Charging,
  intentId: string,
  { now, requestId, giveUp }: Asking,
): Promise<ChallengeAtProcessor> {
  const attempt = await selectAttemptInFlight(pool, intentId);
  if (attempt?.outcome !== 'requires_action') return { kind: 'ended' };
  const reservation = await selectReservation(pool, attempt.id);
  const charge = await atomically(pool, (tx) => reopenAttempt(tx, attempt));
  const processor = processors.live;
  if (charge?.request == null || !charge.livemode || reservation?.reference == null) return { kind: 'ended' };
  if (processor === null && giveUp !== 'if_due') throw new ProcessorNotConfigured();
  if (processor === null || !reserves(processor)) return { kind: 'elsewhere' };
  const request = requestUnder({ ...charge, request: charge.request }, reservation.number);
  const asked = { processor, request, reference: reservation.reference, at: withoutClock(now) };
  const state = await orUnavailable('payment', inquire(asked));
  pass('challenge asked');
  const told = finalOutcome(state);
  const isDue = giveUp !== 'if_due' || isExpired(attempt, state, now);
  // A customer that was deleted is not charged any more.
  const isOver = told === null && (isDue || (await isPayerDeleted(pool, intentId)));
  if (!isOver && state.kind === 'requires_action' && state.redirect) return { kind: 'waits', url: state.redirect.url };
  const outcome = told ?? (isOver ? await orUnavailable('payment', givenUp(asked)) : null);
  if (outcome === null) return { kind: 'elsewhere' };
  if (outcome.kind === 'canceled' && giveUp === 'to_cancel') return { kind: 'ended' };
  await recordOutcome(
    pool,
    charge,
    {
      outcome: outcome.kind === 'canceled' ? declined('authentication_required') : outcome,
      requestId,
      now,
      at: withoutClock(now),
      from: 'requires_action',
    },
    hook,
  );
  pass('challenge settled');
  return { kind: 'ended' };
}

/** `canceled`: nothing was taken, and nothing will be. */
type FinalOutcome = { kind: 'succeeded' } | ChargeFailure | { kind: 'canceled' };

interface Asked {
  processor: PaymentProcessor;
  request: Parameters<PaymentProcessor['inquire']>[0];
  reference: string;
  at: ReturnType<typeof withoutClock>;
}

function inquire({ processor, request, reference, at }: Asked): Promise<Inquiry> {
  return processor.inquire(request, reference, at);
}

/** Cancels the payment at the processor. Returns its outcome: the payer may have been quicker. */
async function givenUp(asked: Asked): Promise<FinalOutcome> {
  await asked.processor.cancel(asked.request, asked.reference);
  pass('challenge given up');
  const outcome = finalOutcome(await inquire(asked));
  if (outcome === null) throw new OutcomeUnknown('the processor has not canceled the payment, and has not made it');
  return outcome;
}

/** The outcome that a state tells; null if there is none yet. */
function finalOutcome(state: Inquiry): FinalOutcome | null {
  if (state.kind === 'succeeded' || state.kind === 'canceled') return { kind: state.kind };
  return state.kind === 'failed' ? state : null;
}

/**
 * Whether the time of the payer is over: that which what is paid has given, or else the usual one; or that of the
 * processor. If the processor does not say where the payer has to go, the payer may be with the bank: without a time of
 * its own, only the biller gives the payment up.
 */
function isExpired(
  { challenge_ends_at: ownEnd, opened_at: openedAt }: PaymentAttemptRow,
  state: Inquiry,
  now: RealInstant,
): boolean {
  const redirect = state.kind === 'requires_action' ? state.redirect : undefined;
  const isElsewhere = state.kind === 'requires_action' && redirect === undefined;
  const endsAt = ownEnd ?? (isElsewhere ? null : addMs(openedAt, challengeMs));
  const ends = [endsAt, redirect?.expiresAt ?? null];
  return ends.some((end) => end !== null && now >= end);
}

/**
 * Gives the challenge of a live payment up before the biller cancels the payment. Returns the attempt that waited for
 * it, or null. If its payer has passed or failed it, that is recorded.
 * @throws ProcessorUnavailable
 */
export async function giveChallengeUp(
  pool: Pool,
  charging: Charging,
  { id, livemode }: Pick<PaymentIntentRow, 'id' | 'livemode'>,
  { now, requestId }: Pick<Asking, 'now' | 'requestId'>,
): Promise<Id<'payment_attempt'> | null> {
  const attempt = livemode ? await selectAttemptInFlight(pool, id) : null;
  if (attempt?.outcome !== 'requires_action') return null;
  await settleChallenge(pool, charging, id, { now, requestId, giveUp: 'to_cancel' });
  return attempt.id;
}

/**
 * Settles challenges of live payments whose payer has not come back within a minute, or whose time is over. If one
 * cannot be settled, the others still are.
 * @throws AggregateError with every failure.
 */
export async function settleChallenges(pool: Pool, charging: Charging, now: RealInstant): Promise<void> {
  if (charging.processors.live === null) return;
  const waiting = await listChallengedAttempts(pool, { openedBefore: addMs(now, -leftAloneMs), now });
  await allFinished(
    'charges',
    waiting.map(({ payment_intent_id: id }) =>
      settleChallenge(pool, charging, id, { now, requestId: null, giveUp: 'if_due' }),
    ),
  );
}
