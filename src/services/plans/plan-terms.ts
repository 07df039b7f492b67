// What a plan collects, and whether it still collects, is stored twice: as it is used, and as the service has written
// it. A person who changes a row by hand changes the first. A change of both alike is not found.

import type { AgreedAmounts, PaymentPlanRow } from '../../db/payment-plans.ts';
import { type Currency, inMoney } from '../../domain/currencies.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import type { MinorUnits } from '../../domain/units.ts';

/** Each amount of a plan, the column in which it is kept as the service has written it, and its name for operators. */
const amounts = [
  ['recurring_amount_cents', 'agreed_recurring_cents', 'recurring amount'],
  ['first_amount_cents', 'agreed_first_cents', 'first amount'],
  ['total_amount_cents', 'agreed_total_cents', 'total'],
] as const;

type Amounts = Pick<Plan, (typeof amounts)[number][0]>;
type StoredTerms = Pick<PaymentPlanRow, keyof AgreedAmounts | keyof Amounts | 'state' | 'state_reason' | 'ended_as'>;

/** Returns what is agreed in a new plan: its amounts. */
export function agreedInNew(plan: Amounts): AgreedAmounts {
  return {
    agreed_recurring_cents: plan.recurring_amount_cents,
    agreed_first_cents: plan.first_amount_cents,
    agreed_total_cents: plan.total_amount_cents,
  };
}

/**
 * Returns what is agreed once a biller has set these amounts. What was agreed of the others stays, even if their
 * columns were changed by hand.
 */
export function agreedAfter(before: AgreedAmounts, set: Partial<Amounts>): AgreedAmounts {
  const { recurring_amount_cents: recurring, first_amount_cents: first, total_amount_cents: total } = set;
  return {
    agreed_recurring_cents: recurring ?? before.agreed_recurring_cents,
    agreed_first_cents: first === undefined ? before.agreed_first_cents : first,
    agreed_total_cents: total === undefined ? before.agreed_total_cents : total,
  };
}

/**
 * Returns what is wrong with the terms of a plan, each as a part of a sentence for an operator: amounts that were not
 * agreed, and a state that it has left for good.
 */
export function wrongTerms(plan: StoredTerms & { currency: Currency }): string[] {
  const { state, state_reason: reason, ended_as: end, currency } = plan;
  if (end !== null && !hasEnded(state))
    return [`it is ${state}, but it was ${end}, and a plan that has ended stays so`];
  if (hasEnded(state)) return [];
  const money = (amount: MinorUnits | null) => (amount === null ? 'none' : inMoney(amount, currency));
  return [
    ...(state === 'active' && reason !== null ? [`it is active, but it was suspended (${reason})`] : []),
    ...wrongAmounts(plan).map(([amount, agreed, name]) => {
      return `its ${name} is ${money(plan[amount])}, but ${money(plan[agreed])} was agreed`;
    }),
  ];
}

/** Returns the terms as the service has written them, of those that are otherwise. */
export function rightTerms(plan: StoredTerms): Partial<Plan> {
  const { state, state_reason: reason, ended_as: end } = plan;
  if (end !== null && !hasEnded(state)) return { state: end, state_reason: reason ?? 'requested' };
  if (hasEnded(state)) return {};
  return {
    ...(state === 'active' && reason !== null ? { state: 'suspended' } : {}),
    ...Object.fromEntries(wrongAmounts(plan).map(([amount, agreed]) => [amount, plan[agreed]])),
  };
}

function wrongAmounts(plan: Amounts & AgreedAmounts) {
  return amounts.filter(([amount, agreed]) => plan[amount] !== plan[agreed]);
}
