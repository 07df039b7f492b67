import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { coverLine, withheldOf } from '../../../src/domain/subscriptions/cover.ts';

describe('what is withheld of the credit of a period', () => {
  const paid = { opening_held: 3000, changes_paid: 0, changes_held: 0, credited_lost: 0 };
  const downgraded = { status: 'paid', carried_cents: 0, changed_cents: -2250 } as const;

  for (const [why, period, funds, withheld] of [
    ['nothing while its payment holds more', downgraded, paid, 0],
    ['what a refund leaves uncovered', downgraded, { ...paid, opening_held: 2000 }, 250],
    ['all once its payment came back', downgraded, { ...paid, opening_held: 0 }, 2250],
    [
      'nothing of credit that the period used itself',
      { ...downgraded, carried_cents: -3000 },
      { ...paid, opening_held: 0 },
      0,
    ],
    ['what its payment took for the period before', { ...downgraded, carried_cents: 1000 }, paid, 250],
    [
      'nothing while what was paid for its changes covers it',
      downgraded,
      { ...paid, opening_held: 2000, changes_paid: 500, changes_held: 500 },
      250,
    ],
    [
      'what was paid for a change of a void period and refunded',
      { ...downgraded, status: 'void' },
      { ...paid, opening_held: 0, changes_paid: 500, changes_held: 200 },
      300,
    ],
    ['what was credited in full and refunded', { ...downgraded, changed_cents: 0 }, { ...paid, credited_lost: 40 }, 40],
    ['nothing if it has given none', { ...downgraded, changed_cents: 700 }, { ...paid, opening_held: 0 }, 0],
  ] as const) {
    it(`is, for its changes, ${why}`, () => assert.equal(withheldOf(period, funds), withheld));
  }

  it('is a line of the account if it changes', () => {
    assert.deepEqual([coverLine(0), coverLine(250)[0]?.amount_cents, coverLine(-250)[0]?.kind], [[], 250, 'credit']);
  });
});
