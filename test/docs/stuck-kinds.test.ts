import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { stuckKinds } from '../../src/operations/stuck/stuck.ts';

describe('docs/operations.md', () => {
  it('has a row for each kind of stuck, and no other', async () => {
    const text = await readFile('docs/operations.md', 'utf8');
    const [, table = ''] = /\n\| Kind \| It is stuck when .*\n\|[-|]+\n((?:\|.*\n)+)/.exec(text) ?? [];
    const kinds = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds.sort(), [...stuckKinds].sort());
  });

  it('leads from each kind of stuck to a section of the runbook that is there', async () => {
    const text = await readFile('docs/operations.md', 'utf8');
    const symptoms = text.slice(text.indexOf('### Symptoms'), text.indexOf('### The processor does not respond'));
    const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^a-z ]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const kind of stuckKinds) {
      const rows = symptoms.split('\n').filter((line) => line.includes(`\`${kind}\``));
      const targets = rows.flatMap((row) => [...row.matchAll(/\(#([a-z-]+)\)/g)].map(([, target = '']) => target));
      assert.ok(targets.length > 0, `no symptom names ${kind}`);
      for (const target of targets) assert.ok(headings.includes(target), `${kind}: there is no section ${target}`);
    }
  });
});
