import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type CustomerInstant, customerInstant } from '../../../src/domain/instants.ts';
import {
  afterFailedAttempt,
  afterInFlightOutcome,
  afterReturn,
  firstChallenge,
  firstRetry,
  isRightRetry,
  type RecurringPayment,
  untried,
} from '../../../src/domain/recurring/recurring-payment.ts';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';

/** Day 1 is Monday, 4 January 2027. */
const day = (number: number): CustomerInstant => customerInstant(Date.UTC(2027, 0, 3 + number));
const paymentOf = (more: Partial<RecurringPayment>): RecurringPayment => ({
  ...untried,
  status: 'processing',
  payment_intent_id: 'pi_1',
  ...more,
});
const dunned = { failure_behaviour: 'retry', time_zone: 'Etc/UTC' } as const;
const none = { failures: 0, first_failed_at: null };

describe('the payment of a slot or a period', () => {
  it('is retried first if its retry is due first, and at the same instant if it is the older one', () => {
    const retried = (at: number) => paymentOf({ status: 'retrying', next_attempt_at: day(at) });
    const [a, b, c] = [retried(3), retried(2), retried(2)];
    assert.equal(firstRetry([a, b, c]), b);
    assert.equal(firstRetry([paymentOf({}), a]), a);
    assert.equal(firstRetry([paymentOf({})]), null);
  });

  it('ends its challenge first if that ends first, and only while it is processing', () => {
    const waiting = (at: number) => paymentOf({ challenge_ends_at: day(at) });
    const [a, b, c] = [waiting(3), waiting(2), waiting(2)];
    assert.equal(firstChallenge([a, b, c]), b);
    assert.equal(firstChallenge([{ ...b, status: 'paid' }, paymentOf({})]), null);
  });

  it('has a right retry if that is the instant of dunning, an hour apart by a change of clocks, or at once', () => {
    const failed = { status: 'retrying', failures: 1, first_failed_at: day(1) };
    const isRight = (at: CustomerInstant | null, more: Partial<RecurringPayment> = failed) =>
      isRightRetry(paymentOf({ ...more, next_attempt_at: at }), 'Etc/UTC', day(5));
    const hour = customerInstant(day(2).getTime() + 3_600_000);
    assert.deepEqual([isRight(day(2)), isRight(hour), isRight(day(3)), isRight(null)], [true, true, false, false]);
    const debit = { ...failed, last_result_at: day(1) };
    assert.equal(isRight(hour, debit), false);
    const atOnce = { status: 'retrying' };
    assert.deepEqual([isRight(day(5), atOnce), isRight(day(6), atOnce)], [true, false]);
  });

  it('begins a series with its first failure, and counts on with each that the service makes', () => {
    const failure = { at: day(1), code: 'insufficient_funds', scheme: null } as const;
    const { series, step } = afterFailedAttempt(dunned, none, failure, true);
    assert.deepEqual(series, { failures: 1, first_failed_at: day(1), last_result_at: null });
    assert.deepEqual(step, { kind: 'retry', at: day(2) });
    const last = afterFailedAttempt(dunned, { failures: 3, first_failed_at: day(1) }, { ...failure, at: day(6) }, true);
    assert.deepEqual([last.series.failures, last.step.kind], [4, 'suspend']);
  });

  it('stays where it was in its series when a payer tries in vain, but a debit that a bank refuses begins one', () => {
    const failure = { at: day(2), code: 'insufficient_funds', scheme: null } as const;
    const before = { failures: 1, first_failed_at: day(1) };
    assert.deepEqual(afterFailedAttempt(dunned, before, failure, false), {
      series: { ...before, last_result_at: null },
      step: { kind: 'retry', at: day(2) },
    });
    const refused = afterFailedAttempt(dunned, none, { ...failure, scheme: auBecs }, false);
    assert.deepEqual(refused.series, { failures: 1, first_failed_at: day(2), last_result_at: day(2) });
  });

  it('begins a new series when the bank takes it back, of which that is the first failure', () => {
    const back = { at: day(2), code: 'insufficient_funds', scheme: auBecs } as const;
    const { series, step } = afterReturn(dunned, back);
    assert.deepEqual(series, { failures: 1, first_failed_at: day(2), last_result_at: day(2) });
    // The next business day at 09:00 in Sydney.
    assert.deepEqual(step, { kind: 'retry', at: customerInstant('2027-01-05T22:00:00Z') });
    const stopped = afterReturn({ ...dunned, failure_behaviour: 'stop' }, back);
    assert.deepEqual([stopped.series, stopped.step.kind], [series, 'suspend']);
  });

  it('is no longer under way once it has its outcome, and never less than nothing is', () => {
    assert.deepEqual(afterInFlightOutcome({ in_flight_cents: 300 }, 100), { in_flight_cents: 200 });
    assert.deepEqual(afterInFlightOutcome({ in_flight_cents: 300 }, 400), { in_flight_cents: 0 });
    assert.equal(afterInFlightOutcome({ in_flight_cents: 0 }, 100), undefined);
  });
});
