/** The currencies of payment intents and plans, ISO 4217 in upper case (contract: `currency` of a payment intent). */
export const currencies = ['USD', 'AUD', 'NZD', 'EUR', 'GBP', 'JPY'] as const;

export type Currency = (typeof currencies)[number];

/** Whether `value` is one of the six currencies, in upper case (decisions: currency of a plan). Never throws. */
export function isCurrency(value: string): value is Currency {
  return currencies.some((currency) => currency === value);
}
