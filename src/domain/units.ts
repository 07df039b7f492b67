/**
 * A number of one unit. A plain number, and so a sum, compiles as any unit; a number of one unit does not compile as
 * another.
 */
type NumberOf<Unit extends string> = number & { readonly unit?: Unit };

/** An amount of money, such as 2500 for 25.00 AUD or for 2500 JPY. */
export type MinorUnits = NumberOf<'minor units'>;

/** Hundredths of a percent. */
export type BasisPoints = NumberOf<'basis points'>;

export type Percent = NumberOf<'percent'>;

export type Days = NumberOf<'days'>;

export type Milliseconds = NumberOf<'milliseconds'>;

/** The place of a payment in a plan, from 0. */
export type SlotNumber = NumberOf<'slot'>;

/** The place of a period in a subscription, from 1. */
export type PeriodNumber = NumberOf<'period'>;
