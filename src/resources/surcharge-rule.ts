import Type, { type Static } from 'typebox';
import type { HoldingRule } from '../domain/surcharges/surcharge.ts';
import { LocalDate, Nullable, Strict } from './common.ts';
import { example } from './examples.ts';
import { CardFunding, CardNetwork, MethodType } from './payment-method.ts';

const SurchargeRule = Strict(
  {
    payment_method_type: Nullable(MethodType, {
      description: 'The type of payment method. Null: every type that no other rule names.',
    }),
    card_network: Nullable(CardNetwork, { description: 'The network of a card; null for any.' }),
    card_funding: Nullable(CardFunding, { description: 'What a card draws on; null for any.' }),
    verdict: Type.Enum(['allowed', 'at_most_cost', 'forbidden'], {
      title: 'SurchargeVerdict',
      description:
        '`allowed`: the fee may be added. `at_most_cost`: at most your cost of acceptance, or the fee if you have ' +
        'stated none. `forbidden`: nothing is added.',
    }),
    cost_of_acceptance_percent: Nullable(Type.Number({ minimum: 0, maximum: 100 }), {
      description: 'What you have stated that it costs you, in percent of the amount. Null if none counts here.',
    }),
    from: Nullable(LocalDate('The first date on which the rule holds.'), {
      description: 'The first date on which the rule holds; null if it has none.',
    }),
    until: Nullable(LocalDate('The first date on which the rule no longer holds.'), {
      description: 'The first date on which the rule no longer holds; null if none is known.',
    }),
    source: Type.String({ description: 'What the rule rests on.' }),
  },
  { title: 'SurchargeRule' },
);

export const SurchargeRules = Strict(
  {
    country: Nullable(Type.String(), {
      description: 'The country of your account, ISO 3166-1 alpha-2; null if an operator has set none.',
    }),
    date: LocalDate('Today in the time zone of your account. The rules are those of this date.'),
    data: Type.Array(SurchargeRule),
    has_more: Type.Boolean({ description: 'Always false: all rules are returned.' }),
  },
  { title: 'SurchargeRules' },
);

example(SurchargeRules, {
  country: 'AU',
  date: '2027-01-06',
  data: [
    {
      payment_method_type: 'card',
      card_network: 'amex',
      card_funding: null,
      verdict: 'at_most_cost',
      cost_of_acceptance_percent: 1.9,
      from: null,
      until: null,
      source: 'Outside the ban of 1 October 2026, as the same reports say; kept to the cost out of caution.',
    },
  ],
  has_more: false,
});

/** A rule as the API shows it. */
export function presentSurchargeRule(rule: HoldingRule): Static<typeof SurchargeRule> {
  return {
    payment_method_type: rule.type,
    card_network: rule.network,
    card_funding: rule.funding,
    verdict: rule.verdict,
    cost_of_acceptance_percent: rule.cost === null ? null : rule.cost / 100,
    from: rule.from,
    until: rule.until,
    source: rule.source,
  };
}
