import { selectLiveMandateByReference } from '../../db/mandates.ts';
import type { ProcessorNoticeRow } from '../../db/processor-notices.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { cancelMandateAsPayer } from '../mandates/mandate-ends.ts';
import { stopDebits } from '../subjects/charge-hook.ts';

/**
 * Cancels a mandate that has ended at the live processor, as a payer does at the bank. Does nothing if the processor
 * still takes debits under it or does not tell, or if it has ended here.
 * @throws OutcomeUnknown when the processor gives no outcome.
 */
export async function endMandateAtProcessor(
  sql: Pool,
  { live }: Processors,
  { biller_id: billerId, reference }: Pick<ProcessorNoticeRow, 'biller_id' | 'reference'>,
  now: RealInstant,
): Promise<void> {
  const mandate = await selectLiveMandateByReference(sql, billerId, reference);
  if (mandate?.status !== 'active' || live?.inquireMandate === undefined) return;
  const state = await live.inquireMandate(billerId, reference);
  if (state !== 'ended') return;
  await cancelMandateAsPayer(sql, { billerId, livemode: true, requestId: null, now }, mandate.id, stopDebits);
}
