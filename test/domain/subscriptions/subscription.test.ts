import assert from 'node:assert/strict';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import { startOfDay } from '../../../src/domain/calendar.ts';
import { derive } from '../../../src/domain/subscriptions/derive.ts';
import { sumOf } from '../../../src/domain/subscriptions/lines.ts';
import { isOwedAlone } from '../../../src/domain/subscriptions/owed.ts';
import { isOpen, type Period } from '../../../src/domain/subscriptions/subscription.ts';
import { searchMs, searchRuns, searchSeed } from '../../support/search.ts';
import { courses, type Lived, live, type Simulated } from './simulated.ts';

/** What a period leaves on the account: what its changes cost, less what it took, unless that went back. */
function leftBy({ status, changed_cents: changed, carried_cents: carried, ...period }: Period): number {
  const taken = period.is_given_back ? 0 : carried;
  if (status === 'void') return 0 - taken;
  // At the end only the credit goes back: the lines that it took are dropped.
  return changed - (period.is_given_back ? carried + period.credit_used_cents : carried);
}

describe('random courses of subscriptions', () => {
  const lives: { life: Lived; subject: Simulated }[] = [];
  const seed = searchSeed;
  /** Some of these have a change that is paid, and a refund of credit: rare, so random lives may have none. */
  const kept = { numRuns: 400, seed: 11 };

  before('live them', function () {
    this.timeout(120_000 + searchMs);
    for (const parameters of [kept, { numRuns: searchRuns(1_100), seed }])
      for (const life of fc.sample(courses, parameters)) lives.push({ life, subject: live(life) });
  });

  function hold(check: (subject: Simulated) => void): void {
    for (const { life, subject } of lives) {
      try {
        check(subject);
      } catch (error) {
        throw new Error(`seed ${seed}, life ${JSON.stringify(life)}`, { cause: error });
      }
    }
  }

  it('have periods that are disjoint, unless they are void', () => {
    hold(({ periods }) => {
      const bought = [...periods.values()].filter(({ status }) => status !== 'void');
      for (const [index, period] of bought.entries()) {
        const next = bought[index + 1];
        if (next !== undefined) assert.ok(next.start_date >= period.end_date);
      }
    });
  });

  it('have at most one period that is owed, unless a bank has taken a payment back, or it takes what is owed alone', () => {
    hold(({ periods, hasComeBack }) => {
      const owed = [...periods.values()].filter((period) => isOpen(period) && !isOwedAlone(period));
      assert.ok(hasComeBack || owed.length <= 1);
    });
  });

  it('never owe anything while they are pending, and count what was paid', () => {
    hold(({ subscription: { terms }, periods }) => {
      const paid = [...periods.values()].filter(({ kind, status }) => kind === 'paid' && status === 'paid');
      assert.equal(terms.paid_periods, paid.length);
      if (terms.state === 'pending') assert.equal([...periods.values()].filter(isOpen).length, 0);
    });
  });

  it('say in turn that they are in effect and that they are not', () => {
    hold(({ told, inEffect }) => {
      const said = told.filter(({ what }) => what === 'in_effect_changed').map((one) => one.inEffect);
      for (const [index, value] of said.entries()) assert.equal(value, index % 2 === 0);
      assert.equal(said.at(-1) ?? false, inEffect);
    });
  });

  it('come into effect only for time that is paid, or granted after a failure, and that is not over', () => {
    hold(({ told }) => {
      for (const { at, what, inEffect, until } of told) {
        if (what === 'in_effect_changed' && inEffect) assert.ok(until !== null && until > at);
      }
    });
  });

  it('are in effect only in a period that was begun', () => {
    hold(({ subscription: { terms, current }, inEffect, now }) => {
      if (!inEffect) return;
      assert.ok(['trialing', 'active', 'past_due'].includes(terms.state));
      assert.ok(current !== null && startOfDay(current.start_date, 'UTC') <= now);
    });
  });

  it('begin no period after they were paused or canceled, until they are resumed', () => {
    hold(({ told }) => {
      let isStopped = false;
      for (const { what } of told) {
        if (what === 'paused' || what === 'canceled') isStopped = true;
        if (what === 'resumed' || what === 'recovered') isStopped = false;
        if (what === 'renewed') assert.ok(!isStopped);
      }
    });
  });

  it('wait for nothing once they are canceled', () => {
    hold(({ subscription, now }) => {
      if (subscription.terms.state !== 'canceled') return;
      const derived = derive(subscription, now, true);
      const {
        in_effect: _,
        in_effect_until: __,
        owed_amount_cents: owed,
        unpaid_one_off_items: fees,
        ...dates
      } = derived;
      assert.deepEqual(new Set(Object.values(dates)), new Set([null]));
      assert.deepEqual([owed, fees], [0, []]);
    });
  });

  it('have periods that cost the sum of their lines, never less than nothing', () => {
    hold(({ periods }) => {
      for (const { lines, amount_cents: amount } of periods.values()) {
        assert.equal(amount, sumOf(lines));
        assert.ok(amount >= 0);
      }
    });
  });

  it('never have credit below nothing, and none beside what is left for the next period', () => {
    hold(({ subscription: { terms } }) => {
      const left = sumOf(terms.next_period_lines);
      assert.ok(terms.credit_balance_cents >= 0 && left >= 0);
      assert.ok(terms.credit_balance_cents === 0 || left === 0);
    });
  });

  it('have as much credit as changes and payments left, less what periods and refunds used', () => {
    hold((subject) => {
      const lines = [...subject.periods.values()].reduce((sum, period) => sum + leftBy(period), 0);
      const posted = subject.entries.filter(({ kind }) => kind === 'owed' || kind === 'dropped');
      const others = posted.reduce((sum, entry) => sum + sumOf(entry.lines), 0);
      assert.equal(subject.balance(), lines + others - subject.paidForChanges + subject.refunded);
    });
  });

  it('are what the entries of their account leave', () => {
    hold((subject) => {
      assert.equal(
        subject.balance(),
        subject.entries.reduce((sum, { lines }) => sum + sumOf(lines), 0),
      );
    });
  });

  it('credit no more for a period than its items cost', () => {
    hold(({ periods }) => {
      for (const { amount_cents: amount, carried_cents: carried, changed_cents: changed } of periods.values()) {
        assert.ok(amount - carried + changed >= 0);
      }
    });
  });

  it('charge for a change the sum of the lines of its quote', () => {
    hold(({ quotes }) => {
      for (const { amount, lines } of quotes) assert.equal(amount, sumOf(lines));
    });
    assert.ok(lives.some(({ subject }) => subject.quotes.length > 0 && subject.paidForChanges > 0));
    assert.ok(lives.some(({ subject }) => subject.refunded > 0));
  });

  it('are the same in one advance and in any split of it', () => {
    fc.assert(
      fc.property(courses, fc.integer({ min: 1, max: 9 }), (life, part) => {
        const split = life.deeds.flatMap((deed) =>
          deed.do === 'pass' && deed.days > part
            ? [
                { ...deed, days: part },
                { ...deed, days: deed.days - part },
              ]
            : [deed],
        );
        assert.deepEqual(live({ ...life, deeds: split }).summary(), live(life).summary());
      }),
      { numRuns: 1_000 },
    );
  });
});
