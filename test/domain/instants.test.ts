import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dateIn, earliestInstant, laterInstant } from '../../src/domain/calendar.ts';
import { addMs, type CustomerInstant, customerInstant, isoOrNone, withoutClock } from '../../src/domain/instants.ts';
import { type RealInstant, realInstant } from '../../src/platform/real-time.ts';

const text = '2027-01-31T12:00:00.000Z';
const at = customerInstant(text);
const now = realInstant(text);
const takesCustomerTime = (instant: CustomerInstant) => instant;
const takesRealTime = (instant: RealInstant) => instant;

describe('an instant', () => {
  it('is a Date of the text or of the milliseconds that it was made from', () => {
    for (const instant of [at, now, customerInstant(Date.parse(text)), realInstant(Date.parse(text))]) {
      assert.ok(instant instanceof Date);
      assert.equal(instant.toISOString(), text);
    }
  });

  it('is the same instant in real time and for a customer without a clock', () => {
    assert.equal(withoutClock(now).getTime(), now.getTime());
  });

  it('stays of its time when milliseconds are added, and is left as it was', () => {
    assert.equal(takesCustomerTime(addMs(at, 1)).toISOString(), '2027-01-31T12:00:00.001Z');
    assert.equal(takesRealTime(addMs(now, -1)).toISOString(), '2027-01-31T11:59:59.999Z');
    assert.equal(at.toISOString(), text);
  });

  // `tsc` checks this test: it fails if one of these lines compiles.
  it('does not compile as one of the other time, or as one whose time is not known', () => {
    // @ts-expect-error real time is not the customer's
    takesCustomerTime(now);
    // @ts-expect-error and the customer's is not real
    takesRealTime(at);
    // @ts-expect-error a Date may be of either
    takesCustomerTime(new Date(text));
    // @ts-expect-error a Date may be of either
    takesRealTime(new Date(text));
    // @ts-expect-error the two are not compared
    assert.ok(at >= now);
    // @ts-expect-error nor is the later one of two times found
    laterInstant(at, now);
    // @ts-expect-error nor the earliest
    takesCustomerTime(earliestInstant([at, now]) ?? at);
    // @ts-expect-error the biller's calendar is of the customer's time
    dateIn(now, 'UTC');
    // @ts-expect-error only real time is that of a customer without a clock
    withoutClock(at);
  });

  it('gets its time in two files only: everything else infers it', async () => {
    const source = new URL('../../src/', import.meta.url);
    const makers: string[] = [];
    for (const name of await readdir(source, { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const file = await readFile(new URL(name, source), 'utf8');
      if (/\bas (?:Customer|Real)?Instant\b/.test(file)) makers.push(name);
    }
    assert.deepEqual(makers.sort(), ['domain/instants.ts', 'platform/real-time.ts']);
  });

  it('is shown to operators as ISO text, and as "none" if there is none', () => {
    assert.equal(isoOrNone(customerInstant('2027-01-04T00:00:00Z')), '2027-01-04T00:00:00.000Z');
    assert.equal(isoOrNone(null), 'none');
  });
});
