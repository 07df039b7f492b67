import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { delayAfter, hasFailedTooLong, parseRetryAfter, retryDelays } from '../../src/domain/webhook-schedule.ts';
import { realInstant } from '../../src/platform/real-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const noJitter = 0.5;
const now = realInstant('2026-03-01T12:00:00.000Z');

describe('the schedule of webhook attempts', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and gives up after the tenth attempt', () => {
    const delays = Array.from({ length: 10 }, (_, index) => delayAfter(index + 1, noJitter, null));
    assert.deepEqual(delays, [
      5000,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      null,
    ]);
  });

  it('stretches or shortens each delay by at most a tenth, and by all of it at the ends', () => {
    assert.equal(delayAfter(1, 0, null), 4500);
    assert.equal(delayAfter(2, 1, null), 5.5 * minute);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: retryDelays.length }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, random) => {
          const planned = retryDelays[failures - 1] ?? 0;
          const delay = delayAfter(failures, random, null) ?? 0;
          assert.ok(delay >= planned * 0.9 && delay <= planned * 1.1);
        },
      ),
    );
  });

  it('waits longer when the receiver asks for it, but no longer than a day', () => {
    assert.equal(delayAfter(1, 0, 90_000), 90_000);
    assert.equal(delayAfter(1, 1, 30 * day), day);
  });

  it('spreads those that were told the same Retry-After over a tenth of it, none of them before it', () => {
    assert.deepEqual(
      [0, 0.5, 1].map((random) => delayAfter(1, random, 100_000)),
      [100_000, 105_000, 110_000],
    );
  });

  it('is not hurried by the receiver, so that ten attempts outlast its outage', () => {
    assert.equal(delayAfter(4, noJitter, 1000), 2 * hour);
    assert.equal(delayAfter(10, noJitter, 1000), null);
  });
});

describe('Retry-After', () => {
  it('is read as whole seconds or as an HTTP date', () => {
    assert.equal(parseRetryAfter('120', now), 120_000);
    assert.equal(parseRetryAfter(' 0 ', now), 0);
    assert.equal(parseRetryAfter('Sun, 01 Mar 2026 12:02:00 GMT', now), 120_000);
    assert.equal(parseRetryAfter('Sunday, 01-Mar-26 12:02:00 GMT', now), 120_000);
    assert.equal(parseRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT', now), 0);
  });

  it('is in GMT where it does not say so, wherever this machine is', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Australia/Sydney';
    try {
      assert.equal(parseRetryAfter('Sun Mar  1 12:02:00 2026', now), 120_000);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('is ignored when it is neither', () => {
    for (const value of [
      '',
      'soon',
      '-5',
      '1.5',
      '2026-03-01',
      '1e3',
      'Sunny',
      '12 Mar',
      'Sun',
      'Sun, 01 Mar 2026 12:02:00 +1100',
    ]) {
      assert.equal(parseRetryAfter(value, now), null, value);
    }
  });

  it('gives a delay of at most a day for any number of seconds', () => {
    assert.equal(delayAfter(1, noJitter, parseRetryAfter('9'.repeat(400), now)), day);
  });
});

describe('an endpoint that only fails', () => {
  it('has failed too long after five days, and not a moment before', () => {
    assert.equal(hasFailedTooLong(addMs(now, -5 * day), now), true);
    assert.equal(hasFailedTooLong(addMs(now, 1 - 5 * day), now), false);
    assert.equal(hasFailedTooLong(null, now), false);
  });
});
