import { lockCardSetup, noteMethodOfSetup, type SetupPlace } from '../../db/card-setups.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { ValidationFailed } from '../errors.ts';

/**
 * Saves the card that was entered in a setup, in this transaction. A setup leads to one method: if it was saved before,
 * that method is returned. `handle`: the SHA-256 of what the browser names the setup by.
 * @throws ValidationFailed for a setup that was begun elsewhere, and for one whose method was detached.
 */
export async function saveCardOfSetup(
  tx: Tx,
  place: SetupPlace,
  handle: Buffer,
  save: () => Promise<Id<'payment_method'>>,
): Promise<Id<'payment_method'>> {
  const setup = await lockCardSetup(tx, place, handle);
  if (setup === null || setup.card === null || setup.is_spent) {
    throw ValidationFailed.of('/method', 'payment_method_detached', 'The card must be entered again.');
  }
  if (setup.payment_method_id !== null) return setup.payment_method_id;
  const id = await save();
  await noteMethodOfSetup(tx, handle, id);
  return id;
}
