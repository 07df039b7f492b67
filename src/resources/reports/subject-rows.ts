import Type, { type Static } from 'typebox';
import { exampleId } from '../../domain/ids.ts';
import { Currency, LocalDate, Nullable, Strict, Timestamp } from '../common.ts';
import { TableOf } from './report.ts';
import { customer, payer } from './rows.ts';

const Cents = (description: string) => Type.Integer({ description: `${description} Minor units.` });

export const PlanReportRow = Strict({
  type: Type.Enum(['payment_plan', 'subscription'], { description: 'What the row is about.' }),
  id: Type.String({ description: 'The plan or the subscription.' }),
  name: Type.String({ description: 'Its name.' }),
  ...customer,
  state: Type.String({ description: 'Its state now.' }),
  state_reason: Nullable(Type.String(), { description: 'Why it is in this state, if something else than a request.' }),
  currency: Currency,
  charged: Cents('What came due in the range, less corrections.'),
  waived: Cents('What was charged and is not asked for any more.'),
  collected: Cents('What was collected in the range, surcharges included.'),
  refunded: Cents('What was given back in the range.'),
  returned: Cents('What the bank took back in the range.'),
  owed: Cents('What was owed at the end of the range, with what was under way.'),
  tax: Cents('The tax in what was collected, less that in what was refunded and returned.'),
});

export const PlanReport = TableOf(PlanReportRow, 'PlansReport', {
  data: [
    {
      type: 'payment_plan',
      id: exampleId('payment_plan'),
      name: 'Membership',
      ...payer,
      state: 'active',
      state_reason: null,
      currency: 'AUD',
      charged: 10_000,
      waived: 0,
      collected: 7500,
      refunded: 0,
      returned: 0,
      owed: 2500,
      tax: 682,
    },
  ],
});

export const AgingReportRow = Strict({
  ...customer,
  type: Type.Enum(['payment_plan', 'subscription', 'payment_intent'], { description: 'For what it is owed.' }),
  id: Type.String({ description: 'The plan, the subscription, or the payment by itself.' }),
  name: Nullable(Type.String(), { description: 'Its name; null for a payment.' }),
  state: Nullable(Type.String(), { description: 'Its state now; null for a payment.' }),
  currency: Currency,
  owed: Cents('All that is owed of it.'),
  days_0_to_30: Cents('What is late by up to 30 days.'),
  days_31_to_60: Cents('By 31 to 60 days.'),
  days_61_to_90: Cents('By 61 to 90 days.'),
  days_over_90: Cents('By more than 90 days.'),
  late_since: LocalDate('The date on which the oldest failed or came back, in the time zone of the report.'),
  days_late: Type.Integer({ description: 'The days since then.' }),
  next_attempt_at: Nullable(Timestamp, { description: 'When it is tried again by itself; null if it is not.' }),
});

export type AgingReportRow = Static<typeof AgingReportRow>;

export const AgingReport = TableOf(AgingReportRow, 'AgingReport', {
  data: [
    {
      ...payer,
      type: 'payment_plan',
      id: exampleId('payment_plan'),
      name: 'Membership',
      state: 'suspended',
      currency: 'AUD',
      owed: 5000,
      days_0_to_30: 2500,
      days_31_to_60: 2500,
      days_61_to_90: 0,
      days_over_90: 0,
      late_since: '2027-01-11',
      days_late: 45,
      next_attempt_at: null,
    },
  ],
});
