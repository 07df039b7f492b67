import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import { amountEntry } from '../../../src/domain/subscriptions/account.ts';
import { wayToCollect } from '../../../src/domain/subscriptions/coming.ts';
import {
  isServedToEnd,
  owedAmount,
  owedFor,
  owedLines,
  owedParts,
  unpaidPeriods,
} from '../../../src/domain/subscriptions/owed.ts';
import { openPeriods, type Period } from '../../../src/domain/subscriptions/subscription.ts';
import { type Outcome, Simulated } from './simulated.ts';

/** Day 0 is 31 January 2027. */
const day = (days: number) => customerInstant(Date.parse('2027-01-31') + days * 86_400_000);
const declined: Outcome[] = [true, false, false, false, false];

/** A weekly subscription of 10.00 from day 0, on this day. Its second period is declined. */
function weekly(on: number, terms: ConstructorParameters<typeof Simulated>[0] = {}, outcomes = declined): Simulated {
  const items = [{ id: 'sbi_1' as const, name: 'Class', unit_amount_cents: 1_000, quantity: 1 }];
  const subject = new Simulated({ frequency_type: 'weekly', items, ...terms }, outcomes);
  subject.ask({ name: 'start' });
  subject.runUntil(day(on));
  return subject;
}
const stateOf = ({ subscription: { terms } }: Simulated) => [terms.state, terms.state_reason];
const owed = ({ subscription, now }: Simulated) => owedAmount(subscription, now);
const shown = (period: Period | null | undefined) =>
  period?.lines.map(({ kind, description, amount_cents: amount }) => [kind, description, amount]);

