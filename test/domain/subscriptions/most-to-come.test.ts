import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import { comingPeriods, mostToCome } from '../../../src/domain/subscriptions/coming.ts';
import type { Discount } from '../../../src/domain/subscriptions/pricing.ts';
import { type Period, type SubscriptionTerms, withPeriods } from '../../../src/domain/subscriptions/subscription.ts';

const at = customerInstant('2027-01-15T00:00:00Z');
const items = (cents: number) => [{ id: 'sbi_1' as const, name: 'A', unit_amount_cents: cents, quantity: 1 }];

/** Monthly from 10 January 2027 on, 10.00: in its first period. */
const active: SubscriptionTerms = {
  state: 'active',
  state_reason: null,
  items: items(1000),
  next_items: null,
  billed_items: null,
  discounts: [],
  next_discounts: null,
  one_off_items: [],
  change_payment_intent_id: null,
  next_period_lines: [],
  credit_balance_cents: 0,
  frequency_type: 'monthly',
  frequency_period: 1,
  start_date: '2027-01-10',
  anchor_day: null,
  anchor_start: '2027-01-10',
  anchor_number: 1,
  cut_number: null,
  cut_at: null,
  trial_days: null,
  trial_end_date: null,
  trial_end_behaviour: 'pause',
  failure_behaviour: 'retry',
  unpaid_behaviour: 'pause',
  grace_days: 7,
  effective_on: 'settled',
  started_at: customerInstant('2027-01-10T00:00:00Z'),
  current_number: 1,
  next_number: 2,
  ends_at: null,
  cancel_requested: false,
  cancel_planned: false,
  ends_at_before_cancel: null,
  pauses_at: null,
  resumes_at: null,
  resume_anchor_day: null,
  trial_notice_sent: false,
  paid_periods: 1,
};
const period: Period = {
  number: 1,
  start_date: '2027-01-10',
  end_date: '2027-02-10',
  kind: 'paid',
  status: 'paid',
  lines: [{ kind: 'item', description: 'A', quantity: 1, amount_cents: 1000 }],
  amount_cents: 1000,
  carried_cents: 0,
  credit_used_cents: 0,
  discounts: [],
  changed_cents: 0,
  withheld_cents: 0,
  payment_intent_id: 'pi_1',
  failures: 0,
  first_failed_at: null,
  next_attempt_at: null,
  last_result_at: null,
  retry_asked_at: null,
  challenge_ends_at: null,
  is_given_back: false,
  served_until: null,
  gives_up_at: null,
  lapsed_at: null,
};
const pending = { state: 'pending', anchor_start: null, started_at: null, current_number: 0, next_number: 1 } as const;
const off = (amount_off_cents: number, periods_left: number | null): Discount => ({
  ...{ name: 'Off', percent_off: null, amount_off_cents, periods_left },
});

function of(more: Partial<SubscriptionTerms>, current: Period = period) {
  return withPeriods({ ...active, ...more }, [current], 'Etc/UTC');
}
const most = (...given: Parameters<typeof of>) => mostToCome(of(...given), at);

describe('the most that a payment to come of a subscription takes', () => {
  const table: [what: string, terms: Partial<SubscriptionTerms>, amount: number | null][] = [
    ['the price of the next period', {}, 1000],
    ['that of a change that is planned', { next_items: items(1500) }, 1500],
    ['a fee that waits', { one_off_items: [{ name: 'Fee', unit_amount_cents: 300, quantity: 2 }] }, 1600],
    [
      'lines of changes that wait',
      { next_period_lines: [{ kind: 'proration', description: 'A', quantity: 1, amount_cents: 70 }] },
      1070,
    ],
    ['no credit', { credit_balance_cents: 400 }, 1000],
    ['a discount without an end', { discounts: [off(200, null)] }, 800],
    ['no discount that ends', { discounts: [off(200, 5), off(100, null)] }, 900],
    ['a discount that is planned, instead of the present one', { next_discounts: [off(1, null)] }, 999],
    ['a whole period, if the next is short', { ...pending, start_date: '2027-01-20', anchor_day: 25 }, 1000],
    ['the first period after a trial', { ...pending, trial_days: 7 }, 1000],
    ['the period after a pause that is planned', { pauses_at: '2027-02-10' }, 1000],
    ['nothing if it ends with its period', { ends_at: '2027-02-10' }, null],
    ['nothing once it is canceled', { state: 'canceled' }, null],
  ];
  for (const [what, terms, amount] of table) {
    it(`counts for the limit: ${what}`, () => assert.equal(most(terms), amount));
  }

  it('counts an unpaid payment that costs more than the next period', () => {
    const failedAt = customerInstant('2027-01-14T00:00:00Z');
    const failed = { status: 'retrying', failures: 1, first_failed_at: failedAt, next_attempt_at: at } as const;
    const unpaid: Period = { ...period, ...failed, amount_cents: 1200 };
    assert.equal(most({ state: 'past_due' }, unpaid), 1200);
    assert.equal(most({ state: 'past_due', ends_at: '2027-02-10' }, unpaid), 1200);
  });

  it('counts what is owed for a former period on its own, and no month of a discount that comes back', () => {
    const failedAt = customerInstant('2026-12-14T00:00:00Z');
    const unpaid: Period = {
      ...period,
      ...{ start_date: '2026-12-10', end_date: '2027-01-10', status: 'unpaid', first_failed_at: failedAt, failures: 4 },
      ...{ served_until: customerInstant('2026-12-20T00:00:00Z'), discounts: [off(300, 0)], amount_cents: 700 },
    };
    const paused = { state: 'paused', state_reason: 'payment_failed' } as const;
    const [first] = comingPeriods(of(paused, unpaid), at, 1);
    assert.ok((first?.amount ?? 0) > 700 && first?.lines.some(({ kind }) => kind === 'owed'), JSON.stringify(first));
    assert.equal(most(paused, unpaid), 1000);
  });
});

describe('the periods to come of a subscription that waits for its start', () => {
  it('begin after its trial, which costs nothing and is not among them', () => {
    const [first] = comingPeriods(of({ ...pending, trial_days: 7 }), at, 1);
    assert.deepEqual([first?.number, first?.start, first?.amount], [2, '2027-01-22', 1000]);
  });
});
