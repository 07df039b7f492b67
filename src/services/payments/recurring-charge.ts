// A charge without a payer: of a plan, of a subscription, or a scheduled one. It has three steps, each committed before
// the next: the attempt is opened, the processor is asked, the outcome is recorded.

import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { declined } from '../../domain/charge-outcome.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { askAndRecord } from './ask-processor.ts';
import { type ChargeHook, openCharge, recordOutcome } from './charge.ts';
import type { Charge, NewCharge } from './charge-records.ts';
import { acceptDebit } from './debit-acceptance.ts';
import { declineOf, type Rail } from './rail.ts';
import type { DecidedIntent } from './surcharges.ts';

/**
 * Opens the next attempt of a locked intent. Returns the charge to ask the processor about, or null if there is nothing
 * to ask: a debit is accepted. After it, and after what the caller records about the attempt, comes `failIfRefused`.
 */
export async function openRecurringCharge(
  tx: Tx,
  intent: DecidedIntent,
  method: PaymentMethodRow | null,
  rail: Rail,
  newCharge: NewCharge,
): Promise<Charge | null> {
  if (rail.kind !== 'debit' || method === null) return openCharge(tx, intent, method, newCharge);
  await acceptDebit(tx, intent, method, rail, newCharge);
  return null;
}

/**
 * Fails the attempt that was just opened, in the same transaction, if the bank account must not be debited. Returns the
 * charge to ask the processor about, or null if there is nothing to ask.
 */
export async function failIfRefused(
  tx: Tx,
  charge: Charge | null,
  rail: Rail,
  now: RealInstant,
  hook: ChargeHook | null,
): Promise<Charge | null> {
  if (charge === null || rail.kind !== 'refused') return charge;
  await recordOutcome(tx, charge, { outcome: declined(declineOf(rail.refusal)), requestId: null, now }, hook);
  return null;
}

/**
 * Asks the processor about an opened charge, and records the outcome.
 * @throws ProcessorUnavailable when the processor gave no outcome. The attempt stays open, and is asked about again.
 */
export async function chargeAndRecord(
  sql: Db,
  { processors, hook }: { processors: Processors; hook: ChargeHook | null },
  charge: Charge,
  now: RealInstant,
  what: 'collection' | 'scheduled payment' = 'collection',
): Promise<void> {
  await askAndRecord(sql, processors, charge, what, (outcome) =>
    recordOutcome(sql, charge, { outcome, requestId: null, now }, hook),
  );
}