describe('what was served and not paid', () => {
  it('is owed as the unpaid payment itself while its period runs, whatever part of that was paused', () => {
    const subject = weekly(13);
    assert.deepEqual([...stateOf(subject), owed(subject)], ['paused', 'payment_failed', 1_000]);
    assert.ok(subject.ask({ name: 'resume' }));
    assert.deepEqual(stateOf(subject), ['active', null]);
    assert.deepEqual([subject.inEffect, subject.before.in_effect_until], [true, day(14)]);
    subject.runUntil(day(14));
    const { number, start_date: start, amount_cents: amount } = subject.subscription.current ?? {};
    assert.deepEqual([number, start, amount], [3, '2027-02-14', 1_000]);
  });

  it('is a line of the new period once that is over: its share of the days, rounded half up', () => {
    const subject = weekly(20);
    assert.equal(owed(subject), 714);
    assert.ok(subject.ask({ name: 'resume' }));
    assert.equal(subject.periods.get(2)?.status, 'void');
    const { current } = subject.subscription;
    assert.deepEqual([current?.start_date, current?.amount_cents, current?.status], ['2027-02-20', 1_714, 'paid']);
    assert.deepEqual(shown(current), [
      ['item', 'Class', 1_000],
      ['owed', 'Period 2: 5 of 7 days from 2027-02-07', 714],
    ]);
    assert.equal(owed(subject), 0);
  });

  it('is let go by name: the new period takes its own price, and the event says how much', () => {
    const subject = weekly(20);
    assert.ok(subject.ask({ name: 'resume', unpaid: 'waive' }));
    assert.equal(subject.subscription.current?.amount_cents, 1_000);
    assert.ok(subject.letGo.some(({ waived_amount_cents: waived }) => waived === 714));
  });

  it('is let go by name while its period runs, too: that is void and a new one begins today', () => {
    const subject = weekly(13);
    assert.ok(subject.ask({ name: 'resume', unpaid: 'waive' }));
    const { current } = subject.subscription;
    assert.deepEqual([current?.start_date, current?.amount_cents], ['2027-02-13', 1_000]);
    assert.equal(subject.periods.get(2)?.status, 'void');
  });

  it('is all of a period that a retry had paid, if the bank takes that payment back after its end', () => {
    const subject = weekly(21, { trial_days: 13, grace_days: 2 }, [false, true, false, false, false, false]);
    subject.comeBack(2);
    assert.deepEqual([subject.inEffect, subject.periods.get(2)?.served_until], [false, day(20)]);
    const [second] = unpaidPeriods(subject.subscription);
    assert.equal(second && isServedToEnd(subject.subscription, second, subject.now), true);
  });

  it('is let go by a cancel, which says so', () => {
    const subject = weekly(20);
    assert.ok(subject.ask({ name: 'cancel', when: 'now' }));
    assert.equal(subject.letGo.at(-1)?.waived_amount_cents, 714);
    assert.equal(owed(subject), 0);
  });

  it('ends at the instant that was planned, and not when a late worker records it', () => {
    const subject = weekly(7, {}, [true, false, false, false, false]);
    // The last retry was due on day 12. Its result comes three days late.
    subject.runUntil(day(11));
    subject.now = day(15);
    subject.runUntil(day(15));
    assert.deepEqual(subject.periods.get(2)?.served_until, day(12));
    assert.equal(owed(subject), 714);
  });

  it('ends with the grace, if that is before the last retry', () => {
    const subject = weekly(20, { grace_days: 2 });
    assert.deepEqual(subject.periods.get(2)?.served_until, day(9));
    assert.equal(owed(subject), 286);
  });

  it('counts a local day that began before it ended', () => {
    const { subscription, now } = weekly(20);
    const period = unpaidPeriods(subscription)[0];
    assert.ok(period);
    const at = (served_until: Date) =>
      owedLines(subscription, { ...period, served_until: customerInstant(served_until.getTime()) }, now)[0];
    assert.match(at(new Date(day(12).getTime() + 1))?.description ?? '', /6 of 7 days/);
    assert.match(at(day(12))?.description ?? '', /5 of 7 days/);
    const inSydney = { ...subscription, timeZone: 'Australia/Sydney' };
    const served_until = customerInstant('2027-02-12T13:30:00Z');
    assert.match(owedLines(inSydney, { ...period, served_until }, now)[0]?.description ?? '', /7 of 7 days/);
  });

  it('is nothing for a renewal without grace, and for a first payment', () => {
    const none = weekly(20, { grace_days: 0 });
    assert.deepEqual([...stateOf(none), owed(none)], ['paused', 'payment_failed', 0]);
    assert.ok(none.ask({ name: 'resume' }));
    assert.equal(none.subscription.current?.amount_cents, 1_000);
    const first = weekly(1, {}, [false]);
    assert.deepEqual([...stateOf(first), owed(first)], ['pending', null, 0]);
  });

  it('is all that the period takes if it was served to its end, and then the days after that, at its price per day', () => {
    const subject = weekly(13);
    const period = unpaidPeriods(subject.subscription)[0];
    assert.ok(period);
    const fee = { kind: 'one_off' as const, description: 'Towel', quantity: 1, amount_cents: 300 };
    const whole = { ...period, lines: [...period.lines, fee], amount_cents: 1_300, served_until: day(16) };
    assert.ok(isServedToEnd(subject.subscription, whole, day(20)));
    assert.deepEqual(
      owedLines(subject.subscription, whole, day(20)).map(({ description, amount_cents: amount }) => [
        description,
        amount,
      ]),
      [
        ['Period 2: 7 of 7 days from 2027-02-07', 1_300],
        ['After period 2: 2 days from 2027-02-14', 286],
      ],
    );
    // Served in part: without its fee, which waits again.
    assert.deepEqual(
      owedLines(subject.subscription, { ...whole, served_until: day(12) }, day(20)).map((line) => line.amount_cents),
      [714],
    );
  });

  it('is at the discounted price, and the month of the discount comes back', () => {
    const half = { name: 'Half', percent_off: 50, amount_off_cents: null, periods_left: 2 };
    const subject = weekly(20, { discounts: [half] });
    assert.equal(subject.periods.get(2)?.amount_cents, 500);
    assert.equal(owed(subject), 357);
    assert.ok(subject.ask({ name: 'resume' }));
    assert.equal(subject.subscription.current?.amount_cents, 857);
  });

  it('stays one line when the new period fails in turn: that has its own beside it, and a waiver lets both go', () => {
    const again = () => {
      const subject = weekly(20, {}, [...declined, false, false, false, false]);
      assert.ok(subject.ask({ name: 'resume' }));
      subject.runUntil(day(30));
      return subject;
    };
    const subject = again();
    assert.deepEqual([...stateOf(subject), owed(subject)], ['paused', 'payment_failed', 1_428]);
    const [third] = openPeriods(subject.subscription);
    assert.equal(third && owedFor(subject.subscription, third, subject.now).length, 2);
    assert.ok(subject.ask({ name: 'resume' }));
    assert.deepEqual(shown(subject.subscription.current)?.slice(1), [
      ['owed', 'Period 3: 5 of 7 days from 2027-02-20', 714],
      ['owed', 'Period 2: 5 of 7 days from 2027-02-07', 714],
    ]);
    assert.equal(subject.subscription.current?.amount_cents, 2_428);
    subject.runUntil(day(38));
    assert.equal(subject.subscription.current?.amount_cents, 1_000);
    const waived = again();
    assert.ok(waived.ask({ name: 'resume', unpaid: 'waive' }));
    assert.equal(waived.subscription.current?.amount_cents, 1_000);
    assert.ok(waived.letGo.some(({ waived_amount_cents: amount }) => amount === 1_428));
    const canceled = again();
    assert.ok(canceled.ask({ name: 'cancel', when: 'now' }));
    assert.deepEqual(canceled.letGo.at(-1), { waived_amount_cents: 1_428, dropped_lines: [] });
  });

  it('is paid for all unpaid periods, the older first, while one of them runs', () => {
    const subject = weekly(8, {}, [true]);
    subject.comeBack(1);
    subject.comeBack(2);
    assert.equal(owed(subject), 2_000);
    assert.ok(subject.ask({ name: 'retry_now' }));
    assert.deepEqual([...stateOf(subject), owed(subject)], ['active', null, 0]);
    const paid = subject.told.filter(({ what }) => what === 'period_paid').length;
    assert.equal(paid, 4);
  });

  it('is one line for each unpaid period once none runs', () => {
    const subject = weekly(8, {}, [true, true, false, false, false, false, false, false, false, false]);
    subject.comeBack(1);
    subject.comeBack(2);
    subject.runUntil(day(25));
    assert.deepEqual(stateOf(subject), ['paused', 'payment_failed']);
    assert.ok(subject.ask({ name: 'resume' }));
    const lines = shown(subject.subscription.current)?.filter(([kind]) => kind === 'owed');
    assert.equal(lines?.length, 2);
    assert.deepEqual(lines?.map(([, description]) => description).toSorted(), [
      'Period 1: 7 of 7 days from 2027-01-31',
      'Period 2: 1 of 7 days from 2027-02-07',
    ]);
  });
});

