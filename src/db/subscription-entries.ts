import type { CustomerInstant } from '../domain/instants.ts';
import type { AccountEntry } from '../domain/subscriptions/account.ts';
import { sumOf } from '../domain/subscriptions/lines.ts';
import type { Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';

/** Appends entries to the account of a locked subscription. The caller stores the account that they leave. */
export async function insertEntries(
  tx: Tx,
  subscriptionId: string,
  entries: readonly AccountEntry[],
  at: CustomerInstant,
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ lines, ...entry }) => ({
    subscription_id: subscriptionId,
    ...entry,
    lines: jsonb(tx, lines),
    amount_cents: sumOf(lines),
    at,
  }));
  await tx`insert into subscription_entries ${tx(rows)}`;
}
