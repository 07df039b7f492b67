import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';
import { assertAgree, type Reality } from './agreement.ts';
import { onService, onStage } from './realities.ts';
import { sequences } from './sequences.ts';

// A sequence that fails is printed as data, to be kept in `seeds.ts`.

/** For how long a sequence that fails is made shorter. */
const shrinkingMs = 60_000;
/** More than there is ever time for. */
const mostRuns = searchRuns(400);
const timeoutMs = searchMs + 2 * shrinkingMs;

describe('the model of the rules and the service', () => {
  const stage = useStage({ isAlone: true });
  const service = useService();

  /** Takes as many sequences as there is time for, and at least one. */
  async function assertAgreed(
    shape: Parameters<typeof sequences>[0],
    realityIn: (zone: string) => Promise<Reality>,
  ): Promise<void> {
    let endsAt = performance.now() + searchMs;
    let taken = 0;
    let hasFailed = false;
    const property = fc.asyncProperty(sequences(shape), async (sequence) => {
      if (taken > 0 && performance.now() > endsAt) return;
      taken += 1;
      try {
        await assertAgree(sequence, await realityIn(sequence.zone));
      } catch (error) {
        if (!hasFailed) endsAt = performance.now() + shrinkingMs;
        hasFailed = true;
        throw error;
      }
    });
    await fc.assert(property, { seed: searchSeed, numRuns: mostRuns });
    assert.ok(taken > 0);
  }

  it('agree on every answer and on all that can be read, whatever is asked in whatever order', async function () {
    this.timeout(timeoutMs);
    await assertAgreed({ isInterrupted: true, maxLength: 24 }, (zone) => onStage(stage, zone));
  });

  it('agree where workflows carry it out, on skipped time', async function () {
    this.timeout(timeoutMs);
    await assertAgreed({ isInterrupted: false, maxLength: 16 }, (zone) => onService(service, zone));
  });
});
