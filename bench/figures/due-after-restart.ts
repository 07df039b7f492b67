import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../../src/platform/real-time.ts';
import { ageInWords, agePlans, historyFigure, howAged } from '../aged-plans.ts';
import type { Measurement, RunContext } from '../bench.ts';
import { type Breakable, startBreakable } from '../breakable.ts';
import { judgeEndState, startAllTimers } from '../breakable-plans.ts';
import { type DueCourse, followCourse } from '../due-course.ts';
import { besideOf, figure } from '../figure.ts';
import { type LivePlans, lastEvent, makeLivePlans } from '../live-plans.ts';
import { processorSeconds } from '../processes.ts';

/**
 * The least time from the kill to the instant: after 10 s without the dead worker, Temporal offers its workflows to all
 * workers at once.
 */
const forgottenMs = 12_000;
const restartMs = 30_000;
/** So long before the instant the count of processor time begins. */
const beforeMs = 500;

/** Many plans that fall due at one instant when their worker has just started: it replays each from its history. */
export const dueAfterRestart: Measurement = {
  name: 'due-after-restart',
  needs: 'nothing',
  async measure(context) {
    const { plans: count, age, log, folder } = context;
    const service = await startBreakable(join(folder, 'restarted'), 1, 'sandbox');
    try {
      log(`due after a restart: making ${count} live plans`);
      const live = await makeLivePlans(service.client, service.temporal, count, 'sandbox');
      await agePlans({ ...service, log }, live, age);
      const history = await historyFigure('due-after-restart', service.temporal, live);
      const warm = await collect(service, live, log);
      const cold = await collect(service, live, log, true);
      const { calls, keys } = await judgeEndState(service, live);
      return {
        name: 'due-after-restart',
        title: `${count} live plans, ${ageInWords(age)}, due at one instant just after a restart of the worker`,
        how: [
          ...howAged(age),
          `One worker. The plans fall due twice: the first time it has had all of them, or the last 2,000, in memory; before the second, when all have their timer, it is killed (SIGKILL) and started again, at least ${forgottenMs / 1000} s before the instant. So it replays the history of each plan before it charges it.`,
          `Each plan must have one paid slot, one intent and one attempt for each time that it fell due, the processor’s ledger one key with success for each intent and no other (${calls} calls, ${keys} keys); nothing is left under way, and all invariants hold.`,
        ],
        figures: [
          figure('due-after-restart.last', `from the instant to the last of ${count} charges`, 's', [cold.last], {
            beside: besideOf('without a restart', [cold.last], [warm.last]),
          }),
          figure('due-after-restart.first', 'to the first charge', 's', [cold.first]),
          figure('due-after-restart.half', 'to half of them', 's', [cold.half]),
          figure('due-after-restart.rate', 'plans a second', '1/s', [cold.perSecond], {
            beside: besideOf('without a restart', [cold.perSecond], [warm.perSecond]),
          }),
          figure(
            'due-after-restart.processor',
            'processor time for one charge, all processes',
            'ms',
            [cold.processorMs],
            {
              beside: besideOf('without a restart', [cold.processorMs], [warm.processorMs]),
            },
          ),
          history,
        ],
      };
    } finally {
      await service.stop();
    }
  },
};

async function collect(
  service: Breakable,
  live: LivePlans,
  log: RunContext['log'],
  afterRestart = false,
): Promise<DueCourse & { processorMs: number }> {
  const before = await lastEvent(service.sql);
  const dueAt = await startAllTimers(service, live, log, afterRestart ? forgottenMs + restartMs : 0);
  if (afterRestart) await restartWorkers(service, dueAt);
  await pause(Math.max(0, dueAt.getTime() - realNow().getTime() - beforeMs));
  const used = await processorSeconds(process.pid);
  const count = live.ids.length;
  const course = await followCourse(dueAt.getTime(), count, async () => (await lastEvent(service.sql)) - before);
  log(`${afterRestart ? 'after a restart' : 'without a restart'}: done ${course.last.toFixed(1)} s after the instant`);
  return { ...course, processorMs: (((await processorSeconds(process.pid)) - used) * 1000) / count };
}

/** @throws Error if they are not up again, and their former selves forgotten, when the instant comes */
async function restartWorkers({ workers }: Breakable, dueAt: Date): Promise<void> {
  if (dueAt.getTime() - realNow().getTime() < forgottenMs) throw new Error('there was no time to restart the worker');
  for (const worker of workers) {
    const { starts } = worker;
    worker.kill();
    if (!(await worker.untilUp(restartMs, starts))) throw new Error(`${worker.name} is not up again`);
  }
  if (realNow().getTime() > dueAt.getTime()) throw new Error('the worker was up only after the instant');
}
