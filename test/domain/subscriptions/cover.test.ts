import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { coverLine, type Fund, givenBy, withheldOf } from '../../../src/domain/subscriptions/cover.ts';

const opening = (held: number): Fund => ({ kind: 'opening', paid: 3000, held });
const change = (paid: number, held = paid): Fund => ({ kind: 'change', paid, held });
const downgraded = { status: 'paid', carried_cents: 0, changed_cents: -2250 } as const;

describe('what is withheld of the credit of a period', () => {
  for (const [why, period, funds, withheld] of [
    ['nothing while its payment holds more', downgraded, [opening(3000)], 0],
    ['what a refund leaves uncovered', downgraded, [opening(2000)], 250],
    ['all once its payment came back', downgraded, [], 2250],
    ['nothing of credit that the period used itself', { ...downgraded, carried_cents: -3000 }, [], 0],
    ['what its payment took for the period before', { ...downgraded, carried_cents: 1000 }, [opening(3000)], 250],
    ['no less because a payment of a change has given its part', downgraded, [change(500), opening(2000)], 250],
    [
      'the part of a change whose own payment was refunded, whatever the first payment holds',
      { ...downgraded, changed_cents: -1448 },
      [change(52, 0), opening(3000)],
      52,
    ],
    [
      'of the newest payments of changes first',
      { ...downgraded, changed_cents: 700 },
      [change(600, 100), change(500, 0), opening(3000)],
      300,
    ],
    [
      'what was paid for a change of a void period and refunded',
      { ...downgraded, status: 'void' },
      [change(500, 200)],
      300,
    ],
    [
      'what was credited in full and refunded',
      { ...downgraded, changed_cents: 0 },
      [{ kind: 'credited', paid: 100, held: 60 }, opening(3000)],
      40,
    ],
    ['nothing if it has given none', { ...downgraded, changed_cents: 700 }, [opening(0)], 0],
  ] as [string, Parameters<typeof withheldOf>[0], Fund[], number][]) {
    it(`is, for its changes, ${why}`, () => assert.equal(withheldOf(period, funds), withheld));
  }

  it('is the same before a change is paid as after it, so a quote says what is posted', () => {
    for (const held of [0, 2000, 3000]) {
      for (const changed of [-1000, 700]) {
        const [period, funds] = [{ ...downgraded, changed_cents: changed }, [change(300, 100), opening(held)]];
        assert.equal(withheldOf(period, [change(500), ...funds]), withheldOf(period, funds));
      }
    }
  });

  it('is a line of the account if it changes', () => {
    assert.deepEqual([coverLine(0), coverLine(250)[0]?.amount_cents, coverLine(-250)[0]?.kind], [[], 250, 'credit']);
  });
});

describe('the credit that a payment has given', () => {
  const parts = (period: Parameters<typeof givenBy>[0], ...funds: Fund[]) =>
    givenBy(period, funds).map(({ fund, given }) => `${fund.kind} ${given}`);

  it('is that of the changes first, the newest first, each up to what was paid, and the rest of the first payment', () => {
    const period = { ...downgraded, changed_cents: -1500 + 52 + 10 };
    assert.deepEqual(parts(period, change(52), change(10), opening(3000)), ['change 52', 'change 10', 'opening 1438']);
    assert.deepEqual(parts({ ...period, changed_cents: 22 }, change(52), change(10), opening(3000)), [
      'change 40',
      'change 0',
      'opening 0',
    ]);
  });

  it('is at most what the payment holds', () => {
    assert.deepEqual(parts(downgraded, change(500, 100), opening(2000)), ['change 100', 'opening 2000']);
  });

  it('is not the credit that the period has used', () => {
    assert.deepEqual(parts({ ...downgraded, carried_cents: -2000 }, opening(1000)), ['opening 1000']);
  });

  it('is all of a payment whose change was not made', () => {
    const period = { ...downgraded, changed_cents: 0 };
    assert.deepEqual(parts(period, { kind: 'credited', paid: 100, held: 60 }, opening(3000)), [
      'credited 60',
      'opening 0',
    ]);
  });
});
