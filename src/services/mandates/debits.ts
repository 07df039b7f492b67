import { type MandateRow, updateMandate } from '../../db/mandates.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { mandateLapsesAt } from '../../domain/schemes/debit-dates.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';

/** Notes on a locked mandate that a debit under it is handed to the bank: it lapses later. */
export async function noteDebit(tx: Tx, { id, scheme }: MandateRow, at: CustomerInstant): Promise<void> {
  const lapsesAt = mandateLapsesAt(schemes[scheme], at);
  await updateMandate(tx, id, { last_debited_at: at, lapses_at: lapsesAt, updated_at: at });
}
