import type { Client } from '@temporalio/client';
import { eventually } from '../lab/eventually.ts';
import { realNow } from '../src/platform/real-time.ts';
import type { Bench } from './bench.ts';
import { type DueCourse, type DueRun, followCourse, leadFor, NotAllTimersSet, withLead } from './due-course.ts';
import { besideOf, type Figure, figure } from './figure.ts';
import { expectChargedOnce, lastEvent, makeLivePlans, pokeAll, setTimers } from './live-plans.ts';

/** A first guess of how long the timers of one workflow take, in milliseconds. */
const timerMs = 15;

/** What falls due at one instant in real time, beside as many weekly plans by card. */
export interface DueKind {
  /** Of the figure. */
  id: string;
  title: string;
  /** In the plural, for the log. */
  name: string;
  workflowType: 'bankDebit' | 'paymentLink' | 'subscription';
  /** Seconds for 1,000. */
  atMost: number;
  /** Returns the ids of the workflows that a round needs. It is called once for each round. */
  make(): Promise<string[]>;
  /** Moves what is due to this instant. */
  move(ids: readonly string[], dueAt: Date): Promise<unknown>;
  /** Returns how many are done. Without it, each is done with one event. */
  countDone?(): Promise<number>;
  /** @throws unless each is done as it should be */
  expectDone(ids: readonly string[]): Promise<void>;
}

/** Measures how long the last takes from the instant on, in turns with as many charges of plans by card. */
export async function dueBesideCards(bench: Bench, temporal: Client, kind: DueKind): Promise<Figure[]> {
  const { plans: count, sql, client, log } = bench;
  log(`${kind.name}: making ${count} plans by card`);
  const cards = await makeLivePlans(client, temporal, count);
  const assertSet = (areSet: boolean, what: string): void => {
    if (!areSet) throw new NotAllTimersSet(`not all of ${count} ${what} had their timer in time`);
  };
  const byCard = async (leadMs: number): Promise<DueRun> => {
    cards.charges += 1;
    const { dueAt, preparedMs, areSet } = await setTimers(sql, temporal, cards.ids, leadMs);
    const course = await followCourse(dueAt.getTime(), count, await eventsFromNow(bench));
    await expectChargedOnce(sql, cards);
    assertSet(areSet, 'plans');
    return { course, preparedMs };
  };
  const byKind = async (leadMs: number): Promise<DueRun> => {
    const ids = await kind.make();
    const begun = performance.now();
    const dueAt = new Date(Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000);
    await kind.move(ids, dueAt);
    const areSet = await pokeAll(temporal, kind.workflowType, ids, dueAt);
    const preparedMs = performance.now() - begun;
    const done = kind.countDone ?? (await eventsFromNow(bench));
    const course = await followCourse(dueAt.getTime(), count, done);
    await kind.expectDone(ids);
    assertSet(areSet, kind.name);
    return { course, preparedMs };
  };
  const runs = [byKind, byCard].map((run) => withLead(leadFor(timerMs * count), run, log));
  const courses: DueCourse[][] = [[], []];
  for (let round = 0; round < (bench.quick ? 1 : 2); round += 1) {
    for (const [index, run] of runs.entries()) courses[index]?.push(await run());
  }
  const [ours = [], theirs = []] = courses.map((each) => each.map(({ last }) => last));
  return [
    figure(kind.id, kind.title, 's', ours, {
      ...(count === 1000 ? { target: { atMost: kind.atMost } } : {}),
      beside: besideOf('charges of plans by card', ours, theirs),
    }),
  ];
}

/** Waits until so many workflows of a type run and have a timer ahead. */
export async function allWaiting(
  temporal: Client,
  workflowType: DueKind['workflowType'],
  count: number,
): Promise<void> {
  const query = `WorkflowType = '${workflowType}' and ExecutionStatus = 'Running' and NextDueAt > '${realNow().toISOString()}'`;
  const areWaiting = async () => (await temporal.workflow.count(query)).count >= count;
  await eventually(`all of ${workflowType} wait`, areWaiting, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 100 });
}

async function eventsFromNow({ sql }: Bench): Promise<() => Promise<number>> {
  const before = await lastEvent(sql);
  return async () => (await lastEvent(sql)) - before;
}
