import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Account, type Breakage, carryOut, foundWhereMoneyWaitsSeconds } from '../../faults/breakages/course.ts';
import { ofTheRunning } from '../../faults/breakages/list/index.ts';
import { wasResolved } from '../../faults/breakages/report.ts';

/** Carries out a breakage that is found at once, with this remedy. */
function course(remedy: string, run: Breakage<null>['run']): Promise<Account> {
  const breakage: Breakage<null> = {
    name: 'any',
    what: 'anything is broken',
    async run(ground, steps) {
      steps.broken();
      await steps.find({ place: 'a log', look: async () => ({ words: 'it is broken', remedy }) });
      await run(ground, steps);
    },
  };
  return carryOut(breakage, null, new AbortController().signal);
}

describe('the breakages', () => {
  it('are at least five in which money waits, so that they have to be found sooner', () => {
    assert.ok(ofTheRunning.filter(({ moneyWaits }) => moneyWaits).length >= 5);
  });

  it('fail if an operator would have to do what the words do not name', async () => {
    const unnamed = await course('Start a worker.', (_ground, steps) => steps.follow(/kill -9/, () => {}));
    assert.equal(unnamed.problem, 'the remedy does not say /kill -9/: Start a worker.');
    const noCommand = await course('Start a worker.', async (_ground, steps) => {
      await steps.followOps('.data');
    });
    assert.equal(noCommand.problem, 'no command is named: Start a worker.');
    const named = await course('End it with kill -9.', async (_ground, steps) => {
      await steps.follow(/kill -9/, () => {});
      await steps.free(() => true);
    });
    assert.deepEqual([named.problem, named.freedBy, wasResolved(named)], [null, ['kill -9'], true]);
  });

  it('are missed if money waits and they are found later than after fifteen seconds', async () => {
    const late: Breakage<null> = {
      ...{ name: 'any', what: 'anything is broken', moneyWaits: true },
      async run(_ground, steps) {
        steps.account.foundAfter = foundWhereMoneyWaitsSeconds + 0.1;
      },
    };
    const { problem } = await carryOut(late, null, new AbortController().signal);
    assert.equal(problem, 'it was found after 15.1 s, and money waits');
  });
});
