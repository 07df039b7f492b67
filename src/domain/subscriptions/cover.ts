import type { MinorUnits } from '../units.ts';
import { accountLine } from './account.ts';
import type { Period } from './course.ts';
import type { PeriodLine } from './lines.ts';

/**
 * What the payments of a period hold. Amounts are without surcharge. A payment holds what the customer has paid by it,
 * less refunds, and nothing once the bank has taken it back. Refunds of credit do not count: they have paid out what
 * the period gave.
 */
export interface Funds {
  /** The payment that opened the period. */
  opening_held: MinorUnits;
  /** What was paid for changes that were made in it, and what those payments hold. */
  changes_paid: MinorUnits;
  changes_held: MinorUnits;
  /** What payments no longer hold that became credit in full, since their change was not made. */
  credited_lost: MinorUnits;
}

type Given = Pick<Period, 'status' | 'carried_cents' | 'changed_cents'>;

/**
 * Returns what is withheld of the credit that a period has given: as much as its payments no longer hold. So the credit
 * of a period never exceeds what its payments hold after refunds and returns. Credit that the period itself has used
 * counts as held. A void period has given only what was paid for its changes.
 */
export function withheldOf(period: Given, funds: Funds): MinorUnits {
  const isVoid = period.status === 'void';
  const credit = funds.changes_paid - (isVoid ? 0 : period.changed_cents);
  const opening = isVoid ? 0 : funds.opening_held - period.carried_cents;
  const held = Math.max(0, opening + funds.changes_held);
  return Math.max(0, credit - held) + funds.credited_lost;
}

/** Returns the line that is posted to the account when this much more of a period's credit is withheld, or less. */
export function coverLine(more: MinorUnits): PeriodLine[] {
  return accountLine('Credit not covered by the payments of its period', more);
}
