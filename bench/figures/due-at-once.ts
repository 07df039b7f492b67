import { Client, Connection } from '@temporalio/client';
import { inParallel } from '../../lab/parallel.ts';
import { ageInWords, agePlans, historyFigure, howAged } from '../aged-plans.ts';
import { type BareTemporal, startBareTemporal, type TickKind, type Watched } from '../bare-temporal/ticks.ts';
import type { Bench, Measurement } from '../bench.ts';
import { type DueCourse, type DueRun, followCourse, leadFor, NotAllTimersSet, withLead } from '../due-course.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { expectOneSuccessEach } from '../ledger.ts';
import { expectChargedOnce, type LivePlans, lastEvent, makeLivePlans, setTimers } from '../live-plans.ts';
import { type PartUse, watchParts } from '../part-use.ts';
import { footprints, recordedProcesses } from '../processes.ts';

const namespace = 'payments';
/** Of more there is one round, beside one kind of bare workflow, and what is left of them is not tidied up. */
const usualCount = 1000;
/** A second round is begun only by then: on a busy machine one takes minutes. */
const anotherRoundMs = 80_000;
/** A trial with so many shows how long all will take to have their timers. */
const trialCount = 200;
const farAheadMs = 3_600_000;

/** What one kind of work was seen to do: the courses of its rounds, and what each part has used in them. */
interface Seen {
  courses: DueCourse[];
  uses: PartUse[][];
}

/** Many plans in real time that fall due at one instant, beside as many bare workflows on the same server. */
export const dueAtOnce: Measurement = {
  name: 'due-at-once',
  needs: 'copy',
  async measure(bench) {
    const { plans: count, age } = bench;
    const rounds = bench.quick || count > usualCount ? 1 : 2;
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    const temporal = new Client({ connection, namespace });
    const bare = await startBareTemporal(bench.copy, temporal, bench.sql);
    const parts = (await recordedProcesses(bench.copy.dataDir)).set(bare.pid, 'bare-worker');
    const atRest = new Map((await footprints(process.pid, parts)).map(({ part, rss, pss }) => [part, pss ?? rss]));
    const plans: Seen = { courses: [], uses: [] };
    const inLiveMode: Seen = { courses: [], uses: [] };
    const ticks: Record<TickKind, Seen> = {
      tickByLocalActivity: { courses: [], uses: [] },
      tickByActivity: { courses: [], uses: [] },
    };
    let history: Figure;
    try {
      bench.log(`due at once: making ${count} plans in real time`);
      const live = await makeLivePlans(bench.client, temporal, count);
      await agePlans({ ...bench, temporal }, live, age);
      history = await historyFigure('due-at-once', temporal, live);
      const ofLiveMode = bench.liveMode && (await makeLivePlans(bench.liveMode.client, temporal, count, 'live'));
      const runs = await prepareRuns(bench, temporal, bare, { live, ofLiveMode });
      const begun = performance.now();
      for (let round = 1; round <= rounds; round++) {
        if (round > 1 && performance.now() - begun > anotherRoundMs) break;
        bench.log(`due at once: round ${round} of ${rounds}`);
        if (count <= usualCount) await runs.tickByLocalActivity(watching(parts, ticks.tickByLocalActivity));
        await runs.plans(watching(parts, plans));
        await runs.plansInLiveMode?.(watching(parts, inLiveMode));
        await runs.tickByActivity(watching(parts, ticks.tickByActivity));
      }
      await conclude(bench, live, { client: bench.client, ledgerFile: bench.copy.ledgerFile });
      if (bench.liveMode !== null && ofLiveMode !== null) {
        const { client, standIn } = bench.liveMode;
        await conclude(bench, ofLiveMode, { client, ledgerFile: standIn.ledgerFile });
      }
    } finally {
      await bare.stop();
      await connection.close();
    }
    return {
      name: 'due-at-once',
      title: `${count} plans in real time, ${ageInWords(age)}, due at one instant (one biller, no webhook endpoint)`,
      how: [
        ...howAged(age),
        `${count} customers without a clock, each with a card and an active weekly plan, made through the API. Then next_due_at of all is set to one instant some seconds ahead by SQL, and their start_date with it, and their workflows are poked (signal \`poke\`), so that each has a real timer for it; the server's NextDueAt says that all do.`,
        'Time runs from the instant until the events of all charges are seen committed in the database, looked at every 25 to 100 ms. Each plan must then have exactly one paid slot, one intent and one attempt for each instant, and the processor’s own ledger one success for each intent, or the run fails.',
        'Bare: as many workflows with one timer for such an instant and one activity that inserts one row, on the same server, with a worker process of their own that begins up to a hundred workflow tasks at once; they end after it, while a plan goes on to its next timer. Kinds and plans take turns in each round.',
        ...(inLiveMode.courses.length === 0
          ? []
          : [
              'In live mode: as many such plans of the same biller’s live mode, taking turns with those of the sandbox. Their processor is the stand-in of `lab`, a process of its own on the same machine, asked over HTTP by normal activities with heartbeats; it syncs each outcome to its disk. It is judged by its own ledger.',
            ]),
        'Processor time and memory are those of the processes from shortly before the instant to the last charge or row, memory beside that before anything was made.',
      ],
      figures: [
        ...coursesOf(count, plans, ticks),
        ...coursesInLiveMode(count, inLiveMode, plans),
        history,
        ...partsOf(count, plans, ticks, atRest),
      ],
    };
  },
};