describe('what is owed, if one payment has a limit', () => {
  const wayUnder = ({ subscription, now }: Simulated, limit: number) =>
    wayToCollect(subscription, now, null, (amount) => amount > limit);
  const rows = ({ periods }: Simulated) =>
    [...periods.values()].map(({ number, start_date: start, status, amount_cents: amount }) => [
      number,
      start,
      status,
      amount,
    ]);

  it('is a line of the new period, apart if the sum is above the limit, and nothing if a part alone is', () => {
    const subject = weekly(20);
    assert.equal(wayUnder(subject, 1_714), 'with_period');
    assert.equal(wayUnder(subject, 1_713), 'apart');
    assert.equal(wayUnder(subject, 714), 'apart');
    assert.equal(wayUnder(subject, 713), 'impossible');
  });

  it('is the unpaid payment itself under any limit while its period runs', () => {
    assert.equal(wayUnder(weekly(13), 0), 'with_period');
  });

  it('is a period of its own apart, with the dates of the unpaid one and lines that are owed alone', () => {
    const subject = weekly(20);
    assert.ok(subject.ask({ name: 'resume', isOwedApart: true }));
    assert.deepEqual(rows(subject), [
      [1, '2027-01-31', 'paid', 1_000],
      [2, '2027-02-07', 'void', 1_000],
      [3, '2027-02-07', 'paid', 714],
      [4, '2027-02-20', 'paid', 1_000],
    ]);
    assert.deepEqual(shown(subject.periods.get(3)), [['owed', 'Period 2: 5 of 7 days from 2027-02-07', 714]]);
    assert.deepEqual([...stateOf(subject), owed(subject)], ['active', null, 0]);
  });

  it('leaves credit to the new period', () => {
    const subject = weekly(20);
    subject.apply({ entries: amountEntry('paid_after_end', 1, 'Credit', -300), events: [] });
    assert.ok(subject.ask({ name: 'resume', isOwedApart: true }));
    assert.deepEqual(
      rows(subject)
        .slice(2)
        .map(([, , , amount]) => amount),
      [714, 700],
    );
  });

  it('does not hold the new period up if it fails at once, and is owed again', () => {
    const subject = weekly(20, {}, [...declined, false, true, false, false, false]);
    assert.ok(subject.ask({ name: 'resume', isOwedApart: true }));
    assert.deepEqual([...stateOf(subject), owed(subject)], ['past_due', null, 714]);
    assert.deepEqual(rows(subject).slice(2), [
      [3, '2027-02-07', 'retrying', 714],
      [4, '2027-02-20', 'paid', 1_000],
    ]);
    subject.runUntil(day(28));
    assert.deepEqual([...stateOf(subject), owed(subject)], ['paused', 'payment_failed', 714]);
    assert.ok(subject.ask({ name: 'resume' }));
    assert.deepEqual(shown(subject.subscription.current)?.slice(1), [
      ['owed', 'Period 2: 5 of 7 days from 2027-02-07', 714],
    ]);
  });

  it('is no line and no fee of another: fees that are replaced wait for the new period', () => {
    const subject = weekly(20, {}, [...declined, false, true, false, false, false]);
    assert.ok(subject.ask({ name: 'resume', isOwedApart: true }));
    subject.fee([{ name: 'Towel', unit_amount_cents: 100, quantity: 1 }]);
    assert.equal(subject.periods.get(3)?.amount_cents, 714);
    assert.equal(subject.subscription.terms.one_off_items.length, 1);
  });

  it('has the days before today alone of a period that took it and runs: on the first of them it cannot be apart', () => {
    const { subscription, now } = weekly(20);
    const line = { description: 'Period 1', quantity: 1 };
    const lines: Period['lines'] = [
      { ...line, kind: 'item', amount_cents: 1_000 },
      { ...line, kind: 'owed', amount_cents: 714 },
    ];
    const began = (start_date: string) => {
      const period = {
        ...(subscription.current as Period),
        start_date,
        end_date: '2027-02-26',
        lines,
        carried_cents: 714,
      };
      return { ...subscription, current: period, periods: [period] };
    };
    const isAbove = (amount: number) => amount > 1_000;
    assert.equal(wayToCollect(began('2027-02-19'), now, null, isAbove), 'apart');
    assert.deepEqual(
      owedParts(began('2027-02-19'), now).map(({ end_date: end, lines: own }) => [end, own]),
      [['2027-02-20', lines.slice(1)]],
    );
    assert.equal(wayToCollect(began('2027-02-20'), now, null, isAbove), 'impossible');
  });
});
