import type { PaymentsClient } from '@payments-service/client';
import type { Tracked } from './checks.ts';
import { newCourse, type Terms } from './rules.ts';

interface Customer {
  name: string;
  label: string;
  about: string;
  terms: Terms;
  card: 'good' | 'declining';
}

/** The clock's time at the start: a Monday, and the last day of January of a leap year. */
export const start = Date.UTC(2028, 0, 31, 9);

export const customers: Customer[] = [
  {
    name: 'Ada Monthly',
    label: 'gym',
    about: 'AUD 49.00 on the 31st of each month, without end',
    terms: { every: 'month', period: 1, start: '2028-01-31', amount: 4900, total: null },
    card: 'good',
  },
  {
    name: 'Ben Weekly',
    label: 'course',
    about: 'AUD 120.00 a week up to 500.00 in all, so the last payment is cut to 20.00',
    terms: { every: 'week', period: 1, start: '2028-02-01', amount: 12_000, total: 50_000 },
    card: 'good',
  },
  {
    name: 'Cleo Fortnightly',
    label: 'piano',
    about: 'AUD 75.00 a fortnight up to 300.00 in all, from a card that declines',
    terms: { every: 'week', period: 2, start: '2028-02-02', amount: 7500, total: 30_000 },
    card: 'declining',
  },
];

const tokens = { good: 'tok_sandbox_visa_succeed', declining: 'tok_sandbox_visa_decline_insufficient_funds' };

/** Makes a customer on the clock with a card and a pending plan. */
export async function enrol(
  payments: PaymentsClient,
  clockId: string,
  { name, label, terms, card }: Customer,
): Promise<Tracked> {
  const { id: customerId } = await payments.customers.create({ name, test_clock: clockId });
  const cards = { good: null, declining: null, [card]: await saveCard(payments, customerId, card) };
  const plan = await payments.paymentPlans.create({
    customer_id: customerId,
    name: label,
    frequency_type: terms.every === 'week' ? 'weekly' : 'monthly',
    frequency_period: terms.period,
    recurring_amount_cents: terms.amount,
    ...(terms.total === null ? { until_further_notice: true } : { total_amount_cents: terms.total }),
    currency: 'AUD',
    start_date: terms.start,
    failure_behaviour: 'retry',
  });
  return { label, customerId, planId: plan.id, cards, course: newCourse(terms, card, start) };
}

/** Saves a good card, and makes it the one that the plan charges. */
export async function giveGoodCard(payments: PaymentsClient, tracked: Tracked): Promise<string> {
  const card = await saveCard(payments, tracked.customerId, 'good');
  await payments.paymentPlans.update(tracked.planId, { payment_instrument_id: card });
  tracked.cards.good = card;
  tracked.course.card = 'good';
  return card;
}

/** Saves a card that is always charged, or always declined; answers its id. */
async function saveCard(payments: PaymentsClient, customerId: string, card: keyof typeof tokens): Promise<string> {
  const { payment_method: method } = await payments.paymentMethods.create({
    type: 'card',
    customer_reference: customerId,
    payment_method_data: {
      expiry_month: 12,
      expiry_year: 2034,
      token_metadata: { type: 'fixture', token: tokens[card], data: '' },
    },
  });
  return method.id;
}