/**
 * Tries with some of them how long all will take to have their timers, so that each instant is neither too early nor
 * late.
 */
async function prepareRuns(
  { sql, log }: Bench,
  temporal: Client,
  bare: BareTemporal,
  { live, ofLiveMode }: { live: LivePlans; ofLiveMode: LivePlans | null },
) {
  const count = live.ids.length;
  const trial = Math.min(count, trialCount);
  const { preparedMs } = await setTimers(sql, temporal, live.ids.slice(0, trial), farAheadMs);
  const plansMs = (preparedMs / trial) * count;
  const bareMs = (await bare.millisecondsEach(trial)) * count;
  log(
    `due at once: to have all timers, plans may take ${(plansMs / 1000).toFixed(0)} s, bare workflows ${(bareMs / 1000).toFixed(0)} s`,
  );
  const lead = (ms: number, run: (leadMs: number, watched: Watched) => Promise<DueRun>) =>
    withLead(leadFor(ms), run, log);
  return {
    plans: lead(plansMs, (ms, watched) => letFallDue(sql, temporal, live, ms, watched)),
    plansInLiveMode: ofLiveMode && lead(plansMs, (ms, watched) => letFallDue(sql, temporal, ofLiveMode, ms, watched)),
    tickByLocalActivity: lead(bareMs, (ms, watched) => bare.run('tickByLocalActivity', count, ms, watched)),
    tickByActivity: lead(bareMs, (ms, watched) => bare.run('tickByActivity', count, ms, watched)),
  };
}

async function letFallDue(
  sql: Bench['sql'],
  temporal: Client,
  live: LivePlans,
  leadMs: number,
  watched: Watched,
): Promise<DueRun> {
  const count = live.ids.length;
  live.charges += 1;
  const before = await lastEvent(sql, live.mode);
  const { dueAt, preparedMs, areSet } = await setTimers(sql, temporal, live.ids, leadMs);
  const follow = () => followCourse(dueAt.getTime(), count, async () => (await lastEvent(sql, live.mode)) - before);
  // Those that were late are still charged, and counted before the next try.
  const course = areSet ? await watched(follow) : await follow();
  await expectChargedOnce(sql, live);
  if (!areSet) throw new NotAllTimersSet(`not all of ${count} plans had their timer in time`);
  return { course, preparedMs };
}

/** Compares the plans with the processor's ledger. Closes them, if they are few, so that the copy is free again. */
async function conclude(
  { sql, log }: Bench,
  plans: LivePlans,
  { client, ledgerFile }: { client: Bench['client']; ledgerFile: string },
): Promise<void> {
  const intents = await expectChargedOnce(sql, plans);
  const { calls } = await expectOneSuccessEach(ledgerFile, intents);
  log(`due at once, ${plans.mode}: ${intents.length} payments in the database, ${calls} in the processor's ledger`);
  if (plans.ids.length <= usualCount) await inParallel(plans.ids, 12, (id) => client.paymentPlans.close(id));
}

