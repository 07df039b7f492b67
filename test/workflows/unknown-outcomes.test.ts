import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, it } from 'mocha';
import { carryOut } from '../../src/activities/failures.ts';
import { temporalLogger } from '../../src/processes/temporal/logger.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { ProcessorUnavailable } from '../../src/services/errors.ts';
import { useDatabase } from '../support/database.ts';
import { testLogger } from '../support/temporal.ts';

describe('an activity whose processor gives no outcome', () => {
  const db = useDatabase(2);

  /** What the nth attempt of an activity throws, and how often it has asked. */
  async function failure(attempt: number, unknown: OutcomeUnknown) {
    let asked = 0;
    const work = async () => {
      asked += 1;
      throw new ProcessorUnavailable('payment', unknown);
    };
    const environment = new MockActivityEnvironment({ attempt }, { logger: temporalLogger(testLogger()) });
    const running = environment.run(() => carryOut(db.sql, work));
    const error = await running.then(
      () => assert.fail('it did not fail'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ApplicationFailure);
    return { error, asked };
  }

  it('asks once and leaves the pause to Temporal', async () => {
    const { error, asked } = await failure(1, new OutcomeUnknown('the live processor responded 500'));
    assert.equal(asked, 1);
    assert.deepEqual([error.nonRetryable, error.nextRetryDelay ?? null], [false, null]);
    assert.equal(error.message, 'the live processor responded 500');
  });

  it('comes back when the processor wants to be asked, but never without a pause', async () => {
    for (const [retryAfterMs, delay] of [
      [7_000, 7_000],
      [0, 500],
    ] as const) {
      const { error } = await failure(1, new OutcomeUnknown('it is busy', retryAfterMs));
      assert.equal(error.nextRetryDelay, delay);
    }
  });

  it('stalls its workflow at the eighth attempt, which says why and lets operators in', async () => {
    const { error, asked } = await failure(8, new OutcomeUnknown('the live processor responded 500'));
    assert.equal(asked, 1);
    assert.deepEqual([error.type, error.nonRetryable], ['EffectFailed', true]);
    assert.equal(error.message, 'the live processor responded 500');
  });
});
