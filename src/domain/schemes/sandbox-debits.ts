import type { PlainDate } from '../calendar.ts';
import { type ChargeFailure, type DeclineCode, declined, declineMessage } from '../charge-outcome.ts';
import type { CustomerInstant } from '../instants.ts';
import { sandboxChargeOutcome } from '../sandbox-outcomes.ts';
import type { MinorUnits } from '../units.ts';
import { resultAt, resultDate, sandboxReturnAt } from './debit-dates.ts';
import { type Scheme, schemes } from './schemes.ts';

/** The words of `metadata._sandbox_bank_outcome`. */
export const bankOutcomeWords = [
  'settled',
  'dishonoured',
  'account_invalid',
  'account_closed',
  'account_holder_deceased',
  'payment_stopped',
  'mandate_canceled',
  'late_dishonour',
  'disputed',
] as const;

/** A word of `metadata._sandbox_bank_outcome`: what the sandbox's bank makes of a debit. */
export type BankOutcomeWord = (typeof bankOutcomeWords)[number];

/** A debit that the bank takes back after it had collected it. */
interface DebitReturn {
  code: DeclineCode;
  message: string;
  /** The scheme's code; null for a payer's claim, which has none. */
  bankCode: string | null;
  at: CustomerInstant;
}

/** The whole life of a debit at the sandbox's bank, from its hand-over. */
export type DebitCourse =
  | { kind: 'refused'; failure: ChargeFailure }
  | { kind: 'accepted'; resultAt: CustomerInstant; dishonour: ChargeFailure | null; returned: DebitReturn | null };

/** What a course depends on. The words are those of the payment's metadata. */
export interface SandboxDebit {
  scheme: Scheme;
  /** On the scheme's clock. */
  chargeDate: PlainDate;
  /** The number of the attempt for this intent, from 1. */
  attempt: number;
  /** Without the surcharge. */
  amount: MinorUnits;
  bankOutcomes: string | undefined;
  outcomes: string | undefined;
}

/**
 * Returns the words of a `_sandbox_bank_outcome`, one for each attempt, separated by commas without spaces. Null when a
 * word is unknown or the text is empty: the metadata then fails validation. Never throws.
 */
export function parseBankOutcomes(text: string): BankOutcomeWord[] | null {
  const words = text.split(',').map((part) => bankOutcomeWords.find((known) => known === part));
  return words.every((word) => word !== undefined) ? words : null;
}

/**
 * Returns what the sandbox's bank makes of a debit. In order of precedence:
 * - the word of `_sandbox_bank_outcome` for this attempt; the last word repeats
 * - the word of `_sandbox_outcome`, or the last two digits of the amount, as for every charge. A decline is a
 *   dishonour; a time-out, and a challenge that no payer can pass, fail at once
 * @throws RangeError for an unknown word, which validation has already refused, and for an invalid attempt, amount or
 * date.
 */
export function sandboxDebitCourse(debit: SandboxDebit): DebitCourse {
  const { attempt, amount, bankOutcomes, outcomes } = debit;
  if (bankOutcomes !== undefined) return courseOf(wordOf(bankOutcomes, attempt), debit);
  const outcome = sandboxChargeOutcome({ metadataOutcome: outcomes, attempt, fixtureToken: null, amount });
  if (outcome.kind === 'succeeded') return courseOf('settled', debit);
  if (outcome.kind === 'requires_action') return { kind: 'refused', failure: declined('authentication_required') };
  return outcome.code === 'insufficient_funds' ? courseOf('dishonoured', debit) : { kind: 'refused', failure: outcome };
}

function wordOf(text: string, attempt: number): BankOutcomeWord {
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError(`not an attempt number: ${attempt}`);
  const words = parseBankOutcomes(text);
  const word = words?.[attempt - 1] ?? words?.at(-1);
  if (word === undefined) throw new RangeError(`not a list of bank outcomes: ${text}`);
  return word;
}

function courseOf(word: BankOutcomeWord, debit: SandboxDebit): DebitCourse {
  const scheme = schemes[debit.scheme];
  const bankCodeOf = (code: DeclineCode) =>
    Object.entries(scheme.returnCodes).find(([, reason]) => reason === code)?.[0] ?? null;
  const accepted = { kind: 'accepted' as const, resultAt: resultAt(scheme, debit.chargeDate) };
  const dishonoured = (code: DeclineCode): DebitCourse => {
    const bankCode = bankCodeOf(code);
    const dishonour = { ...declined(code), ...(bankCode === null ? {} : { bankCode }) };
    return { ...accepted, dishonour, returned: null };
  };
  const takenBack = (code: DeclineCode, kind: 'lateDishonour' | 'dispute'): DebitCourse => {
    const at = sandboxReturnAt(scheme, kind, resultDate(scheme, debit.chargeDate));
    return {
      ...accepted,
      dishonour: null,
      returned: { code, message: declineMessage(code), bankCode: bankCodeOf(code), at },
    };
  };
  switch (word) {
    case 'settled':
      return { ...accepted, dishonour: null, returned: null };
    case 'late_dishonour':
      return takenBack('insufficient_funds', 'lateDishonour');
    case 'disputed':
      return takenBack('debit_disputed', 'dispute');
    case 'dishonoured':
      return dishonoured('insufficient_funds');
    case 'mandate_canceled':
      return dishonoured('payment_stopped');
    default:
      return dishonoured(word);
  }
}
