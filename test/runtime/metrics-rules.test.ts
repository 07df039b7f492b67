import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { before, describe, it } from 'mocha';
import { namesRead } from './exposition.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary?: string; action?: string; runbook_url?: string };
}

const run = promisify(execFile);
const operations = 'docs/operations.md';

/** Runs Prometheus's own checker, and skips the test where it is not installed (Debian: package prometheus). */
async function promtool(test: Mocha.Context, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run('promtool', args);
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') test.skip();
    throw error;
  }
}

describe('the alert rules', () => {
  let rules: Rule[];
  before('read them', async () => {
    const { groups } = load(await readFile('monitoring/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
    rules = groups.flatMap((group) => group.rules);
  });

  it('are rules to Prometheus, and the example is a configuration', async function () {
    assert.match(await promtool(this, 'check', 'rules', 'monitoring/alerts.yml'), /SUCCESS: \d+ rules found/);
    await promtool(this, 'check', 'config', 'monitoring/prometheus.yml');
  });

  it('are silent while all is well and fire when they should, to Prometheus', async function () {
    assert.match(await promtool(this, 'test', 'rules', 'monitoring/alerts.test.yml'), /SUCCESS/);
  });

  it('have each a case in which it fires, and one in which it is silent', async () => {
    const { tests } = load(await readFile('monitoring/alerts.test.yml', 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    for (const { alert } of rules) {
      const counts = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length);
      assert.ok(counts.includes(0) && counts.some((count) => count > 0), alert);
    }
  });

  it('say each what has happened, what to do, and where that is explained', async () => {
    for (const { alert, labels, annotations } of rules) {
      assert.ok(['page', 'ticket'].includes(labels.severity), alert);
      assert.ok(annotations.summary && annotations.action, alert);
      assert.equal(annotations.runbook_url, `${operations}#${alert.toLowerCase()}`);
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  });

  it('lead to places of the page that are there', async () => {
    const text = await readFile(operations, 'utf8');
    const missing = rules.filter(({ alert }) => !text.includes(`<a id="${alert.toLowerCase()}"></a>`));
    assert.deepEqual(
      missing.map(({ alert }) => alert),
      [],
    );
  });
});

describe('the names that an expression reads', () => {
  it('are those of metrics, without functions, labels, ranges and texts', () => {
    const expression =
      'histogram_quantile(0.9, sum by (le, mode) (rate(a_bucket{b="c_total"}[5m]))) > 2 * d_total offset 1h and on (e) f';
    assert.deepEqual(namesRead(expression), ['a_bucket', 'd_total', 'f']);
    assert.deepEqual(namesRead('time() - max by (source) (g_seconds) > 180 or absent(up{job="x"})'), [
      'g_seconds',
      'up',
    ]);
  });
});
