import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join, relative } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, it } from 'mocha';
import { createCollectionActivities } from '../../src/activities/collection-activities.ts';
import { useStage } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const src = join(import.meta.dirname, '../../src');
const pages = join(import.meta.dirname, '../../docs/architecture');

/** What a walk does not count: rules, data and plumbing, and what every request of the API runs. */
const uncounted =
  /^(db|domain|messages|platform|resources|sites)\/|^api\/(?!routes\/|http\/repeatable|middleware\/idempotency)|^services\/(accounts\/|crash-points|errors|request-context)/;

interface Step {
  file: string;
  does: string;
}

/** Returns the steps of the table of a page, and the number of files that its words state. */
function walkOf(page: string): { steps: Step[]; stated: number; text: string } {
  const [, text = ''] = readFileSync(join(pages, page), 'utf8').split(/^## .*file by file$/im);
  const steps = [...text.matchAll(/^\| `(\S+\.ts)` \| (.+) \|$/gm)].map(([, file = '', does = '']) => ({ file, does }));
  return { steps, stated: Number(/runs (\d+) files/.exec(text)?.[1]), text };
}

/** Returns the files that a file of `src` imports. Types alone do not count. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(src, file), 'utf8');
  const imports = [...source.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm)];
  return imports.map(([, path = '']) => relative(src, join(src, dirname(file), path)));
}

/** Returns the counted files of `src` of which a function runs in this process during the work. */
async function filesRunBy(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    const files = ran.flatMap(({ url }) => (url.startsWith('file:') ? relative(src, new URL(url).pathname) : []));
    return files.filter((file) => !file.startsWith('..') && !uncounted.test(file)).sort();
  } finally {
    session.disconnect();
  }
}

function assertTold({ steps, stated }: ReturnType<typeof walkOf>): void {
  assert.equal(steps.length, stated, 'the page states the number of its files');
  assert.equal(new Set(steps.map(({ file }) => file)).size, stated, 'each file stands there once');
  for (const [index, { file, does }] of steps.entries()) {
    const earlier = steps.slice(0, index).flatMap((step) => importsOf(step.file));
    if (index === 0 || does.includes('called through')) continue;
    assert.ok(earlier.includes(file), `${file} is imported by no file before it`);
  }
}

const isWorkflow = (file: string) => file.startsWith('workflows/');

describe('the walk of a due date', () => {
  const stage = useStage();
  const walk = walkOf('due-date.md');

  it('runs the files of its table outside of workflows, and no others', async () => {
    const { plan, clock } = await stage.merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-04' });
    await stage.collect(plan.id, '2027-01-04T00:00:00Z');
    await stage.db.sql`update test_clocks set frozen_time = '2027-02-04' where id = ${clock.id}`;
    const { collectPlan } = createCollectionActivities({ sql: stage.db.sql, processors: stage.processors });
    const due = Date.parse('2027-01-11T00:00:00Z');
    const ran = await filesRunBy(() => new MockActivityEnvironment().run(collectPlan, plan.id, due));
    assert.equal((await stage.merchant.payments(plan.id)).at(-1)?.status, 'paid');
    const told = walk.steps.map(({ file }) => file).filter((file) => !isWorkflow(file));
    assert.deepEqual(ran, told.sort());
  });

  it('has all files of the loop in its table, but those that it says only a failure runs', () => {
    const reached = new Set(['workflows/collection.ts']);
    for (const file of reached) for (const next of importsOf(file)) if (isWorkflow(next)) reached.add(next);
    const told = walk.steps.map(({ file }) => file).filter(isWorkflow);
    const others = [...reached].filter((file) => !told.includes(file));
    assert.ok(others.length > 0 && others.length <= 3);
    for (const file of others) assert.ok(walk.text.includes(`\`${file}\``), file);
  });

  it('is told in the order in which one file calls the next, and takes at most 20 files', () => {
    assertTold(walk);
    assert.ok(walk.stated <= 20);
  });
});

describe('the walk of a change that is paid now', () => {
  const { stage, here, started } = useSubscriber();
  const walk = walkOf('period.md');

  it('runs the files of its table, and no others', async () => {
    const id = await started();
    await here.advance('2027-01-24T00:00:00Z');
    const change = async (unit_amount_cents: number, key: string) => {
      const items = [{ name: 'Membership', unit_amount_cents }];
      const body = { items, when: 'now', collect: 'now' };
      const path = `/api/v1/subscriptions/${id}/change`;
      const headers = { 'Idempotency-Key': key };
      const reply = await stage.api.send('POST', path, { key: stage.keys.sandboxSecret, body, headers });
      assert.equal(reply.body.subscription?.items[0].unit_amount_cents, unit_amount_cents, reply.text);
    };
    await change(6000, 'first');
    const ran = await filesRunBy(() => change(9000, 'second'));
    assert.deepEqual(ran, walk.steps.map(({ file }) => file).sort());
  });

  it('is told in the order in which one file calls the next, and takes at most 24 files', () => {
    assertTold(walk);
    assert.ok(walk.stated <= 24);
  });
});
