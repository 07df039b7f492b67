/** The currencies of payment intents and plans, ISO 4217 in upper case (contract: `currency` of a payment intent). */
export const currencies = ['USD', 'AUD', 'NZD', 'EUR', 'GBP', 'JPY'] as const;

export type Currency = (typeof currencies)[number];