function watching(parts: ReadonlyMap<number, string>, seen: Seen): Watched {
  return async (follow) => {
    const watch = await watchParts(parts);
    const course = await follow();
    seen.uses.push(await watch.stop());
    seen.courses.push(course);
    return course;
  };
}

function coursesOf(count: number, plans: Seen, ticks: Record<TickKind, Seen>): Figure[] {
  const rates = ({ courses }: Seen) => courses.map(({ perSecond }) => perSecond);
  const of = (key: 'first' | 'half' | 'last') => plans.courses.map((course) => course[key]);
  const target = count === usualCount ? { aim: 10 } : null;
  const beside = (what: string, kind: TickKind) => ({
    beside: besideOf(what, rates(plans), rates(ticks[kind])),
    target: { aimRatio: 0.6 },
  });
  return [
    figure('due-at-once.last', `from the instant to the last of ${count} charges`, 's', of('last'), { target }),
    figure('due-at-once.first', 'to the first charge', 's', of('first')),
    figure('due-at-once.half', 'to half of them', 's', of('half')),
    ...(ticks.tickByLocalActivity.courses.length === 0
      ? []
      : [
          figure(
            'due-at-once.rate',
            'plans a second, beside bare workflows with a local activity',
            '1/s',
            rates(plans),
            beside('bare, local activity', 'tickByLocalActivity'),
          ),
        ]),
    figure(
      'due-at-once.rate-beside-task',
      'plans a second, beside bare workflows with a normal activity',
      '1/s',
      rates(plans),
      beside('bare, normal activity', 'tickByActivity'),
    ),
  ];
}

function coursesInLiveMode(count: number, inLiveMode: Seen, plans: Seen): Figure[] {
  if (inLiveMode.courses.length === 0) return [];
  const of = (key: 'first' | 'last' | 'perSecond') => inLiveMode.courses.map((course) => course[key]);
  const beside = besideOf(
    'sandbox',
    of('perSecond'),
    plans.courses.map(({ perSecond }) => perSecond),
  );
  return [
    figure('due-at-once.live.last', `in live mode: to the last of ${count} charges`, 's', of('last')),
    figure('due-at-once.live.first', 'in live mode: to the first charge', 's', of('first')),
    figure('due-at-once.live.rate', 'in live mode: plans a second', '1/s', of('perSecond'), { beside }),
  ];
}

/** For each part: its processor time for one charge, beside that for a bare workflow, and its memory at the peak. */
function partsOf(
  count: number,
  plans: Seen,
  ticks: Record<TickKind, Seen>,
  atRest: ReadonlyMap<string, number>,
): Figure[] {
  const each = ({ uses }: Seen, part: string) =>
    uses.map((use) => ((use.find((one) => one.part === part)?.processorSeconds ?? 0) * 1000) / count);
  const figures: Figure[] = [];
  for (const { part, name, bare } of partsShown) {
    const ms = each(plans, part);
    const beside = besideOf('bare, normal activity', ms, each(ticks.tickByActivity, bare ?? part));
    const time = `${name}: processor time for one charge`;
    figures.push(figure(`due-at-once.processor.${part}`, time, 'ms', ms, bare === null ? {} : { beside }));
  }
  for (const { part, name } of partsShown) {
    const peaks = plans.uses.flatMap((use) => use.filter((one) => one.part === part).map(({ peakMb }) => peakMb));
    const rest = atRest.get(part);
    if (peaks.length === 0 || rest === undefined) continue; // no Linux
    const beside = besideOf(
      'at rest',
      peaks,
      peaks.map(() => rest),
    );
    figures.push(
      figure(`due-at-once.memory.${part}`, `${name}: memory, its share at the most`, 'MB', peaks, { beside }),
    );
  }
  return figures;
}

/** The parts, with what does their work for bare workflows: null, nothing. */
const partsShown = [
  { part: 'worker', name: 'worker', bare: 'bare-worker' },
  { part: 'temporal', name: 'Temporal', bare: 'temporal' },
  { part: 'postgres', name: 'PostgreSQL', bare: 'postgres' },
  { part: 'api', name: 'API', bare: null },
];
