import assert from 'node:assert/strict';
import { addDays, slotDate } from '../../src/domain/calendar.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';
import type { Discount } from '../../src/domain/subscriptions/pricing.ts';
import { feeFor } from '../../src/domain/surcharges/fees.ts';
import type { BasisPoints, Days, MinorUnits, Percent, PeriodNumber, SlotNumber } from '../../src/domain/units.ts';

const cadence = { frequencyType: 'weekly', frequencyPeriod: 1, startDate: '2027-01-04', firstDate: null } as const;
const amount: MinorUnits = 2500;
const takesAmount = (value: MinorUnits) => value;

/** A number whose unit is known, of which nothing else is: `const` alone would let the compiler remember its value. */
function some<Unit extends number>(value: number): Unit {
  return value as Unit;
}

describe('a number with a unit', () => {
  it('compiles as its own unit, and so does a plain number, which a sum is', () => {
    const sum: number = amount + amount;
    assert.equal(takesAmount(amount), 2500);
    assert.equal(takesAmount(sum), 5000);
    assert.equal(takesAmount(Math.min(sum, 100)), 100);
  });

  // `tsc` checks this test: it fails if one of these lines compiles.
  it('does not compile as one of another unit', () => {
    const basisPoints = some<BasisPoints>(175);
    const days = some<Days>(3);
    const percent = some<Percent>(10);
    const period = some<PeriodNumber>(1);
    const slot = some<SlotNumber>(1);
    const fixed = some<MinorUnits>(30);
    const at = customerInstant('2027-01-04T00:00:00Z');
    // @ts-expect-error basis points are no amount
    feeFor(basisPoints, { standard: { basisPoints, fixed }, byMethod: {} }, 'card');
    // @ts-expect-error and an amount is no basis points
    feeFor(amount, { standard: { basisPoints: fixed, fixed }, byMethod: {} }, 'card');
    // @ts-expect-error nor are basis points an amount
    feeFor(amount, { standard: { basisPoints, fixed: basisPoints }, byMethod: {} }, 'card');
    // @ts-expect-error a percentage is not an amount that is taken off
    const discount: Discount = { name: '', percent_off: null, amount_off_cents: percent, periods_left: null };
    // @ts-expect-error days are no milliseconds
    addMs(at, days);
    // @ts-expect-error an amount is no days
    addDays('2027-01-04', fixed);
    // @ts-expect-error the number of a period is not the number of a slot
    slotDate(cadence, period);
    // @ts-expect-error a slot is no amount, and null beside it changes nothing
    const rest: MinorUnits | null = slot;
    // @ts-expect-error nor are many
    const slots: readonly MinorUnits[] = [slot];
    assert.deepEqual([discount.amount_off_cents, rest, slots], [10, 1, [1]]);
  });

  // What the type does not catch. If a line no longer compiles, the type has become stricter.
  it('is a plain number after any sum, and compares with every number', () => {
    const days = some<Days>(3);
    assert.equal(takesAmount(days + 1), 4);
    assert.equal(takesAmount(days * 1), 3);
    assert.ok(amount > days);
  });
});
