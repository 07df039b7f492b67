import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runScript } from '../../lab/run-program.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';

/** Random worlds beside the kept ones. */
const count = searchRuns(3);
const timeoutMs = 360_000 + searchMs;

describe('worlds in real time', () => {
  // In a process of its own, whose time of day is moved.
  it('tell the same story as on a clock, whether they have failed before or chance has made them', async function () {
    this.timeout(timeoutMs);
    const seed = String(searchSeed);
    const options = ['--real-time', '--kept', '--count', String(count), '--seed', seed, '--shrink-seconds', '1'];
    // Ended before mocha gives up, so that the failure says which world was under way.
    const { code, stdout, stderr } = await runScript('test/worlds/main.ts', options, {}, timeoutMs - 60_000);
    const repeat = `npm run worlds -- --real-time --seed ${seed} --only NUMBER`;
    assert.equal(code, 0, `To shrink a random world: ${repeat}\n${stdout}\n${stderr}`);
    console.log(`      ${stdout.trim()}`);
  });
});
