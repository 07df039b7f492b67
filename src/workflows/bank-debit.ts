import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = { read: 'readBankDebit', collect: 'collectBankDebit', execute: 'pressBankDebit' } as const;

/**
 * The debit of a single payment, from its acceptance until nothing more is expected from the bank: the hand-over at the
 * cut-off, the result, and what comes back. Plans drive their debits themselves.
 */
export async function bankDebit(attemptId: string, atOnce = false): Promise<void> {
  await collectWhenDue(attemptId, collectingBy('bankDebit', names, ['recheck']), { atOnce });
}
