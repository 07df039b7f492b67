import Type, { type Static } from 'typebox';
import type { RefundRow } from '../db/refunds.ts';
import type { SubscriptionChangeRow } from '../db/subscription-changes.ts';
import type { ShownSubscriptionRow } from '../db/subscriptions.ts';
import { exampleId } from '../domain/ids.ts';
import type { Quote } from '../domain/subscriptions/changes.ts';
import { ListOf, MetadataWith, Nullable, present, Strict, Timestamp } from './common.ts';
import { example, madeAt, withExamples } from './examples.ts';
import { presentRefund, Refund, refundExample } from './refund.ts';
import {
  presentSubscription,
  Subscription,
  SubscriptionItem,
  SubscriptionPeriodLine,
  subscriptionExample,
} from './subscription.ts';
import { requiredTerms } from './subscription-input.ts';

export const SubscriptionChange = withExamples(
  Strict(
    {
      items: requiredTerms.items,
      when: Type.Optional(
        Type.Enum(['now', 'period_end'], {
          description: '`period_end`, the default: from the next period on. `now`: from now on.',
        }),
      ),
      proration: Type.Optional(
        Type.Enum(['days', 'none'], {
          description:
            'What a change now costs. `days`, the default: the days that are left, this day included, are credited at ' +
            'the price before and charged at the new one. `none`: nothing; the next period takes the new price.',
        }),
      ),
      collect: Type.Optional(
        Type.Enum(['now', 'next_period'], {
          description:
            'When a change now is paid. `next_period`, the default: the next period takes it. `now`: it is charged at ' +
            'once, and made when that has succeeded.',
        }),
      ),
      expected_amount_cents: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 99_999_999,
          description: 'The `amount_cents` of your quote. If the change costs another amount now, nothing changes.',
        }),
      ),
      dry_run: Type.Optional(Type.Boolean({ description: 'Only return what the change costs.' })),
    },
    { title: 'SubscriptionChange' },
  ),
  {
    quote: {
      summary: 'What two more seats would cost now',
      value: {
        items: [{ name: 'Seats', unit_amount_cents: 1500, quantity: 7 }],
        when: 'now',
        collect: 'now',
        dry_run: true,
      },
    },
    now: {
      summary: 'Two more seats from now on, paid with the next period',
      value: { items: [{ name: 'Seats', unit_amount_cents: 1500, quantity: 7 }], when: 'now' },
    },
    later: {
      summary: 'Another price from the next period on',
      value: { items: [{ name: 'Membership', unit_amount_cents: 3900 }] },
    },
  },
);
export type SubscriptionChange = Static<typeof SubscriptionChange>;

export const SubscriptionChangeResult = Strict(
  {
    lines: Type.Array(SubscriptionPeriodLine, {
      description:
        'What the change costs and credits. If it is paid now, their sum is `amount_cents`: what earlier changes have left ' +
        'for the next period and the credit balance are among them.',
    }),
    amount_cents: Type.Integer({ description: 'What the change takes now, without surcharge, minor units.' }),
    next_period_amount_cents: Type.Integer({
      description: 'What the next period takes, without surcharge, minor units. 0 if none is to come.',
    }),
    subscription: Subscription,
    valid_until: { ...Timestamp, description: 'The same request gets this quote until then: the end of the day.' },
  },
  { title: 'SubscriptionChangeResult' },
);
export type SubscriptionChangeResult = Static<typeof SubscriptionChangeResult>;

const seats = [{ id: exampleId('subscription_item'), name: 'Seats', unit_amount_cents: 1500, quantity: 7 }];
const lines = [
  { kind: 'credit', description: 'Seats: 18 of 31 days not used', quantity: 5, amount_cents: -4355 },
  { kind: 'proration', description: 'Seats: 18 of 31 days', quantity: 7, amount_cents: 6097 },
] as const;

example(SubscriptionChangeResult, {
  lines: [...lines],
  amount_cents: 1742,
  next_period_amount_cents: 10500,
  subscription: { ...subscriptionExample, items: [...seats] },
  valid_until: '2027-01-25T00:00:00.000Z',
});

