import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type CustomerInstant, customerInstant } from '../../../src/domain/instants.ts';
import { amountEntry } from '../../../src/domain/subscriptions/account.ts';
import { sumOf } from '../../../src/domain/subscriptions/lines.ts';
import type { SubscriptionTerms } from '../../../src/domain/subscriptions/subscription.ts';
import { type Outcome, Simulated } from './simulated.ts';

/** Day 0 is 31 January 2027. */
const day = (days: number): CustomerInstant => customerInstant(Date.parse('2027-01-31') + days * 86_400_000);
const towel = { name: 'Towel', unit_amount_cents: 300, quantity: 1 };
const half = { name: 'Half', percent_off: 50, amount_off_cents: null, periods_left: 2 };
const items = [{ id: 'sbi_1' as const, name: 'Class', unit_amount_cents: 1_000, quantity: 1 }];
const declined: Outcome[] = [true, false, false, false, false];

/** What the second period takes: a fee of 3.00, and lines of 2.50 or credit of 4.00. */
type Waiting = 'lines' | 'credit';

/** A weekly subscription of 10.00, on this day: its second period takes all that there is, and is not paid. */
function unpaidOn(
  on: number,
  waiting: Waiting,
  terms: Partial<SubscriptionTerms> = {},
  outcomes = declined,
): Simulated {
  const subject = new Simulated({ frequency_type: 'weekly', items, discounts: [half], ...terms }, outcomes);
  subject.ask({ name: 'start' });
  subject.sell({ one_off_items: [towel] });
  const amount = waiting === 'lines' ? 250 : -400;
  subject.apply({ entries: amountEntry('change', 1, 'Change', amount), events: [] });
  subject.runUntil(day(on));
  return subject;
}
/** One whose first payment takes the same, and fails. */
function unpaidAtStart(waiting: Waiting, terms: Partial<SubscriptionTerms> = {}): Simulated {
  const subject = new Simulated(
    { frequency_type: 'weekly', items, discounts: [{ ...half, periods_left: 1 }], one_off_items: [towel], ...terms },
    [false],
  );
  subject.apply({ entries: amountEntry('change', 0, 'Change', waiting === 'lines' ? 250 : -400), events: [] });
  subject.ask({ name: 'start' });
  return subject;
}

/** Fees and lines that wait, credit in hand, and how many months the discount has left. */
function left({ subscription: { terms } }: Simulated) {
  return {
    fees: terms.one_off_items.length,
    lines: sumOf(terms.next_period_lines.filter(({ kind }) => kind !== 'owed')),
    credit: terms.credit_balance_cents,
    months: (terms.next_discounts ?? terms.discounts)[0]?.periods_left ?? 0,
  };
}
const droppedOf = ({ letGo }: Simulated) => letGo.flatMap(({ dropped_lines: lines }) => lines);
const ended = (subject: Simulated) => {
  assert.equal(subject.subscription.terms.state, 'canceled');
  return subject;
};
const ask = (subject: Simulated, request: Parameters<Simulated['ask']>[0]) => {
  assert.ok(subject.ask(request));
  return subject;
};

