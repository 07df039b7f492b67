import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';
import { assertAgree, type Reality } from './agreement.ts';
import { onService, onStage } from './realities.ts';
import { sequences } from './sequences.ts';

/**
 * A sequence that fails is printed as data, to be kept in `seeds.ts`. MODEL_RUNS asks for so many sequences, however
 * long they take; MODEL_SEED for those of another run.
 */
const { MODEL_RUNS, MODEL_SEED } = process.env;

/** What the two tests may take of a usual run; each ends with the sequence that it is at. */
const stageMs = 22_000;
const serviceMs = 18_000;
/** For how long a sequence that fails is made shorter. */
const shrinkingMs = 60_000;
/** More than any sequence takes. */
const perRunMs = 20_000;
/** More than there is ever time for, where no number is asked for. */
const mostRuns = 400;

describe('the model of the rules and the service', () => {
  const stage = useStage();
  const service = useService();

  /** Takes as many sequences as there is time for, and at least one. */
  async function assertAgreed(
    shape: Parameters<typeof sequences>[0],
    realityIn: (zone: string) => Promise<Reality>,
    milliseconds: number,
  ): Promise<void> {
    let endsAt = MODEL_RUNS === undefined ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
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
    const seed = MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) };
    await fc.assert(property, { ...seed, numRuns: Number(MODEL_RUNS ?? mostRuns) });
    assert.ok(taken > 0);
  }

  const longest = (milliseconds: number) => milliseconds + 2 * shrinkingMs + Number(MODEL_RUNS ?? 0) * perRunMs;

  it('agree on every answer and on all that can be read, whatever is asked in whatever order', async function () {
    this.timeout(longest(stageMs));
    await assertAgreed({ isInterrupted: true, maxLength: 24 }, (zone) => onStage(stage, zone), stageMs);
  });

  it('agree where workflows carry it out, on skipped time', async function () {
    this.timeout(longest(serviceMs));
    await assertAgreed({ isInterrupted: false, maxLength: 16 }, (zone) => onService(service, zone), serviceMs);
  });
});
