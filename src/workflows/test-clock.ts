import {
  allHandlersFinished,
  CancellationScope,
  condition,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { ClockActivities } from '../activities/clock-activities.ts';
import type { ClockSubjectStatus } from '../messages/subject-status.ts';
import { inProcess } from './activities.ts';
import { lookingAgain, stallOf } from './effect-failure.ts';
import { beginFreshRun, type CommandQueue, inWords, openInbox, runCommands, wantsFreshRun } from './inbox.ts';
import { showAdvancing, showClock, showClockStalled } from './operator-page/clock.ts';
import { type OperatorPage, openPage } from './operator-page/page.ts';

/** A longer advance is shown on the page and in the search attributes. Most advances take a fraction of a second. */
const shownAfter = '10 seconds';

const { advanceOrExpire } = proxyActivities<ClockActivities>({
  // A long advance is normal. A worker that dies is noticed by its missing heartbeat.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
  summary: 'carry out the accepted advance',
});
const local = proxyLocalActivities<ClockActivities>(inProcess);

/**
 * A test clock from its creation to its deletion, or to its expiry after 30 days of real time. After each poke it reads
 * the database and carries out the accepted advance, one at a time.
 */
export async function testClock(clockId: string): Promise<void> {
  const page = openPage('testClock');
  const inbox = openInbox(['recheck', 'retryAdvance']);
  const { commandQueue } = inbox;
  const lookAgain = lookingAgain(() => inbox.poked);
  for (;;) {
    inbox.poked = false;
    await runClockCommands(clockId, commandQueue);
    const clock = await tend(clockId, { page, commandQueue, lookAgain });
    if (clock === null) continue;
    showClock(page, clock, commandQueue.last);
    if (clock.expiresAt === null) {
      commandQueue.closed = 'Nothing was done: the clock was deleted.';
      return condition(allHandlersFinished);
    }
    if (!inbox.poked && wantsFreshRun(inbox)) {
      await condition(() => allHandlersFinished() || inbox.poked);
      if (allHandlersFinished()) await beginFreshRun(clockId);
    }
    await condition(() => inbox.poked, Math.max(0, clock.expiresAt - Date.now()), { summary: 'the clock expires' });
  }
}

interface Run {
  page: OperatorPage;
  commandQueue: CommandQueue;
  lookAgain: (failure: unknown) => Promise<void>;
}

/**
 * Does what the database requires of the clock. If that fails, it waits until there is a reason to retry, and returns
 * null. The workflow continues.
 */
async function tend(clockId: string, run: Run): Promise<ClockSubjectStatus | null> {
  try {
    for (;;) {
      const clock = await tendUnlessRetried(clockId, run);
      if (clock !== 'again') return clock;
    }
  } catch (error) {
    showClockStalled(run.page, clockId, stallOf(error), run.commandQueue.last);
    await run.lookAgain(error);
    return null;
  }
}

/**
 * Runs `advanceOrExpire` and executes operator commands meanwhile. The command `retryAdvance` cancels a hanging attempt
 * and returns `again`.
 */
async function tendUnlessRetried(clockId: string, { page, commandQueue }: Run): Promise<ClockSubjectStatus | 'again'> {
  const begunAt = Date.now();
  const scope = new CancellationScope();
  let finished = false;
  const tended = scope.run(() => advanceOrExpire(clockId, begunAt));
  const ended = tended.then(
    () => {
      finished = true;
    },
    () => {
      finished = true;
    },
  );
  const isWanted = () => finished || commandQueue.waiting.length > 0;
  const isQuick = await condition(isWanted, shownAfter, { summary: 'the advance takes long' });
  if (!isQuick) showAdvancing(page, clockId, begunAt, commandQueue.last);
  for (;;) {
    await condition(isWanted);
    if (finished) return tended;
    const executed = await runClockCommands(clockId, commandQueue);
    if (executed.includes('retryAdvance') && !finished) {
      scope.cancel();
      await ended;
      return 'again';
    }
  }
}

function runClockCommands(clockId: string, commandQueue: CommandQueue) {
  return runCommands(commandQueue, (command) =>
    local.pressClock.executeWithOptions({ ...inProcess, summary: inWords(command) }, [clockId, command]),
  );
}
