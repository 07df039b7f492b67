import { type MandateRow, updateMandate } from '../../db/mandates.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { mandateLapsesAt } from '../../domain/schemes/debit-dates.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { MandateEvidence } from '../../processors/processor.ts';

/** Notes on a locked mandate that a debit under it is handed to the bank: it lapses later. */
export async function noteDebit(tx: Tx, { id, scheme }: MandateRow, at: CustomerInstant): Promise<void> {
  const lapsesAt = mandateLapsesAt(schemes[scheme], at);
  await updateMandate(tx, id, { last_debited_at: at, lapses_at: lapsesAt, updated_at: at });
}

/**
 * Returns how the payer has agreed to a mandate, for the bank. What the service has seen of the payer's connection
 * counts before what the biller has reported.
 */
export function evidenceOf(mandate: MandateRow): MandateEvidence {
  return {
    acceptedAt: mandate.accepted_at,
    type: mandate.acceptance_type,
    ipAddress: mandate.connection_ip_address ?? mandate.ip_address,
    userAgent: mandate.connection_user_agent ?? mandate.user_agent,
    signatoryName: mandate.signatory_name,
    textSha256: mandate.text_sha256,
  };
}
