import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Currency, MetadataWith, nullable, optional, Reference, StatementText, Strict, withRule } from './common.ts';
import { dueAt, withExamples } from './examples.ts';
import { type FieldError, fieldError } from './field-errors.ts';
import { LinkMode } from './payment-link.ts';
import { Unpaid } from './subscription-input.ts';

const LinkAmount = (description: string) => Type.Integer({ minimum: 200, maximum: 99_999_999, description });

const AmountRangeInput = Strict(
  {
    min: LinkAmount('The least, minor units.'),
    max: LinkAmount('The most, minor units.'),
    suggested: Type.Optional(
      Type.Array(LinkAmount('Minor units.'), { maxItems: 5, description: 'Up to five amounts to choose from.' }),
    ),
  },
  { title: 'AmountRangeInput' },
);

const wanted = (what: string) =>
  Type.Optional(
    Type.Enum(['required', 'optional', 'no'], {
      title: 'CollectChoice',
      description: `Whether the payer is asked for ${what}.`,
    }),
  );
const CollectInput = Strict(
  { email: wanted('an e-mail address'), name: wanted('a name'), phone: wanted('a phone number') },
  {
    title: 'CollectInput',
    description:
      'What to ask a payer about the person, if there is no `customer_id`. By default name and email are required. ' +
      'A customer is made from it with the first attempt to pay.',
  },
);

const ApplyToInput = Strict(
  {
    payment_plan_id: Type.Optional(Reference('A plan of the customer that has not ended.')),
    subscription_id: Type.Optional(Reference('A subscription of the customer that has not ended.')),
    unpaid: Type.Optional(Unpaid),
  },
  {
    title: 'ApplyToInput',
    minProperties: 1,
    maxProperties: 2,
    description:
      'What a completed payment or setup does: to a plan, or to a subscription. The method becomes its instrument, ' +
      'and is kept. If a failed payment has suspended the plan, it is resumed, and its unpaid payment is tried again ' +
      'at once. A subscription that is pending is started; one that a failed payment has paused is resumed; one that ' +
      'is past due is tried again at once. Name one of them. `unpaid` is for a subscription that is resumed.',
  },
);

/** A URL that a page leads to. */
const PageUrl = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description });

/** What a payer is asked for: the fields that links and sessions have in common. */
export const offerInput = {
  mode: Type.Optional(LinkMode),
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '\\S',
    description: 'What is paid for, as the payer reads it. Shown as text.',
  }),
  description: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'More about it, for the payer.' }),
  ),
  amount: Type.Optional(LinkAmount('Minor units. Either this or `amount_range`; neither in `setup` mode.')),
  amount_range: Type.Optional(AmountRangeInput),
  currency: Type.Optional(Currency),
  customer_id: Type.Optional(Reference('The payer. If this customer is on a test clock, so is the link.')),
  collect: Type.Optional(CollectInput),
  payment_method_types: Type.Optional(
    Type.Array(Type.Enum(['card', 'au_becs_debit'], { title: 'PayableMethodType' }), {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: 'How can be paid. By default `card`. `au_becs_debit` needs AUD, also for the subject of `apply_to`.',
    }),
  ),
  save_payment_method: Type.Optional(
    Type.Enum(['no', 'offer', 'always'], {
      title: 'SavePaymentMethod',
      description: 'Whether the method is kept for later payments. By default `no`; in `setup` mode always `always`.',
    }),
  ),
  make_default: Type.Optional(
    Type.Boolean({
      description:
        'For `setup` mode: the method that is saved becomes the `default_payment_method` of the customer, and the page ' +
        'says so. Needs the scope `customers:write`. By default the page has a box for it, if the key has this scope.',
    }),
  ),
  apply_to: Type.Optional(ApplyToInput),
  surcharge_applied: Type.Optional(
    Type.Boolean({ description: 'Asks for the fee on top of the amount, where the rules on surcharges allow it.' }),
  ),
  tax_included: Type.Optional(
    Type.Boolean({
      description: 'Whether the amount includes the tax of the account, if it has one. True by default.',
    }),
  ),
  statement_descriptor: Type.Optional(
    StatementText({
      minLength: 1,
      maxLength: 22,
      description: 'What the payer’s statement shows. By default that of the account.',
    }),
  ),
  metadata: Type.Optional(
    MetadataWith('For your own use. Copied to the payment intents, so that `_sandbox_outcome` chooses their outcomes.'),
  ),
  success_url: Type.Optional(
    PageUrl('Where the last page leads after success; `{CHECKOUT_SESSION_ID}` is filled in. https in live mode.'),
  ),
  cancel_url: Type.Optional(PageUrl('Where the page leads a payer who leaves. https in live mode.')),
};

