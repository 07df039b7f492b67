import { listUnknownMovements, updateHold } from '../db/live-charging.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { type ChangeOrigin, recordAudit } from '../services/accounts/audit.ts';
import { CommandRefused } from '../services/command-refused.ts';

/**
 * Holds all live charges and refunds, until they are released. Those that are open stay open.
 * @returns a sentence about the result.
 * @throws CommandRefused when they are held already.
 */
export async function holdCharging(sql: Pool, evidence: string, origin: ChangeOrigin): Promise<string> {
  await changeHold(sql, true, evidence, origin);
  return 'Live charging is held. New charges and refunds wait. To continue: ops release-charging --evidence TEXT.';
}

/**
 * Releases live charging. Payments that were opened meanwhile are made within a minute.
 * @param evidence what a person has done about what this database does not know, for the audit log.
 * @returns a sentence about the result.
 * @throws CommandRefused when nothing is held.
 */
export async function releaseCharging(sql: Pool, evidence: string, origin: ChangeOrigin): Promise<string> {
  await changeHold(sql, false, evidence, origin);
  const [first] = await listUnknownMovements(sql, 1);
  const rest =
    first === undefined ? '' : ` ${first.count} movements of the processor remain unknown here: see unknown_movements.`;
  return `Live charging is released. What waits is made within a minute.${rest}`;
}

async function changeHold(sql: Pool, isHeld: boolean, evidence: string, { by, now }: ChangeOrigin): Promise<void> {
  await atomically(sql, async (tx) => {
    if (!(await updateHold(tx, isHeld))) {
      throw new CommandRefused(isHeld ? 'Live charging is held already.' : 'Live charging is not held.');
    }
    await recordAudit(tx, {
      action: isHeld ? 'live_charging.held' : 'live_charging.released',
      by,
      at: now,
      tenant: null,
      subjectId: null,
      changes: { held: { from: !isHeld, to: isHeld }, evidence: { from: null, to: evidence } },
    });
  });
}
