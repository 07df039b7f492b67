import { selectSealedAccount } from '../../db/payment-methods.ts';
import { sealedField } from '../../db/sealed-values.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { OutcomeUnknown, type ReadBankAccount } from '../../processors/processor.ts';
import { type Vault, VaultError } from '../accounts/vault.ts';

/**
 * Returns the function by which a processor gets the bank accounts that have no token. It opens a number for one call
 * and keeps nothing.
 */
export function accountReader(db: Db, openVault: () => Vault | Promise<Vault>): ReadBankAccount {
  return async (id, { livemode }) => {
    const row = await selectSealedAccount(db, id, livemode);
    if (row === null || row.instrument.type !== 'au_becs_debit') return null;
    const { bsb_number: bsb, account_name: accountName } = row.instrument.instrument_data;
    const field = sealedField('account_numbers', { billerId: row.biller_id, livemode }, id);
    const vault = await openVault();
    try {
      const accountNumber = vault.open(row.sealed_account_number, field);
      return { bsbNumber: bsb.replace('-', ''), accountNumber, accountName, email: row.email };
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      throw new OutcomeUnknown(`the account number of ${id} cannot be opened: ${error.message}`);
    }
  };
}
