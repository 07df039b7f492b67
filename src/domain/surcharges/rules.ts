// Where the law allows a surcharge. Each row has its source. What was read of these sources, and what was not, is in
// docs/api/16-surcharges.md. A change of a law is a new row here, and no change of code.
import type { PlainDate } from '../calendar.ts';
import type { Funding, MethodType, Network } from './means.ts';

/** `at_most_cost`: the biller may pass on what it costs to accept the method, and no more. */
export type Verdict = 'allowed' | 'at_most_cost' | 'forbidden';

/** One row. Null stands for any, for "since ever" and for "until further notice". */
export interface SurchargeRule {
  /** Of the biller: ISO 3166-1 alpha-2. */
  country: string;
  type: MethodType | null;
  /** Of a card. */
  network: Network | null;
  funding: Funding | null;
  /** The first date on which it holds. */
  from: PlainDate | null;
  /** The first date on which it no longer holds. */
  until: PlainDate | null;
  verdict: Verdict;
  /** The verdict `at_most_cost` holds only once the biller has stated its cost. Until then it is `forbidden`. */
  needsStatedCost: boolean;
  source: string;
}

const end = '2026-10-01';
const standard =
  'Reserve Bank of Australia, Standard No. 3 of 2016: a surcharge on these cards is at most the cost of acceptance.';
const ban =
  'Reserve Bank of Australia, end of surcharges on eftpos, Visa and Mastercard (debit, prepaid and credit) on 1 October 2026, as law firms and the trade press report it.';
const outside = 'Outside the ban of 1 October 2026, as the same reports say; kept to the cost out of caution.';
const directive =
  'Directive (EU) 2015/2366, Article 62(4), with Regulation (EU) 2015/751. Kinds outside it are refused too: a member state may forbid them.';
const regulations =
  'Consumer Rights (Payment Surcharges) Regulations 2012, as amended by the Payment Services Regulations 2017.';

const any = { type: null, network: null, funding: null, from: null, until: null, needsStatedCost: false } as const;

const australianCards = (['eftpos', 'mastercard', 'visa'] as const).flatMap((network): SurchargeRule[] => {
  const cards = { ...any, country: 'AU', type: 'card', network } as const;
  return [
    { ...cards, until: end, verdict: 'at_most_cost', source: standard },
    { ...cards, from: end, verdict: 'forbidden', source: ban },
  ];
});

/** The member states of the European Union. */
// biome-ignore format: a list of countries
const memberStates = [
  'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU', 'LV',
  'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK',
];

/** The day from which both the directive and the British regulations apply. */
const sameDay = '2018-01-13';

export const surchargeRules: readonly SurchargeRule[] = [
  ...australianCards,
  { ...any, country: 'AU', type: 'card', network: 'amex', verdict: 'at_most_cost', source: outside },
  ...(['au_becs_debit', 'paypal'] as const).map(
    (type): SurchargeRule => ({
      ...any,
      country: 'AU',
      type,
      verdict: 'at_most_cost',
      needsStatedCost: true,
      source: outside,
    }),
  ),
  ...memberStates.map(
    (country): SurchargeRule => ({ ...any, country, from: sameDay, verdict: 'forbidden', source: directive }),
  ),
  { ...any, country: 'GB', from: sameDay, verdict: 'forbidden', source: regulations },
];

/** Whether a rule holds on a date. */
export function holdsOn({ from, until }: Pick<SurchargeRule, 'from' | 'until'>, date: PlainDate): boolean {
  return (from === null || from <= date) && (until === null || date < until);
}

/**
 * Returns the rules about one way to pay that hold on a date. `network` and `funding` are null if unknown. An unknown
 * funding is every funding; an unknown network is none: only a rule about all networks is about it.
 */
export function rulesAbout(
  country: string,
  means: { type: MethodType; network: Network | null; funding: Funding | null },
  date: PlainDate,
): SurchargeRule[] {
  return surchargeRules.filter(
    (rule) =>
      rule.country === country &&
      (rule.type === null || rule.type === means.type) &&
      (rule.network === null || rule.network === means.network) &&
      (rule.funding === null || means.funding === null || rule.funding === means.funding) &&
      holdsOn(rule, date),
  );
}
