import { brandOf } from '../cards.ts';

/** The card networks that a rule about surcharges may name. */
export const networks = ['amex', 'diners', 'discover', 'eftpos', 'jcb', 'mastercard', 'visa'] as const;
export type Network = (typeof networks)[number];

export const fundings = ['credit', 'debit', 'prepaid'] as const;
export type Funding = (typeof fundings)[number];

export const methodTypes = ['card', 'au_becs_debit', 'klarna', 'pay_id', 'paypal'] as const;
export type MethodType = (typeof methodTypes)[number];

/** A way to pay, as far as a rule about surcharges asks. */
export interface Means {
  type: MethodType;
  /** Every network that the card may run on: two for a co-branded card. Empty if unknown, and for other types. */
  networks: readonly Network[];
  /** Null if unknown. */
  funding: Funding | null;
}

/** What is stored of a payment method that says how it pays. */
export interface MethodFacts {
  instrument: {
    type: MethodType;
    instrument_data: { card_bin?: string; card_networks?: Network[]; card_funding?: Funding } | object;
  };
  /** The brand of the test card, the one that the biller named, or that of the BIN. */
  brand: string | null;
}

/** The first four digits of the Mastercard range that was added in 2016. */
const newMastercards = { first: 2221, last: 2720 };

const namedBrands: readonly (readonly [pattern: RegExp, network: Network])[] = [
  [/\bvisa\b/, 'visa'],
  [/\bmaster ?card\b/, 'mastercard'],
  [/\b(amex|american express)\b/, 'amex'],
  [/\beftpos\b/, 'eftpos'],
  [/\bdiners\b/, 'diners'],
  [/\bdiscover\b/, 'discover'],
  [/\bjcb\b/, 'jcb'],
];

/**
 * Returns the network of the leading digits of a card number, at least four. Null if no range is known. It knows more
 * of Mastercard than `brandOf`. Its prefixes are the contract's: 51 to 55, and 2221 to 2720.
 */
export function networkOfBin(digits: string): Network | null {
  if (!/^\d{4,}$/.test(digits)) return null;
  const four = Number(digits.slice(0, 4));
  const isMastercard = (four >= 5100 && four <= 5599) || (four >= newMastercards.first && four <= newMastercards.last);
  return isMastercard ? 'mastercard' : networkOfBrand(brandOf(digits) ?? '');
}

/** Returns the network that a brand names, such as "American Express". Null if it names none that is known. */
export function networkOfBrand(brand: string): Network | null {
  const text = brand.toLowerCase().replaceAll(/[\s_-]+/g, ' ');
  return namedBrands.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/**
 * Returns how a stored method pays. A card runs on every network that its BIN, its brand or its biller names: a card
 * from a wallet, or one of a token of another vault, has none if all three are missing.
 */
export function meansOf({ instrument: { type, instrument_data: data }, brand }: MethodFacts): Means {
  if (type !== 'card') return { type, networks: [], funding: null };
  const {
    card_bin: bin,
    card_networks: named = [],
    card_funding: funding,
  } = data as {
    card_bin?: string;
    card_networks?: Network[];
    card_funding?: Funding;
  };
  const found = [...named, networkOfBrand(brand ?? ''), bin === undefined ? null : networkOfBin(bin)];
  const known = networks.filter((network) => found.includes(network));
  return { type, networks: known, funding: funding ?? null };
}
