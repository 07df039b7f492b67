import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'mocha';
import { foundWhereMoneyWaitsSeconds, foundWithinSeconds } from '../../faults/breakages/course.ts';
import { comparedAgainAfterSeconds } from '../../src/db/live-charging.ts';
import { checkedAgainAfterSeconds } from '../../src/operations/invariants/checks.ts';
import { fullDatabase } from '../../src/operations/stuck/database.ts';
import { stuckDefinitions } from '../../src/operations/stuck/definitions.ts';
import { listeners } from '../../src/operations/stuck/listeners.ts';
import { refusedWrites } from '../../src/operations/stuck/refused-writes.ts';
import { sessionDefinitions } from '../../src/operations/stuck/sessions.ts';
import { workflowDefinitions } from '../../src/operations/stuck/workflows.ts';
import { watchedEveryMs } from '../../src/processes/self-watch.ts';

/** Such as "5 min" or "at once", in seconds; what follows it is left out. */
function secondsOf(text: string): number {
  if (text.startsWith('at once')) return 0;
  const [, count = '', unit = ''] = /^(\d+) (s|min|day)\b/.exec(text) ?? [];
  return Number(count) * ({ s: 1, min: 60, day: 86_400 }[unit] ?? Number.NaN);
}

/** The kinds whose limit in the table is not that of their definition. */
const otherwise: Record<string, string> = {
  clock_wrong: `${watchedEveryMs / 1000} s`, // a process looks at itself so often
  files_used_up: `${watchedEveryMs / 1000} s`,
  encryption_keys_old: `${watchedEveryMs / 1000} s`,
  rows_broken: 'within a minute',
  worker_missing: '30 s; where Temporal is on another machine, 90 s',
  workflow_task_failing: 'the server counts',
};

describe('the figures in the pages for operators', () => {
  it('are, for each kind of stuck, the limit that the code has', async () => {
    const text = await readFile('docs/operations.md', 'utf8');
    const rows = [...text.matchAll(/^\| `([a-z_]+)` \| .* \| ([^|]+) \| [^|]+ \|$/gm)];
    const limits = new Map(rows.map(([, kind = '', limit = '']) => [kind, limit]));
    const definitions = [
      ...stuckDefinitions.map(({ kind, afterSeconds }) => ({ kind, after: afterSeconds })),
      ...sessionDefinitions.map(({ kind, afterSeconds }) => ({ kind, after: afterSeconds })),
      ...workflowDefinitions.map(({ kind, after_seconds }) => ({ kind, after: after_seconds })),
      ...Object.values(listeners).map(({ definition: { kind, after_seconds: after } }) => ({ kind, after })),
      ...[fullDatabase, refusedWrites].map(({ kind, after_seconds: after }) => ({ kind, after })),
    ];
    assert.ok(definitions.length >= 30);
    for (const { kind, after } of definitions) {
      const limit = limits.get(kind) ?? assert.fail(`${kind} has no limit`);
      if (kind in otherwise) assert.equal(limit, otherwise[kind], kind);
      else assert.equal(secondsOf(limit), after, `${kind}: ${limit}`);
    }
    const worker = workflowDefinitions.find(({ kind }) => kind === 'worker_missing');
    assert.ok(otherwise.worker_missing?.endsWith(`${worker?.after_seconds} s`));
  });

  it('say how often the list of the live processor and the invariants are compared as the code does', async () => {
    const [operations, processors] = await Promise.all(
      ['docs/operations.md', 'docs/processors.md'].map((page) => readFile(page, 'utf8')),
    );
    for (const page of [operations ?? '', processors ?? ''])
      assert.match(page, new RegExp(`list(?: with the database|,) every ${comparedAgainAfterSeconds} seconds`));
    assert.equal(checkedAgainAfterSeconds, 30);
    assert.match(operations ?? '', /each again after half a minute/);
    assert.match(operations ?? '', /compares those that wait with their rows every half minute/);
  });

  it('say in docs/breakages.md within which time a breakage must be found', async () => {
    const text = await readFile('docs/breakages.md', 'utf8');
    assert.equal(foundWithinSeconds, 60);
    assert.match(text, /is not found within a minute/);
    assert.match(text, new RegExp(`within ${foundWhereMoneyWaitsSeconds} seconds where money waits`));
  });
});
