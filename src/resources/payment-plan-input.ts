import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import {
  Currency,
  LocalDate,
  MetadataWith,
  nullable,
  optional,
  Reference,
  Strict,
  Unchangeable,
  withRule,
} from './common.ts';
import { withExamples } from './examples.ts';
import { type FieldError, fieldError } from './field-errors.ts';

const PlanAmount = (description: string) => Type.Integer({ minimum: 1, maximum: 99_999_999, description });

/** Must be given at creation. */
export const requiredFields = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'A label.' }),
  frequency_type: Type.Enum(['weekly', 'monthly'], {
    title: 'PlanFrequency',
    description: 'Whether payments are weeks or months apart. Daily plans are not possible.',
  }),
  recurring_amount_cents: PlanAmount(
    'The amount of each payment, minor units. The limits of payment intents (200 and 100000) do not apply.',
  ),
  currency: Currency,
  start_date: LocalDate(
    'The date of the first payment (slot 0). Slot n is due n intervals later, always counted from this date: 31 ' +
      'January is followed by 28 or 29 February, then by 31 March. A payment is due at 00:00 of its date in the ' +
      'account’s time zone. Not in the past.',
  ),
};

/** May be left out at creation; each has a default. */
export const defaultedFields = {
  frequency_period: Type.Integer({
    minimum: 1,
    maximum: 520,
    description: 'How many weeks or months are between payments. Weekly with 2 is fortnightly. By default 1.',
  }),
  until_further_notice: Type.Boolean({ description: 'True for a plan without a total.' }),
  failure_behaviour: Type.Enum(['retry', 'stop'], {
    title: 'FailureBehaviour',
    description:
      'What happens after a failed payment. `retry`, the default: the same payment intent is charged again 1, 3 ' +
      'and 5 days after its first failure, a card at the same time of day in the account’s time zone. Later payments keep ' +
      'their dates. The plan becomes `suspended` when ' +
      'all retries have failed, or at once if the decline is final (`card_declined`, `expired_card`, `authentication_required`, ' +
      '`payment_method_unavailable`, `processor_rejected`). `stop`: the plan becomes `suspended` at the first failure.',
  }),
  tax_included: Type.Boolean({
    description:
      'Whether the amounts include the tax of the account, if it has one. True by default. It holds from the next ' +
      'payment on.',
  }),
  metadata: MetadataWith(
    'For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome` chooses their outcomes.',
  ),
};

/** May be left out at creation, and cleared by null later. */
const clearableFields = {
  first_amount_cents: PlanAmount('The amount of the first payment only, minor units.'),
  total_amount_cents: PlanAmount(
    'The sum to collect, minor units. The last payment is cut to what remains, and closes the plan. Send either ' +
      'this or `until_further_notice: true`.',
  ),
  first_date: LocalDate(
    'The date of the first payment instead of start_date. It must be before the second payment. All others are ' +
      'still counted from start_date.',
  ),
  payment_instrument_id: Reference(
    'The method to charge. By default the customer’s default method at the time of each charge; there must be ' +
      'one now.',
  ),
};

/** A plan has either a total or `until_further_notice`. Returns a field error unless it has exactly one of them. */
export function totalErrors({ hasTotal, isOpenEnded }: { hasTotal: boolean; isOpenEnded: boolean }): FieldError[] {
  if (hasTotal !== isOpenEnded) return [];
  const message = isOpenEnded
    ? 'A plan has either total_amount_cents or until_further_notice: true, not both.'
    : 'Either total_amount_cents or until_further_notice: true must be set.';
  return [fieldError('/total_amount_cents', 'total_or_until_further_notice', message)];
}

const CreateFields = Strict(
  {
    customer_id: Reference('The customer to charge.'),
    ...requiredFields,
    ...optional(defaultedFields),
    ...optional(clearableFields),
  },
  { title: 'PaymentPlanCreate' },
);
const withRules = withRule(CreateFields, (body) =>
  totalErrors({ hasTotal: body.total_amount_cents != null, isOpenEnded: body.until_further_notice === true }),
);
const weekly = {
  customer_id: exampleId('customer'),
  frequency_type: 'weekly',
  recurring_amount_cents: 2500,
  currency: 'AUD',
  start_date: '2027-01-11',
} as const;
export const PaymentPlanCreate = withExamples(withRules, {
  capped: {
    summary: 'Weekly, up to a total',
    value: { ...weekly, name: 'Weekly membership', total_amount_cents: 130000 },
  },
  open: {
    summary: 'Fortnightly until further notice, with a larger first payment',
    value: {
      ...weekly,
      name: 'Fortnightly membership',
      frequency_period: 2,
      first_amount_cents: 7500,
      until_further_notice: true,
    },
  },
});
export type PaymentPlanCreate = Static<typeof PaymentPlanCreate>;

export const PaymentPlanUpdate = withExamples(
  Strict(
    {
      customer_id: Type.Optional(Unchangeable),
      ...optional(requiredFields),
      ...optional(defaultedFields),
      ...optional(nullable(clearableFields)),
    },
    { title: 'PaymentPlanUpdate' },
  ),
  { amount: { summary: 'Another amount, from the next payment on', value: { recurring_amount_cents: 3000 } } },
);
export type PaymentPlanUpdate = Static<typeof PaymentPlanUpdate>;
