import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Account, type Breakage, carryOut, foundWhereMoneyWaitsSeconds } from '../../faults/breakages/course.ts';
import { breakageNames, ofTheRunning } from '../../faults/breakages/list/index.ts';
import { lineIn } from '../../faults/breakages/places.ts';
import { renderAccounts, wasResolved } from '../../faults/breakages/report.ts';

const found: Account = {
  ...{ name: 'api-killed', what: 'the API is killed', foundAfter: 0.5, place: '`ops stuck`', words: 'it was killed' },
  ...{ freedBy: ['kill -9', '`ops recheck pp_1`'], freeAfter: 3, measured: [], problem: null },
};

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

  it('have a name each, by which one is chosen', () => {
    assert.equal(new Set(breakageNames).size, breakageNames.length);
    assert.ok(breakageNames.length >= 23);
  });

  it('count as freed only if they were found in time, by what was named, and were free afterwards', () => {
    assert.equal(wasResolved(found), true);
    const wrong: Partial<Account>[] = [
      { foundAfter: null },
      { foundAfter: 61 },
      { freeAfter: null },
      { problem: 'no command is named' },
    ];
    for (const part of wrong) assert.equal(wasResolved({ ...found, ...part }), false);
  });

  it('are shown without folder, host and the random part of ids, or with what went wrong', () => {
    const id = `pp_00${'V'.repeat(30)}`;
    const words = `/tmp/payments-breakages-aB1/service/logs/api.log | of ${id} by 12@a.host`;
    const [, , row, missed] = renderAccounts([
      { ...found, words, freedBy: ['kill -9', 'kill -9', '`ops recheck pp_1`'] },
      { ...found, foundAfter: null, problem: 'nothing says why' },
    ]).split('\n');
    assert.equal(
      row,
      '| the API is killed | 0.5 s | `ops stuck`: .data/logs/api.log \\| of pp_… by 12@host | kill -9 (2 times); `ops recheck pp_1` | 3 s |',
    );
    assert.match(missed ?? '', /^\| the API is killed \| – \| \*\*Not seen:\*\* nothing says why \|/);
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

  it('are repaired whatever went wrong, the last part first', async () => {
    const done: string[] = [];
    const { problem } = await course('', async (_ground, steps) => {
      steps.onRepair(() => done.push('first'));
      steps.onRepair(() => done.push('second'));
      throw new Error('it went wrong');
    });
    assert.deepEqual([problem, done], ['it went wrong', ['second', 'first']]);
  });

  it('are found by the lines of a text that say so', () => {
    assert.deepEqual(lineIn('up\nit ended\nup again', /ended/), { words: 'it ended', remedy: 'it ended' });
    assert.equal(lineIn('up', /ended/), null);
  });
});
