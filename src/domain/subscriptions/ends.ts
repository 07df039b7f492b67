import type { MinorUnits } from '../units.ts';
import { type AccountEntry, accountLine, entry } from './account.ts';
import type { Course, Period } from './course.ts';
import type { PeriodLine } from './lines.ts';
import { isOwedAlone } from './owed.ts';

/** What a period gives back that is paid although its subscription was canceled. A credit is negative. */
export interface CreditAfterEnd {
  amount: MinorUnits;
  lines: PeriodLine[];
  entries: AccountEntry[];
}

/**
 * Money that was on its way when a subscription was canceled pays for no service: it becomes credit, and so does the
 * credit that the period had used. Returns null if the subscription goes on, or has ended with its last period, which
 * was served; and for what was owed alone, which was served too.
 */
export function creditAfterEnd(
  { state, state_reason: reason }: Pick<Course, 'state' | 'state_reason'>,
  period: Period,
): CreditAfterEnd | null {
  const {
    number,
    amount_cents: amount,
    carried_cents: carried,
    changed_cents: changed,
    payment_intent_id: id,
  } = period;
  const price = amount - carried + changed;
  if (state !== 'canceled' || reason === 'ended' || price === 0 || isOwedAlone(period)) return null;
  const lines = accountLine(`Period ${number}, paid after the cancellation`, 0 - price);
  return { amount: 0 - price, lines, entries: [entry('paid_after_end', number, lines, id)] };
}
