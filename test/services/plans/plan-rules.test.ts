import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PaymentPlanRow } from '../../../src/db/payment-plans.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { planErrors } from '../../../src/services/plans/plan-rules.ts';

const now = customerInstant('2027-03-15T13:30:00Z');
const plan: PaymentPlanRow = {
  ...{ id: 'pp_1', biller_id: 'acct_1', livemode: false, customer_id: 'cus_1', test_clock_id: null, name: 'Plan' },
  ...{ state: 'pending', state_reason: null, frequency_type: 'monthly', frequency_period: 1, currency: 'AUD' },
  ...{ recurring_amount_cents: 500, first_amount_cents: null, total_amount_cents: null, until_further_notice: true },
  ...{
    start_date: '2027-03-31',
    first_date: null,
    payment_instrument_id: null,
    failure_behaviour: 'retry',
    tax_included: true,
  },
  ...{
    metadata: {},
    collected_amount_cents: 0,
    next_slot: 0,
    next_due_at: null,
    next_attempt_at: null,
    next_debit_at: null,
    in_flight_cents: 0,
  },
  ...{ agreed_recurring_cents: 500, agreed_first_cents: null, agreed_total_cents: null, ended_as: null },
  ...{ activated_at: null, created_at: now, updated_at: now },
};

/** The field errors of the plan with these changes, each as its path and code. */
function errorsOf(
  changes: Partial<PaymentPlanRow>,
  timeZone = 'UTC',
  dates?: ('start_date' | 'first_date')[],
): string[] {
  const errors = planErrors({ ...plan, ...changes }, { at: now, timeZone }, dates);
  return errors.map(({ path, code }) => `${path} ${code}`);
}

describe('the rules for the terms of a plan', () => {
  it('allow a plan that starts today, and one that starts on the last day there is', () => {
    assert.deepEqual(errorsOf({ start_date: '2027-03-15' }), []);
    assert.deepEqual(errorsOf({ start_date: '2200-12-31' }), []);
  });

  it('require dates that are not in the past, and not after the year 2200', () => {
    assert.deepEqual(errorsOf({ start_date: '2027-03-14' }), ['/start_date out_of_range']);
    assert.deepEqual(errorsOf({ start_date: '2201-01-01' }), ['/start_date out_of_range']);
    assert.deepEqual(errorsOf({ first_date: '2027-03-14' }), ['/first_date out_of_range']);
  });

  it('take today from the time zone of the biller: it may be tomorrow there', () => {
    assert.deepEqual(errorsOf({ start_date: '2027-03-15' }, 'Pacific/Auckland'), ['/start_date out_of_range']);
    assert.deepEqual(errorsOf({ start_date: '2027-03-15' }, 'America/New_York'), []);
  });

  it('leave a date alone that an update does not change, though it has passed meanwhile', () => {
    assert.deepEqual(errorsOf({ start_date: '2027-01-31' }, 'UTC', []), []);
    assert.deepEqual(errorsOf({ start_date: '2027-01-31', first_date: '2027-01-01' }, 'UTC', ['first_date']), [
      '/first_date out_of_range',
    ]);
  });

  it('put the first date before the second payment', () => {
    assert.deepEqual(errorsOf({ first_date: '2027-04-29' }), []);
    assert.deepEqual(errorsOf({ first_date: '2027-04-30' }), ['/first_date out_of_range']);
  });

  it('require exactly one of a total and no end, and report all errors at once', () => {
    const both = errorsOf({ total_amount_cents: 1000, start_date: '2027-03-14' });
    assert.ok(both.length >= 2, both.join());
    assert.ok(both.includes('/start_date out_of_range'), both.join());
    assert.notDeepEqual(errorsOf({ until_further_notice: false }), []);
    assert.deepEqual(errorsOf({ until_further_notice: false, total_amount_cents: 1000 }), []);
  });
});
