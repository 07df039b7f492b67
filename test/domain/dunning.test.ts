import assert from 'node:assert/strict';
import type { DeclineCode } from '../../src/domain/charge-outcome.ts';
import { afterFailure, type FailureBehaviour, nextRetryAt, retryDays } from '../../src/domain/dunning.ts';
import { customerInstant } from '../../src/domain/instants.ts';

const firstFailedAt = customerInstant('2027-01-31T13:00:00.000Z');
const suspend = { kind: 'suspend' };

function following(failures: number, code: DeclineCode = 'insufficient_funds', behaviour: FailureBehaviour = 'retry') {
  return afterFailure({ behaviour, code, retryAt: nextRetryAt(failures, firstFailedAt, 'UTC') });
}

describe('dunning', () => {
  it('tries again 1, 3 and 5 days after the first failure', () => {
    assert.deepEqual(retryDays, [1, 3, 5]);
    assert.deepEqual(following(1), { kind: 'retry', at: new Date('2027-02-01T13:00:00.000Z') });
    assert.deepEqual(following(2), { kind: 'retry', at: new Date('2027-02-03T13:00:00.000Z') });
    assert.deepEqual(following(3), { kind: 'retry', at: new Date('2027-02-05T13:00:00.000Z') });
  });

  it('suspends when the three retries are used up', () => {
    assert.deepEqual(following(4), suspend);
    assert.deepEqual(following(5), suspend);
  });

  it('counts local dates, through a change of the clocks too', () => {
    // Sydney goes back in the night of 4 April 2027: 00:00 is at 13:00 UTC before, at 14:00 after.
    const midnight = customerInstant('2027-04-02T13:00:00.000Z');
    assert.deepEqual(
      [1, 2, 3].map((failures) => nextRetryAt(failures, midnight, 'Australia/Sydney')?.toISOString()),
      ['2027-04-03T13:00:00.000Z', '2027-04-05T14:00:00.000Z', '2027-04-07T14:00:00.000Z'],
    );
  });

  for (const code of ['insufficient_funds', 'gateway_timeout'] as const) {
    it(`tries again after ${code}`, () => {
      assert.equal(following(1, code).kind, 'retry');
    });
  }

  for (const code of [
    'card_declined',
    'expired_card',
    'authentication_required',
    'payment_method_unavailable',
    'mandate_unavailable',
    'mandate_limit_exceeded',
    'processor_rejected',
    'account_invalid',
    'account_closed',
    'account_holder_deceased',
    'payment_stopped',
    'debit_disputed',
    'debit_withdrawn',
  ] as const) {
    it(`suspends at once after ${code}, which is final`, () => {
      assert.deepEqual(following(1, code), suspend);
      assert.deepEqual(following(3, code), suspend);
    });
  }

  it('suspends at the first failure of a plan that stops', () => {
    assert.deepEqual(following(1, 'insufficient_funds', 'stop'), suspend);
    assert.deepEqual(following(1, 'gateway_timeout', 'stop'), suspend);
  });

  it('leaves the instant of the first failure as it was given', () => {
    following(1);
    assert.equal(firstFailedAt.toISOString(), '2027-01-31T13:00:00.000Z');
  });

  it('refuses a count of failures that is none', () => {
    for (const failures of [0, -1, 1.5, Number.NaN]) assert.throws(() => following(failures), RangeError);
  });
});
