import { createHash } from 'node:crypto';
import { dateIn, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { chargeDate, handOverAt, resultAt, resultDate, returnableUntil } from './debit-dates.ts';
import type { SchemeProfile } from './scheme-profile.ts';

/** What is promised when a debit is accepted. Dates are those of the scheme's clock, instants are UTC. */
export interface DebitDates {
  chargeDate: PlainDate;
  handOverAt: CustomerInstant;
  resultDate: PlainDate;
  resultAt: CustomerInstant;
}

/** How late a debit may be handed over and still count for its charge date, in milliseconds. */
const lateHandOverMs = 30 * 60_000;

/**
 * Returns the dates of a debit that is accepted at this instant. Null where the scheme's calendar has no days: before
 * 2000, and at the end of 2099, as a test clock may be. Never throws.
 */
export function debitDates(scheme: SchemeProfile, acceptedAt: CustomerInstant): DebitDates | null {
  try {
    const charged = chargeDate(scheme, acceptedAt);
    const resultOn = resultDate(scheme, charged);
    returnableUntil(scheme, resultOn); // throws if the calendar ends before the debit can no longer come back
    return {
      chargeDate: charged,
      handOverAt: handOverAt(scheme, charged),
      resultDate: resultOn,
      resultAt: resultAt(scheme, charged),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Whether a debit that is handed over at `at` has missed the cut-off of its charge date, by more than half an hour: no
 * worker ran. It then goes with the next one. Never throws.
 */
export function hasMissedCutOff(handOver: CustomerInstant, at: CustomerInstant): boolean {
  return at.getTime() - handOver.getTime() > lateHandOverMs;
}

/**
 * Returns the last date on which a debit that the bank has just collected can come back, on the scheme's clock.
 * @throws RangeError if the scheme's calendar ends before.
 */
export function returnableAfter(scheme: SchemeProfile, collectedAt: CustomerInstant): PlainDate {
  return returnableUntil(scheme, dateIn(collectedAt, scheme.timeZone));
}

/** Without letters and digits that are taken for each other: people read references aloud. */
const referenceSymbols = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** With `PAY-` 18 characters, as many as the reference of an entry in a BECS file has. */
const referenceLength = 14;

/**
 * Returns the lodgement reference of an attempt, such as `PAY-7KQ2M9XW4CPT3H`. It is derived from the attempt's id (70
 * bits): a debit that a restored database has lost is made again with the same one.
 */
export function lodgementReferenceOf(attemptId: string): string {
  const digest = createHash('sha256').update(attemptId).digest();
  const symbols = Array.from({ length: referenceLength }, (_, index) => referenceSymbols[(digest[index] ?? 0) % 32]);
  return `PAY-${symbols.join('')}`;
}
