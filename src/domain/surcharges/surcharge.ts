import type { PlainDate } from '../calendar.ts';
import type { BasisPoints, MinorUnits } from '../units.ts';
import { type Costs, costKeyOf } from './costs.ts';
import { type Means, networks } from './means.ts';
import { holdsOn, rulesAbout, type SurchargeRule, surchargeRules, type Verdict } from './rules.ts';

/** Why a surcharge that was asked for is not taken, or not in full. */
export type SurchargeReason = 'not_allowed' | 'capped';

/** What a surcharge depends on: the biller's mode and country, and what it has stated. */
export interface SurchargeTerms {
  livemode: boolean;
  /** ISO 3166-1 alpha-2. Null if the biller has stated none. */
  country: string | null;
  costs: Costs;
}

export interface SurchargedPayment {
  amount: MinorUnits;
  /** What the biller asks for: its fee. */
  fee: MinorUnits;
  /** On the biller's calendar. */
  date: PlainDate;
  /** How it is paid. Null while that is unknown. */
  means: Means | null;
}

/** What a surcharge comes to. `reason` is null if the whole fee is taken. */
export interface Surcharge {
  verdict: Verdict;
  amount: MinorUnits;
  reason: SurchargeReason | null;
}

const basisPointsPerWhole = 10_000;

/**
 * Whether the table of rules decides. In the sandbox a biller without a country has none: its surcharges are as the
 * contract has them. In live mode a missing country forbids.
 */
export function isGoverned({ livemode, country }: Pick<SurchargeTerms, 'livemode' | 'country'>): boolean {
  return livemode || country !== null;
}

/**
 * Returns the surcharge of a payment whose biller asks for one. The strictest network of a card decides. While it is
 * unknown how the payer pays, it is the most that any way to pay may carry, so that no less is shown than is taken.
 */
export function surchargeOf(terms: SurchargeTerms, payment: SurchargedPayment): Surcharge {
  if (!isGoverned(terms)) return { verdict: 'allowed', amount: payment.fee, reason: null };
  const { means } = payment;
  if (means !== null) return ofMeans(terms, payment, means);
  const ways = knownMeans(terms).map((way) => ofMeans(terms, payment, way));
  return ways.reduce((most, way) => (way.amount > most.amount ? way : most), notAllowed);
}

const notAllowed: Surcharge = { verdict: 'forbidden', amount: 0, reason: 'not_allowed' };

function ofMeans(terms: SurchargeTerms, payment: SurchargedPayment, means: Means): Surcharge {
  const known = means.networks.length === 0 ? [null] : means.networks;
  return known
    .map((network) => {
      const { verdict, cost } = verdictOn(terms, { ...means, network }, payment.date);
      return withVerdict(verdict, cost, payment);
    })
    .reduce((least, other) => (other.amount < least.amount ? other : least));
}

function withVerdict(verdict: Verdict, cost: BasisPoints | null, { amount, fee }: SurchargedPayment): Surcharge {
  if (verdict === 'forbidden') return notAllowed;
  // Without a stated cost it is the fee: what this payment costs the biller here.
  const most = verdict === 'allowed' || cost === null ? fee : capOf(amount, cost);
  return most < fee ? { verdict, amount: most, reason: 'capped' } : { verdict, amount: fee, reason: null };
}

/** Returns the part of an amount that costs it at most. It is rounded down. */
function capOf(amount: MinorUnits, cost: BasisPoints): MinorUnits {
  return Math.floor((amount * cost) / basisPointsPerWhole);
}

/** Returns what holds for one way to pay on a date, and the cost that the biller has stated for it. */
export function verdictOn(
  { country, costs }: SurchargeTerms,
  means: Parameters<typeof rulesAbout>[1],
  date: PlainDate,
): { verdict: Verdict; cost: BasisPoints | null } {
  const key = costKeyOf(means);
  const cost = key === null ? null : (costs[key] ?? null);
  const found = country === null ? [] : rulesAbout(country, means, date);
  const verdicts = found.map((rule) => verdictOf(rule, cost));
  const [strictest = 'forbidden'] = verdicts.toSorted((a, b) => severity[b] - severity[a]);
  return { verdict: strictest, cost };
}

const severity: Readonly<Record<Verdict, number>> = { allowed: 0, at_most_cost: 1, forbidden: 2 };

function verdictOf({ verdict, needsStatedCost }: SurchargeRule, cost: BasisPoints | null): Verdict {
  return needsStatedCost && cost === null ? 'forbidden' : verdict;
}

/** What holds for a way to pay now. Null stands for any; `cost` is null if none is stated or asked. */
export interface HoldingRule extends Pick<SurchargeRule, 'type' | 'network' | 'funding' | 'from' | 'until' | 'source'> {
  verdict: Verdict;
  cost: BasisPoints | null;
}

const rest = { type: null, network: null, funding: null, from: null, until: null, cost: null } as const;

/** Returns what holds on a date for a biller: the rules of its country, and what goes for every other way to pay. */
export function rulesHolding(terms: SurchargeTerms, date: PlainDate): HoldingRule[] {
  if (!isGoverned(terms)) {
    return [{ ...rest, verdict: 'allowed', source: 'The sandbox, for an account without a country.' }];
  }
  const found = surchargeRules.filter((rule) => rule.country === terms.country && holdsOn(rule, date));
  const holding = found.map((rule): HoldingRule => {
    const { type, network, funding, from, until, source } = rule;
    const key = type === null ? null : costKeyOf({ type, network });
    const cost = key === null || rule.verdict !== 'at_most_cost' ? null : (terms.costs[key] ?? null);
    return { type, network, funding, from, until, source, verdict: verdictOf(rule, cost), cost };
  });
  if (holding.some(({ type }) => type === null)) return holding;
  const source =
    terms.country === null
      ? 'The country of the account is not known, so nothing is added.'
      : 'No rule is known for any other way to pay, so nothing is added.';
  return [...holding, { ...rest, verdict: 'forbidden', source }];
}

/** Each way to pay that a rule about the country names. */
function knownMeans({ country }: SurchargeTerms): Means[] {
  return surchargeRules.flatMap((rule) => {
    if (rule.country !== country || rule.type === null) return [];
    const { type, network, funding } = rule;
    return [{ type, funding, networks: network === null ? [] : networks.filter((name) => name === network) }];
  });
}
