import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { alertsElsewhere, drilledAlerts } from '../../faults/alert-drill/breakages/index.ts';
import { factor, readRules } from '../../faults/alert-drill/prometheus.ts';
import { renderSightings } from '../../faults/alert-drill/report.ts';
import { inTimeLapse, shorten, shortenExpression } from '../../faults/alert-drill/time-lapse.ts';

describe('the rules of the alert drill, in time lapse', () => {
  const durations: [string, number, string][] = [
    ['1m', 20, '3s'],
    ['1h', 20, '180s'],
    ['1d', 20, '4320s'],
    ['1h30m', 20, '270s'],
    ['30s', 20, '1500ms'],
    ['10ms', 20, '1ms'],
    ['15s', 60, '250ms'],
    ['1w', 7, '86400s'],
    ['1y', 365, '86400s'],
  ];
  for (const [long, by, short] of durations) {
    it(`a duration of ${long} divided by ${by} is ${short}`, () => assert.equal(shorten(long, by), short));
  }

  const expressions: [string, string, string][] = [
    ['a range', 'sum(rate(a_total[5m]))', 'sum(rate(a_total[15s]))'],
    ['a range and an offset', 'rate(a_total[1d] offset 1h)', 'rate(a_total[4320s] offset 180s)'],
    ['an offset into the future', 'a offset -10m', 'a offset -30s'],
    ['a range of several units', 'rate(a_total[1h30m])', 'rate(a_total[270s])'],
    ['a subquery', 'max_over_time(rate(a_total[5m])[1h:1m])', 'max_over_time(rate(a_total[15s])[180s:3s])'],
    ['a subquery without a resolution', 'max_over_time(a[1h:])', 'max_over_time(a[180s:])'],
    ['white space', 'rate(a_total[ 5m ] offset  1h)', 'rate(a_total[ 15s ] offset  180s)'],
  ];
  for (const [what, long, short] of expressions) {
    it(`an expression with ${what} has its durations divided by 20`, () =>
      assert.equal(shortenExpression(long, 20), short));
  }

  const unchanged: [string, string][] = [
    ['thresholds in seconds', 'max(payments_oldest_due_seconds) > 300'],
    ['a duration in a text', 'a{route="[5m]", b=\'offset 1h\', c=`[1h]`} > 0'],
    ['a class of letters in a pattern', 'a{b=~"x[0-9]\\"[5m]"}'],
    ['a name like an offset', 'my_offset_1h > 5 * another_5m'],
  ];
  for (const [what, expression] of unchanged) {
    it(`an expression keeps ${what}`, () => assert.equal(shortenExpression(expression, 20), expression));
  }

  it('have `for` divided too, and all else as it is', () => {
    const rule = {
      alert: 'A',
      expr: 'rate(a[5m]) > 1',
      labels: { severity: 'page' },
      annotations: { summary: 'in 5m' },
    };
    const file = { groups: [{ name: 'g', rules: [{ ...rule, for: '10m', keep_firing_for: '5m' }, rule] }] };
    const short = { ...rule, expr: 'rate(a[15s]) > 1' };
    assert.deepEqual(inTimeLapse(file, 20), {
      groups: [{ name: 'g', rules: [{ ...short, for: '30s', keep_firing_for: '15s' }, short] }],
    });
  });

  it('have no range of the rules that operators use left as it was', async () => {
    const rangesOf = (text: string) => text.match(/\[\d+\w+\]/g) ?? [];
    const ranges = (await readRules()).groups.flatMap(({ rules }) =>
      rules.flatMap(({ expr }) =>
        rangesOf(expr).map((range) => [range, rangesOf(shortenExpression(range, factor))[0]]),
      ),
    );
    assert.ok(ranges.length > 10);
    for (const [long, short] of ranges) assert.notEqual(short, long);
  });
});

describe('the alert drill', () => {
  it('has exactly one breakage for each alert, but for those that are named as brought about elsewhere', async () => {
    const alerts = (await readRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    assert.deepEqual([...drilledAlerts, ...Object.keys(alertsElsewhere)].sort(), [...alerts].sort());
  });

  it('says of an alert that did not fire why, in the order of the rules', () => {
    const seen = {
      ...{ alert: 'B', what: 'b is broken', summary: 'B | or not', problem: null },
      ...{ firedAfterSeconds: 7, resolvedAfterSeconds: 9 },
    };
    const missed = {
      ...{ alert: 'A', what: 'a is broken', summary: '', problem: 'a could not be broken' },
      ...{ firedAfterSeconds: null, resolvedAfterSeconds: null },
    };
    assert.deepEqual(renderSightings(['A', 'B'], [seen, missed]).split('\n').slice(2), [
      '| A | a is broken | not seen | a could not be broken | not seen |',
      '| B | b is broken | 7 s | B \\| or not | 9 s |',
    ]);
  });
});
