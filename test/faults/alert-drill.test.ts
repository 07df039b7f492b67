import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { alertsElsewhere, drilledAlerts } from '../../faults/alert-drill/breakages/index.ts';
import { factor, readRules } from '../../faults/alert-drill/prometheus.ts';
import { shortenExpression } from '../../faults/alert-drill/time-lapse.ts';

describe('the rules of the alert drill, in time lapse', () => {
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
});
