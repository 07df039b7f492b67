import type { MinorUnits } from './units.ts';

/** The currencies of payment intents and plans, ISO 4217 in upper case (contract: `currency` of a payment intent). */
export const currencies = ['USD', 'AUD', 'NZD', 'EUR', 'GBP', 'JPY'] as const;

export type Currency = (typeof currencies)[number];

/**
 * Returns an amount for an operator: "25.00 AUD", "2500 JPY" (ISO 4217: the yen has no minor unit). Payers read amounts
 * in their own locale, never this.
 * @throws RangeError for a currency that is no three letters.
 */
export function inMoney(minorUnits: MinorUnits, currency: string): string {
  const { maximumFractionDigits: digits = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(minorUnits / 10 ** digits).toFixed(digits)} ${currency}`;
}
