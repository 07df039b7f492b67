import { randomInt } from 'node:crypto';
import type { PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { chargeDate, handOverAt } from '../schemes/debit-dates.ts';
import type { ReturnReason, SchemeProfile } from '../schemes/scheme-profile.ts';
import type { MinorUnits } from '../units.ts';

export const mandateStatuses = ['pending', 'active', 'canceled', 'failed', 'expired'] as const;

/** `pending` waits for the payer. The last three are final: a new acceptance is a new mandate. */
export type MandateStatus = (typeof mandateStatuses)[number];

/** Why a mandate has ended, and the status that it then has. */
const statusAfter = {
  requested: 'canceled',
  payer_canceled: 'canceled',
  payment_method_detached: 'canceled',
  customer_deleted: 'canceled',
  payment_stopped: 'canceled',
  debit_disputed: 'canceled',
  account_invalid: 'failed',
  account_closed: 'failed',
  account_holder_deceased: 'failed',
  unused: 'expired',
} as const satisfies Record<string, MandateStatus>;

export type MandateEndReason = keyof typeof statusAfter;

/** Returns the final status of a mandate that ends for this reason. */
export function endStatus(reason: MandateEndReason): (typeof statusAfter)[MandateEndReason] {
  return statusAfter[reason];
}

/**
 * Returns why a mandate ends when the bank refuses a debit or takes it back, or null if it stays active: only a lack of
 * funds leaves the authority as it is.
 */
export function endAfterReturn(reason: ReturnReason): MandateEndReason | null {
  return reason === 'insufficient_funds' ? null : reason;
}

/** What a debit depends on. */
export interface DebitTerms {
  status: MandateStatus;
  /** Null while pending. */
  lapses_at: CustomerInstant | null;
  /** The most that one debit may take; null for no limit of the mandate's own. */
  max_amount_cents: MinorUnits | null;
}

export type DebitRefusal = 'mandate_unavailable' | 'mandate_limit_exceeded';

/**
 * Returns why a debit must not be made, or null if it may be. `amount` is what the payer's account loses. `handOverAt`
 * is when the bank would get the debit; null if on no day of the scheme. A mandate that lapses before allows no debit.
 * The scheme's own limit depends on the mode.
 */
export function debitRefusal(
  terms: DebitTerms,
  scheme: SchemeProfile,
  { amount, handOverAt: at, livemode }: { amount: MinorUnits; handOverAt: CustomerInstant | null; livemode: boolean },
): DebitRefusal | null {
  const { status, lapses_at: lapsesAt } = terms;
  if (status !== 'active' || at === null || lapsesAt === null || lapsesAt <= at) return 'mandate_unavailable';
  return exceedsLimit(terms, scheme, { amount, livemode }) ? 'mandate_limit_exceeded' : null;
}

/** Whether a mandate or its scheme allows less for one debit than this amount. */
export function exceedsLimit(
  { max_amount_cents: most }: Pick<DebitTerms, 'max_amount_cents'>,
  { maxAmount }: SchemeProfile,
  { amount, livemode }: { amount: MinorUnits; livemode: boolean },
): boolean {
  const limits = [most, livemode ? maxAmount.live : maxAmount.sandbox];
  return limits.some((limit) => limit !== null && amount > limit);
}

/**
 * Returns the date, on the scheme's clock, on which a debit that is accepted at `at` would be charged. Null if the
 * mandate lapses before the bank would get the debit, and where the scheme's calendar has no days: before 2000 and
 * after 2099, as a test clock may be.
 */
export function nextChargeDate(
  scheme: SchemeProfile,
  at: CustomerInstant,
  lapsesAt: CustomerInstant | null,
): PlainDate | null {
  try {
    const charged = chargeDate(scheme, at);
    return lapsesAt !== null && lapsesAt <= handOverAt(scheme, charged) ? null : charged;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Without letters and digits that are taken for each other: people read references aloud. */
const referenceSymbols = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** With `DDR-` 18 characters, as many as the reference of an entry in a BECS file has. */
const referenceLength = 14;

/** Returns a new reference of a mandate, such as `DDR-7KQ2M9XW4CPT3H`. It is random (70 bits). */
export function newMandateReference(): string {
  const symbols = Array.from({ length: referenceLength }, () => referenceSymbols[randomInt(referenceSymbols.length)]);
  return `DDR-${symbols.join('')}`;
}
