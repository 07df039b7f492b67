// What is left of a payment to be given back: by a refund, or by a dispute, which takes all of it.

import type { LockedIntentRow } from '../../db/payment-intents.ts';
import { amountBeingRefunded, sumsOfRefunds } from '../../db/refunds.ts';
import { netCollected } from '../../domain/net-collected.ts';
import { shareInRefund } from '../../domain/refund-share.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';

/** Returns what is left of a locked payment that has succeeded. Refunds under way count as made. */
export async function amountLeft(tx: Tx, intent: LockedIntentRow): Promise<MinorUnits> {
  return Math.min(intent.total_amount, netCollected(intent)) - (await amountBeingRefunded(tx, intent.id));
}

/** Returns how much of what is given back is surcharge and tax. Of a payment without either nothing is read. */
export async function sharesOf(
  tx: Tx,
  { id, total_amount: total, surcharge_amount: surcharge, tax_amount: tax }: LockedIntentRow,
  amount: MinorUnits,
): Promise<{ surcharge: MinorUnits; tax: MinorUnits }> {
  if (surcharge === 0 && tax === 0) return { surcharge: 0, tax: 0 };
  const given = await sumsOfRefunds(tx, id);
  const shareOf = (part: MinorUnits, partGiven: MinorUnits) =>
    shareInRefund(amount, { total, part, given: { amount: given.amount, part: partGiven } });
  return { surcharge: shareOf(surcharge, given.surcharge), tax: shareOf(tax, given.tax) };
}
