import assert from 'node:assert/strict';
import type { DeclineCode } from '../../src/domain/charge-outcome.ts';
import { afterFailure, type FailureBehaviour, isSameRetry, nextRetryAt, retryDays } from '../../src/domain/dunning.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';

const firstFailedAt = customerInstant('2027-01-31T13:00:00.000Z');
const suspend = { kind: 'suspend', isFinal: true };

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
    assert.deepEqual(following(4), { kind: 'suspend', isFinal: false });
    assert.deepEqual(following(5, 'card_declined'), { kind: 'suspend', isFinal: false });
  });

  it('counts local dates at the local time of the first failure, over a change of clocks too', () => {
    // Sydney goes back in the night of 4 April 2027: midnight is 13:00 UTC before, and 14:00 UTC after.
    const midnight = customerInstant('2027-04-02T13:00:00.000Z');
    const retries = [1, 2, 3].map((failures) => nextRetryAt(failures, midnight, 'Australia/Sydney')?.toISOString());
    assert.deepEqual(retries, ['2027-04-03T13:00:00.000Z', '2027-04-05T14:00:00.000Z', '2027-04-07T14:00:00.000Z']);
  });

  it('takes a stored retry for the same if a change of clocks lies between', () => {
    const hourMs = 3_600_000;
    for (const apart of [0, hourMs / 2, -hourMs]) {
      assert.ok(isSameRetry(addMs(firstFailedAt, apart), firstFailedAt));
    }
    for (const apart of [60_000, -1, 2 * hourMs]) {
      assert.ok(!isSameRetry(addMs(firstFailedAt, apart), firstFailedAt));
    }
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
    const stopped = { kind: 'suspend', isFinal: false };
    assert.deepEqual(following(1, 'insufficient_funds', 'stop'), stopped);
    assert.deepEqual(following(1, 'gateway_timeout', 'stop'), stopped);
  });

  it('leaves the instant of the first failure as it was given', () => {
    following(1);
    assert.equal(firstFailedAt.toISOString(), '2027-01-31T13:00:00.000Z');
  });

  it('refuses a count of failures that is none', () => {
    for (const failures of [0, -1, 1.5, Number.NaN]) assert.throws(() => following(failures), RangeError);
  });
});
