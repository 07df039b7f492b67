import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { realNow } from '../../src/domain/real-time.ts';

describe('real time', () => {
  it('is the machine’s clock at the moment of the call', () => {
    const before = Date.now();
    const now = realNow().getTime();
    assert.ok(before <= now && now <= Date.now());
  });

  it('is read in no other domain file', async () => {
    const folder = new URL('../../src/domain/', import.meta.url);
    const readers: string[] = [];
    for (const name of await readdir(folder)) {
      const text = await readFile(new URL(name, folder), 'utf8');
      if (/\bnew Date\(\)|\bDate\.now\b|\bTemporal\.Now\b|\bDates\.Now\b/.test(text)) readers.push(name);
    }
    assert.deepEqual(readers, ['real-time.ts']);
  });
});
