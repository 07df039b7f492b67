import { slotDate } from '../../lab/model/calendar.ts';
import { type Deed, dateIn, given, isFor, isServed, pick, pickMaybe, today } from './deed.ts';
import { attach, customerFaults, methodFaults } from './methods.ts';
import { shownPlan } from './shown.ts';
import type { Of } from './steps.ts';
import { holdStill, nowOf, type Plan, refuseFaults, type World } from './world.ts';

export const metadataOf = (outcomes: string | undefined): Record<string, string> =>
  outcomes === undefined ? {} : { _sandbox_outcome: outcomes };

export function createPlan(world: World, { customer: back, terms }: Of<'plan'>): Deed | null {
  const customer = pick(world.customers, back, isServed);
  if (customer === undefined) return null;
  const method = pickMaybe(world.methods, terms.method, isFor(customer));
  const name = `plan-${world.plans.length}`;
  const start = dateIn(world, customer, terms.start);
  const first = terms.first === undefined ? null : dateIn(world, customer, terms.first);
  const now = nowOf(world, customer);
  const plan: Plan = {
    name,
    customer,
    label: name,
    state: 'pending',
    reason: null,
    cadence: { every: terms.every, period: terms.period ?? 1, start, first },
    amount: terms.amount,
    firstAmount: terms.firstAmount ?? null,
    total: terms.total ?? null,
    isOpenEnded: terms.isOpenEnded ?? false,
    method,
    behaviour: terms.behaviour ?? 'retry',
    metadata: metadataOf(terms.outcomes),
    collected: 0,
    nextSlot: 0,
    activatedAt: 0,
    payments: [],
    createdAt: now,
    updatedAt: now,
  };
  return {
    method: 'POST',
    path: '/payment_plans',
    makes: name,
    body: given({
      customer_id: customer.name,
      name,
      currency: 'AUD',
      metadata: terms.outcomes === undefined ? undefined : plan.metadata,
      first_date: first ?? undefined,
      start_date: start,
      frequency_type: terms.every,
      frequency_period: terms.period,
      recurring_amount_cents: terms.amount,
      first_amount_cents: terms.firstAmount,
      total_amount_cents: terms.total,
      until_further_notice: terms.isOpenEnded,
      payment_instrument_id: method?.name,
      failure_behaviour: terms.behaviour,
    }),
    does() {
      refuseFaults(422, [...amountFaults(plan), ...capFaults(plan)]);
      const faults = customerFaults(customer, '/customer_id');
      const known = faults.length === 0 ? customer : null;
      holdStill(known);
      faults.push(...dateFaults(plan, today(world, known), ['start', 'first']));
      if (method !== null) faults.push(...methodFaults(method, known, '/payment_instrument_id'));
      else if (known !== null && known.defaultMethod === null) faults.push('/payment_instrument_id');
      refuseFaults(422, faults);
      if (method !== null) attach(method, customer);
      world.plans.push(plan);
      return { status: 201, body: shownPlan(plan) };
    },
  };
}

function amountFaults({ amount }: Plan): string[] {
  return amount >= 1 ? [] : ['/recurring_amount_cents'];
}

/** A total, or none: exactly one of the two is said. */
export function capFaults({ total, isOpenEnded }: Plan): string[] {
  return (total !== null) === isOpenEnded ? ['/total_amount_cents'] : [];
}

export function dateFaults({ cadence }: Plan, now: string, fresh: ('start' | 'first')[]): string[] {
  const past = fresh.filter((field) => (cadence[field] ?? now) < now).map((field) => `/${field}_date`);
  const isLate = cadence.first !== null && cadence.first >= slotDate(cadence, 1);
  return [...past, ...(isLate ? ['/first_date'] : [])];
}
