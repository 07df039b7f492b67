import assert from 'node:assert/strict';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';

describe('the scheme au_becs', () => {
  const codes: [code: string, meaning: string, reason: string | undefined][] = [
    ['1', 'invalid BSB number', 'account_invalid'],
    ['2', 'payment stopped', 'payment_stopped'],
    ['3', 'account closed', 'account_closed'],
    ['4', 'customer deceased', 'account_holder_deceased'],
    ['5', 'no account or incorrect account number', 'account_invalid'],
    ['6', 'refer to customer', 'insufficient_funds'],
    ['7', 'no longer used', undefined],
    ['8', 'invalid user number, which is the biller’s', undefined],
    ['9', 'technically invalid', 'account_invalid'],
    ['0', 'no code of the scheme', undefined],
  ];
  for (const [code, meaning, reason] of codes) {
    it(`reads the return code ${code} (${meaning}) as ${reason ?? 'no reason that it knows'}`, () => {
      assert.equal(auBecs.returnCodes[code], reason);
    });
  }

  it('takes Australian dollars, at most 10,000.00 a debit in live mode and any amount in the sandbox', () => {
    assert.equal(auBecs.currency, 'AUD');
    assert.deepEqual(auBecs.maxAmount, { live: 1_000_000, sandbox: null });
  });
});
