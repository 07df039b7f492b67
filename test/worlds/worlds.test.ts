import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { searchMs, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';
import { keptWorlds } from './kept.ts';
import type { Place } from './place.ts';
import { worldOf } from './random-world.ts';
import { tryWorld } from './try-world.ts';
import type { World } from './world.ts';

/** Worlds that are tried side by side. */
const atOnce = 2;
const keptTimeoutMs = 120_000;

describe('worlds', () => {
  const service = useService();
  const place = (): Place => ({ url: service.url, sql: service.db.sql, vault: service.vault });

  for (const { title, ...world } of keptWorlds()) {
    it(title, async function () {
      this.timeout(keptTimeoutMs);
      assert.equal(await faultOf(place(), world), null);
    });
  }

  it('that chance has made tell one story, whichever way the clock is moved', async function () {
    this.timeout(searchMs + 120_000);
    const endsAt = performance.now() + searchMs;
    let next = 1;
    const work = async (): Promise<void> => {
      while (performance.now() < endsAt) {
        const name = `${searchSeed}/${next}`;
        next += 1;
        const fault = await faultOf(place(), worldOf(name));
        const repeat = `npm run worlds -- --seed ${searchSeed} --only ${name.split('/')[1]}`;
        assert.equal(fault, null, `World ${name}. To shrink it: ${repeat}\n${fault}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    console.log(`      ${next - 1} worlds, SEARCH_SEED=${searchSeed}`);
  });
});

/** The first fault of a world, in words; null if it has none. */
async function faultOf(place: Place, world: World): Promise<string | null> {
  const { fault } = await tryWorld(place, world);
  return fault === null ? null : [fault.rule, ...fault.words].join('\n');
}
