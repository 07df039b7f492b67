import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { grpcDetailsOf, grpcStatusOf } from '../../src/platform/grpc-status.ts';
import { repeat } from '../../src/platform/repeat.ts';

const anHour = 3_600_000;
const unexpected = (error: unknown) => assert.fail(String(error));

describe('work that is repeated', () => {
  it('runs at once, and again after each pause', async () => {
    let runs = 0;
    const repetition = repeat(
      async () => {
        runs++;
      },
      { everyMs: 5, onError: unexpected },
    );
    assert.equal(runs, 1);
    await eventually('it runs again', () => runs >= 3);
    await repetition.close();
    const atClose = runs;
    await pause(20);
    assert.equal(runs, atClose, 'it runs no more once it is closed');
  });

  it('does not overlap, and close waits for the run under way', async () => {
    let underWay = 0;
    let ended = 0;
    let closing: AbortSignal | null = null;
    const repetition = repeat(
      async (signal) => {
        closing = signal;
        assert.equal(++underWay, 1);
        await pause(20);
        underWay--;
        ended++;
      },
      { everyMs: 1, onError: unexpected },
    );
    repetition.wake();
    await eventually('the second run', () => ended === 1 && underWay === 1);
    await repetition.close();
    assert.deepEqual([underWay, ended], [0, 2]);
    assert.equal((closing as AbortSignal | null)?.aborted, true);
  });

  it('starts the next run when it is woken, also if that happens during a run', async () => {
    let runs = 0;
    const repetition = repeat(
      async () => {
        runs++;
        await pause(5);
      },
      { everyMs: anHour, onError: unexpected },
    );
    repetition.wake();
    await eventually('the run after the one that was under way', () => runs === 2);
    await pause(20);
    assert.equal(runs, 2);
    repetition.wake();
    await eventually('the run out of the pause', () => runs === 3);
    await repetition.close();
  });

  it('takes the length of a pause from the run before it', async () => {
    const pauses = [0, 0, Number.POSITIVE_INFINITY];
    let runs = 0;
    const repetition = repeat(async () => pauses[runs++], { everyMs: anHour, onError: unexpected });
    await eventually('the runs without a pause', () => runs === 3);
    await pause(20);
    assert.equal(runs, 3);
    await repetition.close();
  });

  it('goes on after an error, with a pause of its own, and reports none while it closes', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const repetition = repeat(
      async (closing) => {
        if (++runs < 3) throw new Error(`run ${runs}`);
        await new Promise((_, reject) => closing.addEventListener('abort', () => reject(new Error('closing'))));
      },
      { everyMs: anHour, afterErrorMs: 1, onError: (error) => errors.push(error) },
    );
    await eventually('the third run', () => runs === 3);
    await repetition.close();
    assert.deepEqual(errors.map(String), ['Error: run 1', 'Error: run 2']);
  });
});

describe('the status of a gRPC error', () => {
  it('is known by its code, and only of errors that have one', () => {
    assert.equal(grpcStatusOf(Object.assign(new Error(), { code: 5 })), 'NOT_FOUND');
    assert.equal(grpcStatusOf(Object.assign(new Error(), { code: 13 })), null);
    for (const other of [
      null,
      'text',
      { code: 5 },
      new Error(),
      Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    ]) {
      assert.equal(grpcStatusOf(other), null);
    }
  });

  it('comes with the server’s own text, or else the error’s', () => {
    assert.equal(grpcDetailsOf(Object.assign(new Error('5 NOT_FOUND: none'), { details: 'none' })), 'none');
    assert.equal(grpcDetailsOf(Object.assign(new Error('cut'), { details: '' })), 'cut');
    assert.equal(grpcDetailsOf('text'), 'text');
  });
});
