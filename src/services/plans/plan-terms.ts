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

/** What is agreed before any amount is. */
export const neverAgreed: AgreedAmounts = {
  agreed_recurring_cents: null,
  agreed_first_cents: null,
  agreed_total_cents: null,
};

/**
 * Returns what is agreed once a biller has set these amounts. What was agreed of the others stays, even if their
 * columns were changed by hand.
 */
export function agreedAfter(before: Amounts & AgreedAmounts, set: Partial<Amounts>): AgreedAmounts {
  const isKnown = before.agreed_recurring_cents !== null;
  const entries = amounts.map(([amount, agreed]) => {
    const former = isKnown ? before[agreed] : before[amount];
    return [agreed, set[amount] === undefined ? former : set[amount]];
  });
  return { ...neverAgreed, ...Object.fromEntries(entries) };
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
  return plan.agreed_recurring_cents === null
    ? []
    : amounts.filter(([amount, agreed]) => plan[amount] !== plan[agreed]);
}
