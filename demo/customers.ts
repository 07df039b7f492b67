import type { PaymentsClient } from '@payments-service/client';
import { newCourse, type Terms } from '../lab/model/plans.ts';
import { makePlan, saveCard, tokens } from '../lab/payer.ts';
import type { Tracked } from './checks.ts';

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

/** Makes a customer on the clock with a card and a pending plan. */
export async function enrol(
  payments: PaymentsClient,
  clockId: string,
  { name, label, terms, card }: Customer,
): Promise<Tracked> {
  const { id: customerId } = await payments.customers.create({ name, test_clock: clockId });
  const cards = { good: null, declining: null, [card]: await saveCard(payments, customerId, tokens[card]) };
  const plan = await makePlan(payments, {
    customer_id: customerId,
    name: label,
    frequency_type: terms.every === 'week' ? 'weekly' : 'monthly',
    frequency_period: terms.period,
    recurring_amount_cents: terms.amount,
    ...(terms.total === null ? {} : { total_amount_cents: terms.total }),
    start_date: terms.start,
    failure_behaviour: 'retry',
  });
  return { label, customerId, planId: plan.id, cards, course: newCourse(terms, card, start) };
}

/** Saves a good card, and makes it the one that the plan charges. */
export async function giveGoodCard(payments: PaymentsClient, tracked: Tracked): Promise<string> {
  const card = await saveCard(payments, tracked.customerId);
  await payments.paymentPlans.update(tracked.planId, { payment_instrument_id: card });
  tracked.cards.good = card;
  tracked.course.card = 'good';
  return card;
}
