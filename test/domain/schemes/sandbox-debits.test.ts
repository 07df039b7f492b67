import assert from 'node:assert/strict';
import { declined, declineMessage } from '../../../src/domain/charge-outcome.ts';
import {
  parseBankOutcomes,
  type SandboxDebit,
  sandboxDebitCourse,
} from '../../../src/domain/schemes/sandbox-debits.ts';

/** Charged on Thursday 25 March 2027, before Easter: the result comes on Wednesday 31 March. */
const debit: SandboxDebit = {
  scheme: 'au_becs',
  chargeDate: '2027-03-25',
  attempt: 1,
  amount: 1000,
  bankOutcomes: undefined,
  outcomes: undefined,
};
const resultAt = new Date('2027-03-30T22:00:00.000Z');
const settled = { kind: 'accepted', resultAt, dishonour: null, returned: null };
const dishonoured = (code: Parameters<typeof declined>[0], bankCode: string) => ({
  ...settled,
  dishonour: { ...declined(code), bankCode },
});
const course = (over: Partial<SandboxDebit>) => sandboxDebitCourse({ ...debit, ...over });

describe('the course of a debit at the sandbox’s bank', () => {
  it('settles two business days after the charge date, at 09:00 in Sydney', () => {
    assert.deepEqual(course({}), settled);
    assert.deepEqual(course({ bankOutcomes: 'settled' }), settled);
  });

  for (const [word, code, bankCode] of [
    ['dishonoured', 'insufficient_funds', '6'],
    ['account_invalid', 'account_invalid', '1'],
    ['account_closed', 'account_closed', '3'],
    ['account_holder_deceased', 'account_holder_deceased', '4'],
    ['payment_stopped', 'payment_stopped', '2'],
    ['mandate_canceled', 'payment_stopped', '2'],
  ] as const) {
    it(`is dishonoured with ${code} for the word ${word}, when the result is due`, () => {
      assert.deepEqual(course({ bankOutcomes: word }), dishonoured(code, bankCode));
    });
  }

  it('comes back on the third business day after the result for the word late_dishonour', () => {
    const code = 'insufficient_funds';
    const at = new Date('2027-04-04T23:00:00.000Z');
    const returned = { code, message: declineMessage(code), bankCode: '6', at };
    assert.deepEqual(course({ bankOutcomes: 'late_dishonour' }), { ...settled, returned });
  });

  it('comes back on the twentieth business day after the result for the word disputed, without a bank code', () => {
    const code = 'debit_disputed';
    const at = new Date('2027-04-27T23:00:00.000Z');
    const returned = { code, message: declineMessage(code), bankCode: null, at };
    assert.deepEqual(course({ bankOutcomes: 'disputed' }), { ...settled, returned });
  });

  it('takes the word of each attempt in turn, and repeats the last one', () => {
    const kinds = [1, 2, 3].map((attempt) => {
      const result = course({ bankOutcomes: 'dishonoured,settled', attempt });
      return result.kind === 'accepted' && result.dishonour === null;
    });
    assert.deepEqual(kinds, [false, true, true]);
  });

  it('puts the bank’s word before _sandbox_outcome, and that before the amount', () => {
    assert.deepEqual(course({ bankOutcomes: 'settled', outcomes: 'decline', amount: 1001 }), settled);
    assert.deepEqual(course({ outcomes: 'succeed', amount: 1001 }), settled);
  });

  for (const [what, over] of [
    ['the word decline', { outcomes: 'decline' }],
    ['an amount that ends in 01', { amount: 1001 }],
  ] as const) {
    it(`is a dishonour for ${what}`, () => {
      assert.deepEqual(course(over), dishonoured('insufficient_funds', '6'));
    });
  }

  for (const [what, code, over] of [
    ['the word timeout', 'gateway_timeout', { outcomes: 'timeout' }],
    ['an amount that ends in 99', 'gateway_timeout', { amount: 1099 }],
    ['the word requires_action', 'authentication_required', { outcomes: 'requires_action' }],
    ['an amount that ends in 02', 'authentication_required', { amount: 1002 }],
  ] as const) {
    it(`fails at once with ${code} for ${what}`, () => {
      assert.deepEqual(course(over), { kind: 'refused', failure: declined(code) });
    });
  }

  it('refuses unknown words and attempts that are no number from 1', () => {
    for (const over of [{ bankOutcomes: 'lost' }, { bankOutcomes: '' }, { bankOutcomes: 'settled', attempt: 0 }]) {
      assert.throws(() => course(over), RangeError);
    }
  });
});

describe('the words of the sandbox’s bank', () => {
  it('are separated by commas without spaces', () => {
    assert.deepEqual(parseBankOutcomes('late_dishonour,settled'), ['late_dishonour', 'settled']);
    for (const text of ['', ',', 'settled,', 'settled, settled', 'Settled', 'succeed']) {
      assert.equal(parseBankOutcomes(text), null, text);
    }
  });
});
