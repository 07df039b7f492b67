import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { namedId } from '../../src/domain/ids.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { accountReader } from '../../src/services/customers/bank-accounts.ts';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

describe('the reader of bank accounts for a processor', () => {
  const stage = useStage();
  const debtor = useDebtor(stage);
  const sandbox = { livemode: false };
  const read = (id: string, mode = sandbox, vault = stage.vault) =>
    accountReader(stage.db.sql, () => vault)(namedId('payment_method', id), mode);

  it('opens the number that was saved, with the BSB in six digits and the name', async () => {
    const account = { bsbNumber: '062000', accountNumber: '98765432', accountName: 'Jo Nguyen', email: null };
    for (const bsb_number of ['062-000', '062000']) {
      assert.deepEqual(await read(await debtor.account(undefined, { bsb_number })), account);
    }
  });

  it('reads nothing of a card, of an unknown method and of one of the other mode', async () => {
    const { id } = await stage.merchant.customer();
    for (const method of [await stage.merchant.card(id), 'pm_unknown']) assert.equal(await read(method), null);
    assert.equal(await read(await debtor.account(), { livemode: true }), null);
  });

  it('says which key is missing if it cannot open a number, so that the payment waits', async () => {
    const other = createVault([{ id: 'other', key: randomBytes(32) }]);
    await assert.rejects(read(await debtor.account(), sandbox, other), (error) => {
      assert.ok(error instanceof OutcomeUnknown);
      assert.match(error.message, /^the account number of pm_\w+ cannot be opened: the encryption key "test" is not/);
      return true;
    });
  });

  it('does not open a number that was put into the row of another method', async () => {
    const [mine, theirs] = [await debtor.account(), await debtor.account()];
    await stage.db.sql`
      update payment_methods set sealed_account_number = t.sealed_account_number
      from payment_methods t where payment_methods.id = ${mine} and t.id = ${theirs}`;
    await assert.rejects(read(mine), OutcomeUnknown);
  });
});
