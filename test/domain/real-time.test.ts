import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { realNow } from '../../src/platform/real-time.ts';

describe('real time', () => {
  it('is the machine’s clock at the moment of the call', () => {
    const before = Date.now();
    const now = realNow().getTime();
    assert.ok(before <= now && now <= Date.now());
  });

  it('is read in one file of the business, the platform and the API', async () => {
    const source = new URL('../../src/', import.meta.url);
    const readers: string[] = [];
    for (const folder of ['platform', 'domain', 'db', 'resources', 'services', 'activities', 'operations', 'api']) {
      for (const name of await readdir(new URL(`${folder}/`, source), { recursive: true })) {
        if (!name.endsWith('.ts')) continue;
        const text = await readFile(new URL(`${folder}/${name}`, source), 'utf8');
        if (/\bnew Date\(\)|\bDate\.now\b|\bTemporal\.Now\b|\bDates\.Now\b/.test(text))
          readers.push(`${folder}/${name}`);
      }
    }
    assert.deepEqual(readers, ['platform/real-time.ts']);
  });
});
