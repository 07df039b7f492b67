import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { untilItSucceeds } from '../../lab/eventually.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { ageInWords, agePlans, historyFigure, howAged } from '../aged-plans.ts';
import type { Measurement, RunContext } from '../bench.ts';
import { type Breakable, startBreakable } from '../breakable.ts';
import { judgeEndState, startAllTimers } from '../breakable-plans.ts';
import { followCourse } from '../due-course.ts';
import { figure } from '../figure.ts';
import { type LivePlans, lastEvent, makeLivePlans } from '../live-plans.ts';

/** Two, so that one is at work while the other starts. */
const workerCount = 2;
const killEveryMs = 5_000;
/** PostgreSQL is killed when so many have been charged. */
const crashAfterShare = 1 / 3;
const killed = { sandbox: 'workers and PostgreSQL', live: 'workers, processor and PostgreSQL' };
const lookAgainMs = 500;

/** What was done to the service while the plans were collected. */
interface Fire {
  kills: number;
  /** Seconds in which PostgreSQL was away; null: not yet. */
  awaySeconds: number | null;
}

/**
 * Many plans that fall due at one instant while the workers and PostgreSQL are killed: the end state has to be the
 * same.
 */
export const dueUnderFire: Measurement = {
  name: 'due-under-fire',
  needs: 'nothing',
  async measure(context) {
    const { plans: count, age, log, folder } = context;
    const mode = context.live ? 'live' : 'sandbox';
    const service = await startBreakable(join(folder, 'breakable'), workerCount, mode);
    try {
      log(`due under fire: making ${count} plans in real time`);
      const live = await makeLivePlans(service.client, service.temporal, count, mode);
      await agePlans({ ...service, log }, live, age);
      const history = await historyFigure('due-under-fire', service.temporal, live);
      const dueAt = await startAllTimers(service, live, log);
      const { course, fire } = await collectUnderFire(service, live, dueAt, log);
      if (fire.kills === 0 || fire.awaySeconds === null)
        throw new Error('they were charged before the first kill: use more plans');
      const { calls, keys } = await judgeEndState(service, live);
      return {
        name: 'due-under-fire',
        title: `${count} plans in real time (${mode}), ${ageInWords(age)}, due at one instant, ${killed[mode]} killed`,
        how: [
          ...howAged(age),
          `${workerCount} workers${mode === 'live' ? ' and the processor' : ''}, of which one that is up is killed (SIGKILL), in turn, every ${killEveryMs / 1000} s from the instant on and started again at once: ${fire.kills} kills. PostgreSQL is killed once, when a third of the plans have been charged, and started again: it was away for ${fire.awaySeconds.toFixed(1)} s.`,
          `The end state has to be that of an undisturbed run, or the run fails: each plan has one paid slot, one intent and one attempt for each time that it fell due; the processor’s ledger has one key with success for each intent and no other (${calls} calls, ${keys} keys); no attempt is open, the outbox is empty, every plan's workflow waits for the plan's next date, and all invariants hold.`,
        ],
        figures: [
          figure('due-under-fire.last', `from the instant to the last of ${count} charges`, 's', [course.last]),
          figure('due-under-fire.half', 'to half of them', 's', [course.half]),
          figure('due-under-fire.rate', 'plans a second', '1/s', [course.perSecond]),
          history,
        ],
      };
    } finally {
      await service.stop();
    }
  },
};

async function collectUnderFire(service: Breakable, live: LivePlans, dueAt: Date, log: RunContext['log']) {
  const count = live.ids.length;
  const before = await lastEvent(service.sql, live.mode);
  const fire: Fire = { kills: 0, awaySeconds: null };
  // The bench's own look at the database waits until that is there again.
  const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: lookAgainMs };
  const done = async () => (await untilItSucceeds(() => lastEvent(service.sql, live.mode), forEver)) - before;
  const over = new AbortController();
  const burning = (async () => {
    await pause(Math.max(0, dueAt.getTime() - realNow().getTime()), undefined, { signal: over.signal });
    for (;;) {
      await pause(killEveryMs, undefined, { signal: over.signal });
      const charged = await done();
      // One that is still starting is left alone: on a slow machine no worker would ever get to its work.
      const victim = rotated(service.victims, fire.kills).find(({ state }) => state === 'up');
      if (victim !== undefined) fire.kills += 1;
      victim?.kill();
      log(`${victim?.name ?? 'no process'} killed; ${charged} of ${count} charged`);
      if (fire.awaySeconds === null && charged >= count * crashAfterShare) {
        fire.awaySeconds = 0;
        fire.awaySeconds = await service.crashPostgres();
        log(`PostgreSQL killed, up again after ${fire.awaySeconds.toFixed(1)} s`);
      }
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  try {
    const course = await Promise.race([
      followCourse(dueAt.getTime(), count, done),
      burning.then(() => Promise.reject(new Error('the kills have ended'))),
    ]);
    return { course, fire };
  } finally {
    over.abort();
    await burning.catch(() => {});
  }
}

/** All of them, beginning with the one whose turn it is. */
function rotated<T>(items: readonly T[], nth: number): T[] {
  const first = nth % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
