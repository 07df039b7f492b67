import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { scriptsIn, typeErrors } from '../support/samples.ts';

describe('the types of the client', function () {
  this.timeout(60_000);
  const usage = () => readFile(new URL('usage.ts', import.meta.url), 'utf8');
  const faultsOf = (text: string) => typeErrors(scriptsIn(`\`\`\`ts\n${text}\n\`\`\``, 'usage.ts'));

  it('accept what the API accepts, and refuse what it refuses', async () => {
    assert.equal(await faultsOf(await usage()), '');
  });

  it('refuse each mistake separately', async () => {
    const text = await usage();
    const expected = text.split('\n').filter((line) => line.includes('@ts-expect-error')).length;
    const faults = await faultsOf(text.replaceAll('@ts-expect-error', ''));
    assert.ok(expected > 10);
    assert.equal(faults.split('\n').filter((line) => line.startsWith('usage.ts')).length, expected, faults);
  });
});
