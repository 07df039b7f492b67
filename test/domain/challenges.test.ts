import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { challengeEnd, challengeMs } from '../../src/domain/challenges.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';

const at = customerInstant('2027-02-01T00:00:00.000Z');
const later = (ms: number) => addMs(at, ms);
const dayMs = 86_400_000;

describe('the end of a challenge', () => {
  it('is after 15 minutes, and after a day for the payment by which a biller starts or resumes a subscription', () => {
    assert.deepEqual(challengeEnd(at), later(15 * 60_000));
    assert.deepEqual(challengeEnd(at), later(challengeMs));
    assert.deepEqual(challengeEnd(at, { byBiller: true }), later(dayMs));
  });

  it('is at the latest that of the period that it would pay', () => {
    for (const byBiller of [false, true]) {
      assert.deepEqual(challengeEnd(at, { byBiller, periodEndsAt: later(60_000) }), later(60_000));
      assert.deepEqual(challengeEnd(at, { byBiller, periodEndsAt: later(2 * dayMs) }), challengeEnd(at, { byBiller }));
    }
  });
});
