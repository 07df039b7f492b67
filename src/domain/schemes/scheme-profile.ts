import type { SettlementCalendar } from '../business-days/closed-days.ts';
import type { TimeOfDay } from '../calendar.ts';
import type { DeclineCode } from '../charge-outcome.ts';
import type { Currency } from '../currencies.ts';
import type { Days, MinorUnits } from '../units.ts';

const returnReasons = [
  'insufficient_funds',
  'account_invalid',
  'account_closed',
  'account_holder_deceased',
  'payment_stopped',
  'debit_disputed',
] as const satisfies DeclineCode[];

/** Why a bank refused a debit, or took it back: the decline code of the payment. `dunning.ts` says which are final. */
export type ReturnReason = (typeof returnReasons)[number];

/** What a debit scheme prescribes. Times are on the clock of `timeZone`. */
export interface SchemeProfile {
  /** The only currency of its debits. */
  currency: Currency;
  /** The days on which the scheme takes debits and reports results. */
  calendar: SettlementCalendar;
  /** An IANA zone. */
  timeZone: string;
  /** Debits are handed to the bank at this time. What is accepted at this time or later goes a business day later. */
  cutOff: TimeOfDay;
  /** The bank reports at this time, this many business days after the charge date. */
  result: { time: TimeOfDay; businessDays: Days };
  /** How many business days after the result a debit can still come back. */
  returnWindow: Days;
  /** When the sandbox's bank takes a debit back, in business days after the result. */
  sandboxReturn: { lateDishonour: Days; dispute: Days };
  /** The highest amount of one debit; null for no limit. */
  maxAmount: { live: MinorUnits | null; sandbox: MinorUnits | null };
  /** A mandate lapses after this many months without a debit. */
  mandateMonths: number;
  /** How many days before a debit its payer is told of a change. */
  changeNoticeDays: Days;
  /** The bank's return codes. The scheme has no others that a payer's bank gives. */
  returnCodes: Readonly<Record<string, ReturnReason>>;
}

/** Returns whether a decline comes from the payer's bank. Any other was decided before the bank had the debit. */
export function isReturnReason(code: DeclineCode): code is ReturnReason {
  return returnReasons.some((reason) => reason === code);
}