/** What a change costs, with its subscription, as the API shows it. */
export function presentChange(quote: Quote, subscription: ShownSubscriptionRow): SubscriptionChangeResult {
  return present(SubscriptionChangeResult, {
    lines: quote.lines,
    amount_cents: quote.amount,
    next_period_amount_cents: quote.nextPeriodAmount,
    valid_until: quote.validUntil,
    subscription: presentSubscription(subscription),
  });
}

export const CanceledSubscription = Strict(
  {
    ...Subscription.properties,
    quote: Nullable(
      Strict(
        {
          lines: SubscriptionChangeResult.properties.lines,
          credit_cents: Type.Integer({ description: 'What becomes credit, minor units.' }),
          valid_until: SubscriptionChangeResult.properties.valid_until,
        },
        { title: 'SubscriptionUnusedQuote' },
      ),
      { description: 'With `unused: credit`, what the days are worth that are left; otherwise null.' },
    ),
  },
  { title: 'CanceledSubscription' },
);
export type CanceledSubscription = Static<typeof CanceledSubscription>;

/** A subscription that was canceled, with what its unused days are worth. */
export function presentCanceled(quote: Quote | null, subscription: ShownSubscriptionRow): CanceledSubscription {
  const shown = presentSubscription(subscription);
  const { lines: credited = [], validUntil = null } = quote ?? {};
  const credit = credited.reduce((sum, { amount_cents: amount }) => sum - amount, 0);
  const told = validUntil && { lines: credited, credit_cents: credit, valid_until: validUntil.toISOString() };
  return { ...shown, quote: told };
}

const MadeChange = Strict(
  {
    number: Type.Integer({ description: 'From 1.' }),
    period: Type.Integer({ description: 'The period in which it was requested.' }),
    status: Type.Enum(['processing', 'made', 'failed', 'credited'], {
      description:
        '`processing`: its payment is under way. `made`. `failed`: its payment was declined, or another change took its ' +
        'place; nothing has changed. `credited`: it was paid when its period was over or the subscription no longer active; ' +
        'nothing has changed, and the money is credit.',
    }),
    items: Type.Array(SubscriptionItem, { description: 'What it sells from then on.' }),
    lines: Type.Array(SubscriptionPeriodLine, { description: 'What this change alone costs and credits.' }),
    amount_cents: Type.Integer({ description: 'What was charged for it at once, without surcharge, minor units.' }),
    payment_intent_id: Nullable(Type.String(), { description: 'That payment; null if nothing was charged.' }),
    changed_at: { ...Timestamp, description: 'When it was requested.' },
  },
  { title: 'SubscriptionMadeChange' },
);
example(MadeChange, {
  number: 1,
  period: 1,
  status: 'made',
  items: [...seats],
  lines: [...lines],
  amount_cents: 1742,
  payment_intent_id: exampleId('payment_intent'),
  changed_at: madeAt,
});
export const SubscriptionChanges = ListOf(MadeChange);

/** A change as the list of a subscription's changes shows it. */
export function presentSubscriptionChange(row: SubscriptionChangeRow): Static<typeof MadeChange> {
  return present(MadeChange, row);
}

export const CreditRefund = withExamples(
  Strict(
    {
      amount_cents: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999,
          description: 'Minor units, at most `refundable_credit_cents`. That is the default.',
        }),
      ),
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'The reason, in your words.' })),
      metadata: Type.Optional(
        MetadataWith('For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail.'),
      ),
    },
    { title: 'SubscriptionCreditRefund' },
  ),
  { whole: { summary: 'All credit', value: {} } },
);
export type CreditRefund = Static<typeof CreditRefund>;

export const CreditRefunds = Strict(
  {
    ...Refund.properties,
    refunds: Type.Array(Refund, {
      description:
        'All refunds of this request, that of the newest payment first. Each has its own status: if one fails, its part of ' +
        'the credit comes back.',
    }),
  },
  { title: 'SubscriptionCreditRefunds' },
);
export type CreditRefunds = Static<typeof CreditRefunds>;
example(CreditRefunds, { ...refundExample, refunds: [refundExample] });

/** The refunds of a subscription's credit as the API shows them: the first, and all. There is at least one. */
export function presentCreditRefunds(rows: readonly RefundRow[]): CreditRefunds {
  const refunds = rows.map(presentRefund);
  const [newest] = refunds;
  if (newest === undefined) throw new RangeError('credit was refunded without a refund');
  return present(CreditRefunds, { ...newest, refunds });
}
