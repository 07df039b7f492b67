import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ClockActivities } from '../activities/clock-activities.ts';
import type { ClockStanding } from '../domain/standing.ts';
import { poke, recheck, startFreshRun } from './collection.ts';
import { lookAgainAfter, whyEffectFailed } from './effect-failure.ts';
import { showClock, showUnread } from './operator-view.ts';

const { tendClock } = proxyActivities<ClockActivities>({
  // An advance takes as long as it takes; a worker that is gone is noticed by its silence.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
  summary: 'carry out what was asked of the clock',
});

/**
 * A test clock from its creation to its deletion or its expiry after 30 days of real time. Each poke makes it look at the
 * database and carry out the advance that was accepted there, one at a time.
 */
export async function testClock(clockId: string): Promise<void> {
  let poked = false;
  let freshRun = false;
  const onPoke = (): void => {
    poked = true;
  };
  setHandler(poke, onPoke, { description: 'Something has changed in the database: look at it afresh.' });
  setHandler(recheck, onPoke, { description: 'Look at the database afresh. Safe to press at any time, and twice.' });
  setHandler(
    startFreshRun,
    () => {
      poked = true;
      freshRun = true;
    },
    { description: 'Go on in a fresh run with an empty history. Safe to press at any time.' },
  );
  for (;;) {
    poked = false;
    const clock = await tend(clockId);
    if (clock === null) {
      await condition(() => poked, lookAgainAfter, { summary: 'stalled; looking again' });
      continue;
    }
    showClock(clock);
    if (clock.expiresAt === null) return;
    if ((freshRun || workflowInfo().continueAsNewSuggested) && !poked) await continueAsNew(clockId);
    await condition(() => poked, Math.max(0, clock.expiresAt - Date.now()), { summary: 'the clock expires' });
  }
}

/** Does what the database wants of the clock; null when that cannot be done as things are, which ends nothing. */
async function tend(clockId: string): Promise<ClockStanding | null> {
  try {
    return await tendClock(clockId, Date.now());
  } catch (error) {
    const reason = whyEffectFailed(error);
    if (reason === null) throw error;
    showUnread(`${clockId}: ${reason}`);
    return null;
  }
}
