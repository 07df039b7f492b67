import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { carryOutAdvance } from '../support/advance.ts';
import { searchMs, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';
import { keptWorlds } from './kept.ts';
import type { Place } from './place.ts';
import { worldOf } from './random-world.ts';
import { tryWorld } from './try-world.ts';
import type { World } from './world.ts';

const keptTimeoutMs = 120_000;

describe('worlds', () => {
  const service = useService();
  const stage = useStage();

  /**
   * The first fault of a world, in words; null if it has none. Workflows carry out what is told in one advance. The
   * other ways make many advances, by the calls that the workflows make, and tell the same.
   */
  async function faultOf(world: World): Promise<string | null> {
    const ofWorkflows: Place = { url: service.url, sql: service.db.sql, vault: service.vault };
    const { sql } = stage.db;
    const carryOut = (clockId: string) => carryOutAdvance(sql, clockId);
    const stepwise: Place = { url: stage.api.url, sql, vault: stage.vault, carryOut };
    const { fault } = await tryWorld(ofWorkflows, world, stepwise);
    return fault === null ? null : [fault.rule, ...fault.words].join('\n');
  }

  for (const { title, ...world } of keptWorlds()) {
    it(title, async function () {
      this.timeout(keptTimeoutMs);
      assert.equal(await faultOf(world), null);
    });
  }

  it('that chance has made tell one story, whichever way the clock is moved', async function () {
    this.timeout(searchMs + 120_000);
    const endsAt = performance.now() + searchMs;
    let next = 1;
    for (; performance.now() < endsAt; next += 1) {
      const name = `${searchSeed}/${next}`;
      const fault = await faultOf(worldOf(name));
      const repeat = `npm run worlds -- --seed ${searchSeed} --only ${next}`;
      assert.equal(fault, null, `World ${name}. To shrink it: ${repeat}\n${fault}`);
    }
    console.log(`      ${next - 1} worlds, SEARCH_SEED=${searchSeed}`);
  });
});