/** Returns the field errors of an offer that need more than one of its fields. */
export function offerErrors(body: Record<string, unknown>): FieldError[] {
  const { mode = 'payment', amount, amount_range: range, currency, customer_id: customerId } = body;
  const errors: FieldError[] = [];
  const add = (path: string, code: Parameters<typeof fieldError>[1], message: string) =>
    errors.push(fieldError(path, code, message));
  if (mode === 'setup') {
    if (amount !== undefined) add('/amount', 'invalid_value', 'A setup link takes no money. Leave out amount.');
    if (range !== undefined) {
      add('/amount_range', 'invalid_value', 'A setup link takes no money. Leave out amount_range.');
    }
    if (body.save_payment_method !== undefined && body.save_payment_method !== 'always') {
      add('/save_payment_method', 'invalid_value', 'A setup link always saves the method.');
    }
  } else {
    if ((amount === undefined) === (range === undefined)) {
      add('/amount', 'amount_or_range', 'Send either amount or amount_range.');
    }
    if (currency === undefined) add('/currency', 'parameter_missing', 'currency is required.');
    if (body.make_default === true) {
      add('/make_default', 'invalid_value', 'Only a setup link makes the method the default. Leave out make_default.');
    }
  }
  if (typeof range === 'object' && range !== null) errors.push(...rangeErrors({ ...range }));
  if (customerId !== undefined && body.collect !== undefined) {
    add('/collect', 'invalid_value', 'The customer is known by customer_id. Leave out collect.');
  }
  if (customerId === undefined && body.apply_to !== undefined) {
    add('/customer_id', 'parameter_missing', 'apply_to needs the customer_id of the plan or subscription.');
  }
  errors.push(...applyToErrors(body.apply_to));
  const types: unknown = body.payment_method_types;
  if (Array.isArray(types) && types.includes('au_becs_debit') && (mode === 'payment' || currency !== undefined)) {
    if (currency !== 'AUD') {
      const message = 'A bank account is debited in AUD only. Leave out au_becs_debit, or use AUD.';
      add('/payment_method_types', 'method_currency_mismatch', message);
    }
  }
  return errors;
}

function applyToErrors(applyTo: unknown): FieldError[] {
  if (typeof applyTo !== 'object' || applyTo === null) return [];
  const hasPlan = 'payment_plan_id' in applyTo;
  const hasSubscription = 'subscription_id' in applyTo;
  if (hasPlan === hasSubscription) {
    return [fieldError('/apply_to', 'invalid_value', 'Name either payment_plan_id or subscription_id.')];
  }
  if (hasSubscription || !('unpaid' in applyTo)) return [];
  const message = 'unpaid is for a subscription. What a plan has not collected stays owed. Leave it out.';
  return [fieldError('/apply_to/unpaid', 'invalid_value', message)];
}

function rangeErrors({ min, max, suggested }: Record<string, unknown>): FieldError[] {
  if (typeof min !== 'number' || typeof max !== 'number') return [];
  if (min > max) return [fieldError('/amount_range/min', 'out_of_range', 'min must not be above max.')];
  if (!Array.isArray(suggested)) return [];
  return suggested.flatMap((amount: unknown, index) =>
    typeof amount === 'number' && (amount < min || amount > max)
      ? [fieldError(`/amount_range/suggested/${index}`, 'out_of_range', 'A suggested amount must be from min to max.')]
      : [],
  );
}

const expiresAt = Type.String({
  format: 'date-time',
  description: 'When it expires: after now, at most 366 days ahead, both in the customer’s time.',
});
const reference = Type.String({ minLength: 1, maxLength: 255, description: 'Your own reference, to find it by.' });

export const PaymentLinkCreate = withExamples(
  withRule(
    Strict(
      {
        ...offerInput,
        reference: Type.Optional(reference),
        max_payments: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
            description: 'How many payments it takes. By default 1; null for any number.',
          }),
        ),
        expires_at: Type.Optional(Type.Union([expiresAt, Type.Null()])),
      },
      { title: 'PaymentLinkCreate' },
    ),
    offerErrors,
  ),
  {
    invoice: {
      summary: 'An invoice of a customer',
      value: {
        name: 'Invoice 1042',
        amount: 2500,
        currency: 'AUD',
        customer_id: exampleId('customer'),
        reference: '1042',
        success_url: 'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      },
    },
    donation: {
      summary: 'A link for many payers, who choose the amount',
      value: {
        name: 'Donation',
        amount_range: { min: 500, max: 100000, suggested: [1000, 2500, 5000] },
        currency: 'EUR',
        max_payments: null,
      },
    },
    newCard: {
      summary: 'A new card for a plan',
      value: {
        mode: 'setup',
        name: 'Update your card',
        customer_id: exampleId('customer'),
        apply_to: { payment_plan_id: exampleId('payment_plan') },
      },
    },
  },
);
export type PaymentLinkCreate = Static<typeof PaymentLinkCreate>;

const changeable = {
  description: Type.String({ minLength: 1, maxLength: 500, description: 'More about it, for the payer.' }),
  reference,
  expires_at: expiresAt,
  success_url: PageUrl('Where the last page leads after success.'),
  cancel_url: PageUrl('Where the page leads a payer who leaves.'),
};

export const PaymentLinkUpdate = withExamples(
  Strict(
    {
      ...optional({ name: offerInput.name, metadata: MetadataWith('For your own use. It replaces all pairs.') }),
      ...optional(nullable(changeable)),
    },
    { title: 'PaymentLinkUpdate' },
  ),
  {
    later: { summary: 'It expires later', value: { expires_at: dueAt } },
    never: { summary: 'It no longer expires', value: { expires_at: null } },
  },
);
export type PaymentLinkUpdate = Static<typeof PaymentLinkUpdate>;

export const PaymentLinkRenew = withExamples(
  Strict(
    {
      expires_at: Type.Optional(
        Type.Union([expiresAt, Type.Null()], {
          description: 'The new `expires_at`; null for none. Required if the old one has passed.',
        }),
      ),
    },
    { title: 'PaymentLinkRenew' },
  ),
  { later: { summary: 'Until a later date', value: { expires_at: dueAt } } },
);
export type PaymentLinkRenew = Static<typeof PaymentLinkRenew>;
