import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClockActivities } from '../activities/clock-activities.ts';
import type { ClockSubjectStatus } from '../messages/subject-status.ts';
import { poke, recheck, startFreshRun } from './collection.ts';
import { whyEffectFailed } from './effect-failure.ts';
import { lookingAgain } from './look-again.ts';
import { type CommandQueue, inWords, openCommandQueue, runCommands } from './operator-handlers.ts';
import { showAdvancing, showClock, showClockStalled } from './operator-page/clock.ts';
import { keepsStalledSearchable } from './operator-page/stalled.ts';
import { inProcess } from './options.ts';

/** A longer advance is shown on the page and in the search attributes. Most advances take a fraction of a second. */
const shownAfter = '10 seconds';

const { tendClock } = proxyActivities<ClockActivities>({
  // A long advance is normal. A worker that dies is noticed by its missing heartbeat.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
  summary: 'carry out what was asked of the clock',
});
const local = proxyLocalActivities<ClockActivities>(inProcess);

/**
 * A test clock from its creation to its deletion, or to its expiry after 30 days of real time. After each poke it reads
 * the database and carries out the accepted advance, one at a time.
 */
export async function testClock(clockId: string): Promise<void> {
  let poked = false;
  let freshRun = false;
  const onPoke = (): void => {
    poked = true;
  };
  setHandler(poke, onPoke, { description: 'Something has changed in the database: look at it afresh.' });
  setHandler(recheck, onPoke, {
    description: 'For programs: as the Update `recheck`, but neither answered nor recorded.',
  });
  setHandler(
    startFreshRun,
    () => {
      poked = true;
      freshRun = true;
    },
    { description: 'Go on in a fresh run with an empty history. Safe to press at any time.' },
  );
  const commandQueue = openCommandQueue(['recheck', 'retryAdvance'], onPoke);
  const lookAgain = lookingAgain(() => poked);
  for (;;) {
    poked = false;
    await runClockCommands(clockId, commandQueue);
    const clock = await tend(clockId, commandQueue, lookAgain);
    if (clock === null) continue;
    showClock(clock, commandQueue.last);
    if (clock.expiresAt === null) {
      commandQueue.closed = 'Nothing is done: the clock was deleted.';
      return condition(allHandlersFinished);
    }
    if ((freshRun || workflowInfo().continueAsNewSuggested) && !poked) {
      await condition(() => allHandlersFinished() || poked);
      if (allHandlersFinished()) await continueAsNew(clockId);
    }
    await condition(() => poked, Math.max(0, clock.expiresAt - Date.now()), { summary: 'the clock expires' });
  }
}

/**
 * Does what the database requires of the clock. If that fails, it waits until there is a reason to retry, and returns
 * null. The workflow goes on.
 */
async function tend(
  clockId: string,
  commandQueue: CommandQueue,
  lookAgain: (failure: unknown) => Promise<void>,
): Promise<ClockSubjectStatus | null> {
  try {
    for (;;) {
      const clock = await tendUnlessPressed(clockId, commandQueue);
      if (clock !== 'again') return clock;
    }
  } catch (error) {
    const reason = whyEffectFailed(error);
    if (reason === null) throw error;
    showClockStalled(clockId, reason, commandQueue.last);
    await lookAgain(error);
    return null;
  }
}

/**
 * Runs `tendClock` and executes operator commands meanwhile. The command `retryAdvance` cancels a hanging attempt and
 * returns `again`.
 */
async function tendUnlessPressed(clockId: string, commandQueue: CommandQueue): Promise<ClockSubjectStatus | 'again'> {
  const scope = new CancellationScope();
  let finished = false;
  const tended = scope.run(() => tendClock(clockId, Date.now()));
  const ended = tended.then(
    () => {
      finished = true;
    },
    () => {
      finished = true;
    },
  );
  const isWanted = () => finished || commandQueue.waiting.length > 0;
  if (keepsStalledSearchable()) {
    const isQuick = await condition(isWanted, shownAfter, { summary: 'the advance takes long' });
    if (!isQuick) showAdvancing(clockId, commandQueue.last);
  }
  for (;;) {
    await condition(isWanted);
    if (finished) return tended;
    const deeds = await runClockCommands(clockId, commandQueue);
    if (deeds.includes('retryAdvance') && !finished) {
      scope.cancel();
      await ended;
      return 'again';
    }
  }
}

function runClockCommands(clockId: string, commandQueue: CommandQueue) {
  return runCommands(commandQueue, (deed) =>
    local.pressClock.executeWithOptions({ ...inProcess, summary: inWords(deed) }, [clockId, deed]),
  );
}
