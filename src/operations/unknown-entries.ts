import { entryTypes } from '../messages/workflow-types.ts';
import { deleteOtherEntry } from '../platform/postgres/outbox.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { recordAudit } from '../services/accounts/audit.ts';
import { CommandRefused } from '../services/command-refused.ts';
import type { Operations } from './operator-commands.ts';

/**
 * Deletes an outbox entry of a type that this version does not know. The audit log keeps what it was. Returns a
 * sentence about the result.
 * @throws CommandRefused if there is no such entry. One of a known type is dispatched, and never deleted here.
 */
export async function deleteUnknownEntry({ sql, by }: Operations, id: string): Promise<string> {
  const refused = new CommandRefused(`There is no outbox entry ${id} of an unknown type. Others are dispatched.`);
  if (!/^\d{1,18}$/.test(id)) throw refused;
  return atomically(sql, async (tx) => {
    const entry = await deleteOtherEntry(tx, id, entryTypes);
    if (entry === null) throw refused;
    await recordAudit(tx, {
      action: 'outbox_entry.deleted',
      by,
      at: realNow(),
      tenant: null,
      subjectId: entry.subject_id,
      changes: Object.fromEntries(Object.entries(entry).map(([name, from]) => [name, { from, to: null }])),
    });
    return `Entry ${id} for ${entry.workflow_id} is deleted.`;
  });
}
