import Type from 'typebox';
import { exampleId } from '../../domain/ids.ts';
import { Currency, LocalDate, Nullable, Strict, Timestamp } from '../common.ts';
import { TableOf } from './report.ts';

const Cents = (description: string) => Type.Integer({ description: `${description} Minor units.` });

const Totals = Strict(
  {
    currency: Currency,
    owed_before: Cents('What was owed at `from`.'),
    charged: Cents('What came due, less corrections. A payment by itself is charged when it is collected.'),
    waived: Cents('What was charged and is not asked for any more.'),
    collected: Cents('What was collected, surcharges included.'),
    refunded: Cents('What was given back. It does not change what is owed.'),
    returned: Cents('What the bank took back.'),
    owed: Cents('What was owed at `to`: `owed_before` + `charged` − `waived` − `collected` + `returned`.'),
    tax: Cents('The tax in what was collected, less that in what was refunded and returned.'),
    credit: Cents('What subscriptions owed back at `to`: their `credit_balance_cents` then.'),
  },
  { title: 'StatementTotals' },
);

export const StatementLineRow = Strict({
  date: LocalDate('In the time zone of the statement.'),
  type: Type.Enum(['owed_before', 'charged', 'waived', 'collected', 'refunded', 'returned', 'owed'], {
    title: 'StatementLineType',
    description: 'What moved. The first lines are `owed_before`, the last `owed`, one for each currency.',
  }),
  currency: Currency,
  amount: Cents('How much. Below 0 for a charge that was corrected.'),
  owed: Cents('What is owed after this line.'),
  payment_intent_id: Nullable(Type.String(), { description: 'The payment, if it is one.' }),
  source: Nullable(Type.String(), { description: 'The refund, the payment, the subscription or the plan.' }),
  payment_plan_id: Nullable(Type.String(), { description: 'The plan that it is for.' }),
  subscription_id: Nullable(Type.String(), { description: 'The subscription that it is for.' }),
  name: Nullable(Type.String(), {
    description: 'The name of the plan or the subscription, as it is now; null for a payment by itself.',
  }),
  tax: Nullable(Type.Integer(), {
    description:
      'How much of `amount` is tax, minor units, of what is `collected`, `refunded` and `returned`; null for the others.',
  }),
});

const members = {
  customer_id: Type.String({ description: 'The customer.' }),
  customer_name: Type.String({ description: 'Its name, as it is now.' }),
  customer_reference: Nullable(Type.String(), { description: 'Your reference of it, as it is now.' }),
  from: Timestamp,
  to: Timestamp,
  timezone: Type.String({ description: 'The time zone of the dates.' }),
  totals: Type.Array(Totals, { description: 'One for each currency.' }),
};

const currency = 'AUD';
const nothing = {
  ...{ payment_intent_id: null, source: null, payment_plan_id: null, subscription_id: null },
  ...{ name: null, tax: null },
};
const payment = {
  payment_intent_id: exampleId('payment_intent'),
  source: exampleId('payment_intent'),
  payment_plan_id: exampleId('payment_plan'),
  subscription_id: null,
  name: 'Membership',
  tax: null,
};

export const Statement = TableOf(
  StatementLineRow,
  'Statement',
  {
    customer_id: exampleId('customer'),
    customer_name: 'Ada Lovelace',
    customer_reference: 'M-1042',
    from: '2027-01-01T00:00:00.000Z',
    to: '2027-02-01T00:00:00.000Z',
    timezone: 'UTC',
    totals: [
      {
        ...{ currency, owed_before: 0, charged: 2500, waived: 0, collected: 2500, refunded: 0, returned: 0 },
        ...{ owed: 0, tax: 227, credit: 0 },
      },
    ],
    data: [
      { date: '2027-01-01', type: 'owed_before', currency, amount: 0, owed: 0, ...nothing },
      { date: '2027-01-11', type: 'charged', currency, amount: 2500, owed: 2500, ...payment },
      { date: '2027-01-11', type: 'collected', currency, amount: 2500, owed: 0, ...payment, tax: 227 },
      { date: '2027-02-01', type: 'owed', currency, amount: 0, owed: 0, ...nothing },
    ],
  } as { data: object[] },
  members,
);
