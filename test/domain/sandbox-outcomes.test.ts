import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fixtureCards } from '../../src/domain/cards.ts';
import type { ChargeOutcome } from '../../src/domain/charge-outcome.ts';
import { parseSandboxOutcomes, sandboxChargeOutcome, sandboxRefundOutcome } from '../../src/domain/sandbox-outcomes.ts';

const nothing = { metadataOutcome: undefined, attempt: 1, fixtureToken: null, amount: 5000 };

/** The outcome in one word: its kind, or the code of its decline. */
function word(outcome: ChargeOutcome): string {
  return outcome.kind === 'failed' ? outcome.code : outcome.kind;
}

function charge(input: Partial<Parameters<typeof sandboxChargeOutcome>[0]>): string {
  return word(sandboxChargeOutcome({ ...nothing, ...input }));
}

describe('sandbox outcome words', () => {
  it('are read one by one from a list', () => {
    assert.deepEqual(parseSandboxOutcomes('succeed'), ['succeed']);
    assert.deepEqual(parseSandboxOutcomes('decline,decline,succeed'), ['decline', 'decline', 'succeed']);
    assert.deepEqual(parseSandboxOutcomes('requires_action,timeout'), ['requires_action', 'timeout']);
  });

  for (const text of [
    '',
    'fail',
    'Decline',
    'decline,',
    ',decline',
    'decline,,succeed',
    'decline, succeed',
    'constructor',
  ]) {
    it(`are not found in ${JSON.stringify(text)}`, () => {
      assert.equal(parseSandboxOutcomes(text), null);
    });
  }
});

describe('a sandbox charge', () => {
  const words: [word: string, outcome: string][] = [
    ['succeed', 'succeeded'],
    ['decline', 'insufficient_funds'],
    ['requires_action', 'requires_action'],
    ['timeout', 'gateway_timeout'],
  ];
  for (const [metadataOutcome, outcome] of words) {
    it(`is ${outcome} with _sandbox_outcome ${metadataOutcome}`, () => {
      assert.equal(charge({ metadataOutcome }), outcome);
    });
  }

  const amounts: [amount: number, outcome: string][] = [
    [5000, 'succeeded'],
    [5001, 'insufficient_funds'],
    [5002, 'requires_action'],
    [5003, 'succeeded'],
    [5010, 'succeeded'],
    [5020, 'succeeded'],
    [5098, 'succeeded'],
    [5099, 'gateway_timeout'],
    [5100, 'succeeded'],
    [1, 'insufficient_funds'],
    [99, 'gateway_timeout'],
    [0, 'succeeded'],
  ];
  for (const [amount, outcome] of amounts) {
    it(`is ${outcome} for the amount ${amount} when nothing else decides`, () => {
      assert.equal(charge({ amount }), outcome);
    });
  }

  it('looks at the last two digits of any amount, and at nothing else of it', () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.nat(99), (hundreds, digits) => {
        assert.equal(charge({ amount: hundreds * 100 + digits }), charge({ amount: digits }));
      }),
    );
  });

  it('follows the fixture card whatever the amount', () => {
    for (const { token, outcome } of fixtureCards) {
      for (const amount of [5000, 5001, 5002, 5099])
        assert.equal(charge({ fixtureToken: token, amount }), word(outcome));
    }
  });

  it('follows the metadata before the fixture card and the amount', () => {
    const fixtureToken = 'tok_sandbox_visa_decline_card_lost';
    assert.equal(charge({ metadataOutcome: 'succeed', fixtureToken, amount: 5001 }), 'succeeded');
    assert.equal(charge({ metadataOutcome: 'timeout', fixtureToken: 'tok_sandbox_visa_succeed' }), 'gateway_timeout');
    assert.equal(charge({ metadataOutcome: 'decline', amount: 5099 }), 'insufficient_funds');
  });

  it('takes one word of a list for each attempt and repeats the last', () => {
    const outcomes = [1, 2, 3, 4, 9].map((attempt) => charge({ metadataOutcome: 'decline,timeout,succeed', attempt }));
    assert.deepEqual(outcomes, ['insufficient_funds', 'gateway_timeout', 'succeeded', 'succeeded', 'succeeded']);
  });

  it('gives the same answer at every attempt when fixture or amount decides', () => {
    assert.equal(charge({ fixtureToken: 'tok_sandbox_visa_timeout', attempt: 7 }), 'gateway_timeout');
    assert.equal(charge({ amount: 5001, attempt: 7 }), 'insufficient_funds');
  });

  it('refuses what a caller must have refused before', () => {
    assert.throws(() => charge({ metadataOutcome: 'explode' }), RangeError);
    assert.throws(() => charge({ metadataOutcome: 'succeed', attempt: 0 }), RangeError);
    assert.throws(() => charge({ fixtureToken: 'tok_sandbox_nothing' }), RangeError);
    assert.throws(() => charge({ amount: -1 }), RangeError);
    assert.throws(() => charge({ amount: 10.5 }), RangeError);
  });
});

describe('a sandbox refund', () => {
  const table: [metadataOutcome: string | undefined, amount: number, kind: string][] = [
    [undefined, 5000, 'succeeded'],
    [undefined, 5003, 'failed'],
    [undefined, 3, 'failed'],
    [undefined, 5030, 'succeeded'],
    [undefined, 5001, 'succeeded'],
    [undefined, 5099, 'succeeded'],
    ['fail', 5000, 'failed'],
    ['fail', 5003, 'failed'],
    ['succeed', 5003, 'succeeded'],
  ];
  for (const [metadataOutcome, amount, kind] of table) {
    it(`is ${kind} for the amount ${amount} with ${metadataOutcome ?? 'no metadata'}`, () => {
      assert.deepEqual(sandboxRefundOutcome({ metadataOutcome, amount }), { kind });
    });
  }

  it('refuses an amount that is none', () => {
    assert.throws(() => sandboxRefundOutcome({ metadataOutcome: undefined, amount: 1.5 }), RangeError);
  });
});