describe('what a period took', () => {
  it('goes back and waits again by a first payment that fails', () => {
    assert.deepEqual(left(unpaidAtStart('lines')), { fees: 1, lines: 250, credit: 0, months: 1 });
    assert.deepEqual(left(unpaidAtStart('credit')), { fees: 1, lines: 0, credit: 400, months: 1 });
  });

  it('goes back by a resume after the first payment behind a trial, of which nothing was served', () => {
    for (const [waiting, amount] of [
      ['lines', 500 + 300 + 250],
      ['credit', 500 + 300 - 400],
    ] as const) {
      const subject = unpaidAtStart(waiting, { trial_days: 7 });
      subject.outcomes.push(false, false, false);
      subject.runUntil(day(15));
      assert.equal(subject.subscription.terms.state, 'paused');
      ask(subject, { name: 'resume' });
      assert.equal(subject.subscription.current?.amount_cents, amount);
    }
  });

  it('goes back by a resume that begins a new period, which takes all of it again', () => {
    const [lines, credit] = [unpaidOn(20, 'lines'), unpaidOn(20, 'credit')];
    // Paused, it has not gone back yet.
    assert.deepEqual(left(lines), { fees: 0, lines: 0, credit: 0, months: 0 });
    ask(lines, { name: 'resume' });
    ask(credit, { name: 'resume' });
    // Served on 5 of 7 days at 5.00: 3.57. Then half of 10.00, the fee, and lines or credit.
    assert.equal(lines.subscription.current?.amount_cents, 357 + 500 + 300 + 250);
    assert.equal(credit.subscription.current?.amount_cents, 357 + 500 + 300 - 400);
  });

  for (const [how, end] of [
    ['a cancel now', (waiting: Waiting) => ask(unpaidOn(8, waiting), { name: 'cancel', when: 'now' })],
    ['a cancel of what is paused', (waiting: Waiting) => ask(unpaidOn(13, waiting), { name: 'cancel', when: 'now' })],
    ['unpaid_behaviour: cancel', (waiting: Waiting) => unpaidOn(12, waiting, { unpaid_behaviour: 'cancel' })],
    [
      'a cancel at the end of the period',
      (waiting: Waiting) => {
        const subject = ask(unpaidOn(8, waiting, { grace_days: 2 }), { name: 'cancel', when: 'period_end' });
        subject.runUntil(day(14));
        return subject;
      },
    ],
    [
      'an end by the terms',
      (waiting: Waiting) => {
        const subject = unpaidOn(8, waiting, { grace_days: 2, ends_at: '2027-02-10' });
        subject.runUntil(day(14));
        return subject;
      },
    ],
    [
      'an end at a date',
      (waiting: Waiting) => {
        const subject = ask(unpaidOn(1, waiting), { name: 'cancel', when: { on: '2027-02-21' } });
        subject.runUntil(day(21));
        return subject;
      },
    ],
  ] as const) {
    it(`is dropped and told by ${how}; its credit goes back`, () => {
      const lines = ended(end('lines'));
      assert.deepEqual([left(lines).fees, left(lines).lines, left(lines).credit], [0, 0, 0]);
      assert.deepEqual(
        droppedOf(lines).map(({ kind, amount_cents: amount }) => [kind, amount]),
        [
          ['one_off', 300],
          ['proration', 250],
        ],
      );
      const credit = ended(end('credit'));
      assert.deepEqual([left(credit).fees, left(credit).lines, left(credit).credit], [0, 0, 400]);
      assert.deepEqual(
        droppedOf(credit).map(({ amount_cents: amount }) => amount),
        [300],
      );
    });
  }

  it('is not given back by a second end: it goes back once', () => {
    const subject = ended(ask(unpaidOn(8, 'credit'), { name: 'cancel', when: 'now' }));
    subject.apply({ events: [] });
    assert.equal(left(subject).credit, 400);
  });

  it('is taken if the period is paid after all', () => {
    const subject = unpaidOn(8, 'lines', {}, [true, false]);
    assert.deepEqual(left(subject), { fees: 0, lines: 0, credit: 0, months: 0 });
    assert.equal(subject.periods.get(2)?.status, 'paid');
    assert.equal(subject.periods.get(2)?.is_given_back, false);
  });

  it('is taken if the period was served to its end: then its payment is owed, or waived at an end', () => {
    const servedWhole = (waiting: Waiting) => {
      const subject = unpaidOn(8, waiting, {}, [true, true]);
      subject.runUntil(day(13));
      subject.outcomes.splice(0, subject.outcomes.length, false, false, false);
      subject.comeBack(2);
      subject.runUntil(day(20));
      return subject;
    };
    const resumed = servedWhole('credit');
    assert.equal(resumed.subscription.terms.state, 'paused');
    ask(resumed, { name: 'resume' });
    const owed = resumed.subscription.current?.lines.filter(({ kind }) => kind === 'owed');
    // 5.00 and 3.00 less the credit of 4.00, and four days after its end at 5.00 for 7 days.
    assert.deepEqual(
      owed?.map(({ amount_cents: amount }) => amount),
      [400, 286],
    );
    assert.equal(left(resumed).credit, 0);
    const canceled = ended(ask(servedWhole('lines'), { name: 'cancel', when: 'now' }));
    assert.equal(canceled.letGo.at(-1)?.waived_amount_cents, 1_050 + 286);
    assert.deepEqual(droppedOf(canceled), []);
  });

  it('leaves fees that only wait at a cancel dropped, and told', () => {
    const subject = unpaidOn(1, 'lines');
    ended(ask(subject, { name: 'cancel', when: 'now' }));
    assert.deepEqual(
      droppedOf(subject).map(({ description, amount_cents: amount }) => [description, amount]),
      [
        ['Change', 250],
        ['Towel', 300],
      ],
    );
    assert.deepEqual(left(subject), { fees: 0, lines: 0, credit: 0, months: 1 });
  });
});

describe('what a change tells', () => {
  it('is updated, if nothing else says that what is owed or until when has changed', () => {
    const subject = unpaidOn(14, 'lines');
    assert.equal(subject.told.at(-1)?.what, 'updated');
    assert.equal(subject.told.filter(({ what }) => what === 'updated').length, 1);
  });

  it('is that a period is paid, whenever one is', () => {
    const subject = new Simulated({ frequency_type: 'weekly', items, discounts: [{ ...half, percent_off: 100 }] }, []);
    subject.ask({ name: 'start' });
    subject.runUntil(day(15));
    assert.equal(subject.told.filter(({ what }) => what === 'period_paid').length, 3);
    assert.deepEqual(subject.paid, [1, 2, 3]);
  });

  it('is which period is paid: of two that came back, the older one first', () => {
    const subject = new Simulated({ frequency_type: 'weekly', items }, []);
    subject.ask({ name: 'start' });
    subject.runUntil(day(9));
    for (const number of [2, 1]) subject.comeBack(number);
    subject.runUntil(day(13));
    assert.deepEqual(subject.paid, [1, 2, 1, 2]);
  });
});
