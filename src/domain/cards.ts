import { type ChargeOutcome, declined } from './charge-outcome.ts';

/** A sandbox test card. A payment method that is saved from its token always has this `outcome` when it is charged. */
export interface FixtureCard {
  readonly token: string;
  readonly brand: string;
  readonly last4: string;
  readonly outcome: Readonly<ChargeOutcome>;
}

/**
 * The fixture tokens, brands and last digits (contract: Fixture tokens; an expired card is additive). The contract's
 * fixture table says "Amex", its brand detection "American Express". Both are API values, so each stays as the contract
 * has it.
 */
export const fixtureCards: readonly FixtureCard[] = [
  { token: 'tok_sandbox_visa_succeed', brand: 'Visa', last4: '4242', outcome: { kind: 'succeeded' } },
  {
    token: 'tok_sandbox_visa_decline_insufficient_funds',
    brand: 'Visa',
    last4: '0002',
    outcome: declined('insufficient_funds'),
  },
  {
    // A lost card is reported as the coarse category (decisions: Decline codes).
    token: 'tok_sandbox_visa_decline_card_lost',
    brand: 'Visa',
    last4: '9987',
    outcome: declined('card_declined'),
  },
  {
    // Not in the contract's table (additive).
    token: 'tok_sandbox_visa_decline_expired_card',
    brand: 'Visa',
    last4: '0069',
    outcome: declined('expired_card'),
  },
  { token: 'tok_sandbox_visa_3ds_required', brand: 'Visa', last4: '3155', outcome: { kind: 'requires_action' } },
  { token: 'tok_sandbox_visa_timeout', brand: 'Visa', last4: '0119', outcome: declined('gateway_timeout') },
  { token: 'tok_sandbox_mastercard_succeed', brand: 'Mastercard', last4: '4444', outcome: { kind: 'succeeded' } },
  { token: 'tok_sandbox_amex_succeed', brand: 'Amex', last4: '8431', outcome: { kind: 'succeeded' } },
];

/** The contract's prefixes. No number matches two of them, so their order does not matter. */
const brandPrefixes: readonly (readonly [prefix: string, brand: string])[] = [
  ['4', 'Visa'],
  ['5155', 'Mastercard'],
  ['34', 'American Express'],
  ['37', 'American Express'],
  ['6011', 'Discover'],
  ['65', 'Discover'],
  ['36', 'Diners Club'],
  ['38', 'Diners Club'],
  ['35', 'JCB'],
];

const digitsPattern = /^\d+$/;

/**
 * Returns the fixture card of a `token_metadata.token`, or null if unknown (contract: Fixture tokens). Never throws.
 */
export function findFixtureCard(token: string): FixtureCard | null {
  return fixtureCards.find((card) => card.token === token) ?? null;
}

/**
 * Returns the brand for the leading digits of a card number; a BIN is enough (contract: Card brand detection). Null
 * when no prefix matches, or when the text is not all digits. Never throws.
 */
export function brandOf(digits: string): string | null {
  if (!digitsPattern.test(digits)) return null;
  const found = brandPrefixes.find(([prefix]) => digits.startsWith(prefix));
  return found?.[1] ?? null;
}
