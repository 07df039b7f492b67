import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { range } from '../lab/parallel.ts';
import type { TemporalStore } from '../lab/parts.ts';
import type { Weather } from '../lab/processes/stand-in/weather.ts';
import { chanceOf } from '../lab/random.ts';
import { realNow } from '../src/platform/real-time.ts';
import type { Arena, Attack } from './attacks/attack.ts';
import { allPoints } from './attacks/crash-points.ts';
import { attacks } from './attacks/index.ts';
import { attack } from './campaign.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Finding } from './evidence.ts';
import { checksumOfUntouched, gather } from './gather.ts';
import { furnishBystander, furnishLiveMode } from './load/bystander.ts';
import { type ClockHistory, clockKeeper } from './load/clocks.ts';
import { debtor } from './load/debtors.ts';
import { member } from './load/members.ts';
import { payer } from './load/payers.ts';
import { plansInRealTime } from './load/plans-in-real-time.ts';
import { renewalRaces, renewals } from './load/renewals.ts';
import { shopper } from './load/shoppers.ts';
import { subscriber } from './load/subscribers.ts';
import { type Actor, makeWorld, type World } from './load/world.ts';
import { settle } from './quiet.ts';
import { type FaultReceiver, startFaultReceiver } from './receiver.ts';
import { measureRecovery, mostForOthers, type Recovery } from './recovery.ts';
import type { Outcome } from './report.ts';
import { judge } from './verdict.ts';

export interface RunOptions {
  seed: string;
  faults: number;
  minutes: number;
  /** Kinds of attacks; null: all of them. */
  only: readonly string[] | null;
  isQuick: boolean;
  temporalStore: TemporalStore;
  folder: string;
}

type Log = (line: string) => void;

/**
 * How long the load may take to end what it has begun, and then the service to come to rest. A batch of deliveries
 * whose worker died takes 35 s to be tried again, a turn at an endpoint that hung comes within 60 s, and an attempt
 * takes 25 s.
 */
const endTimeoutMs = 90_000;
const settleTimeoutMs = 240_000;
/** A short run injects faults for so long, however few they have become. */
const quickAttackMs = 70_000;
/** It hits crash points by kills for so long: a slow machine has no time to start a process for each. */
const quickKillMs = 35_000;

/** On a slow machine it continues for points that have not fired, and only for them. */
const quickPointsMs = 150_000;

/** A short run ends as soon as it has seen every point and this many faults. */
const quickFaults = 28;

/** What the live processor does to some of its calls, in addition to all faults. */
const weathers: Weather[] = [
  ...(['answer_lost', 'error_500', 'html', 'truncated', 'reset_before', 'busy', 'rate_limited'] as const),
  ...(['http_500_stored', 'refused_after'] as const),
  'slow_1500',
];

/** Runs the whole of it: cluster, load, faults, rest, verdict. */
export async function run(options: RunOptions, log: Log): Promise<Omit<Outcome, 'seed' | 'startedAt' | 'seconds'>> {
  const chance = chanceOf(options.seed);
  const receiver = await startFaultReceiver(chance.fork('receiver'));
  const cluster = await startCluster(options.folder, chance.fork('cluster'), {
    canSetClocks: chosenFrom(options).some(({ kind }) => kind === 'clock jump'),
    temporalStore: options.temporalStore,
  });
  await cluster.standIn.setClimate({ seed: options.seed, share: 0.15, kinds: weathers });
  log('two API processes, two workers, two for the pages, PostgreSQL, Temporal and a live processor are up');
  try {
    return await attackAndJudge(options, cluster, receiver, log);
  } finally {
    await cluster.close();
    await receiver.close();
    log('everything has ended');
  }
}

async function attackAndJudge(options: RunOptions, cluster: Cluster, receiver: FaultReceiver, log: Log) {
  const chance = chanceOf(options.seed);
  const world = await makeWorld(cluster, receiver, chance.fork('load'));
  await furnishBystander(world);
  await furnishLiveMode(world);
  const before = await checksumOfUntouched(world);
  const histories: ClockHistory[] = [];
  const load = Promise.all(actors(histories, options.isQuick).map((actor) => actor(world)));
  await pause(2_000);

  const arena: Arena = {
    cluster,
    receiver,
    chance: chance.fork('attacks'),
    isQuick: options.isQuick,
    fired: new Set(),
    findings: [],
  };
  const chosen = chosenFrom(options);
  const minutes = options.isQuick ? quickAttackMs / 60_000 : options.minutes;
  const faults = await attack(arena, {
    faults: options.isQuick ? quickFaults : options.faults,
    attacks: chosen,
    points: wantsPoints(chosen) ? allPoints : [],
    killUntil: options.isQuick ? performance.now() + quickKillMs : Number.POSITIVE_INFINITY,
    hitUntil: performance.now() + (options.isQuick ? quickPointsMs : minutes * 60_000),
    giveUpAt: performance.now() + minutes * 60_000,
    report: ({ number, title }) => log(`fault ${number}: ${title}`),
  });

  log('no more faults; waiting for everything to come to rest');
  const endedAt = performance.now();
  const replayedFrom = realNow().getTime();
  await cluster.heal();
  await cluster.standIn.setClimate(null);
  world.stop();
  const hasEnded = await endLoad(world, load, log);
  let { stuck, replays } = await settle(world, receiver, performance.now() + settleTimeoutMs, log);
  log(`at rest ${((performance.now() - endedAt) / 1000).toFixed(1)} s after the last fault`);
  // Clients that were given up ask only once, so nothing can be measured by them.
  const recoveries = options.isQuick || !hasEnded ? [] : await measureRecovery(world, 3);
  if (recoveries.length > 0) ({ stuck } = await settle(world, receiver, performance.now() + settleTimeoutMs, log));

  log('gathering the evidence');
  const evidence = await gather(world, receiver, { stuck, histories, before, replayedFrom });
  const findings = [
    ...judge(evidence),
    ...arena.findings,
    ...world.surprises.map(({ promise, what }) => ({ promise, what }) as Finding),
    ...judgeCoverage(arena, options, faults.length, chosen),
    ...judgeRecovery(recoveries),
  ];
  if (findings.length > 0) {
    await writeFile(join(options.folder, 'evidence.json'), JSON.stringify({ findings, faults, evidence }, null, 1));
  }
  return {
    faults,
    skipped: chosen.map(({ kind }) => kind).filter((kind) => isImpossible(cluster, kind)),
    points: { all: allPoints, fired: arena.fired },
    evidence,
    setbacks: world.journal.setbacks,
    replays,
    recoveries,
    startTimes: cluster.startTimes,
    ownEnds: cluster.ownEnds,
    findings,
  };
}

/** Enough to reach every crash point every few seconds, and little enough for two cores to have time for recovery. */
function actors(histories: ClockHistory[], isQuick: boolean): Actor[] {
  const clocks = (name: 'monthly' | 'weekly', count: number) =>
    Array.from({ length: count }, (_, index) => clockKeeper(({ accounts }) => accounts[name], index + 1, histories));
  return [
    ...[1, 2, 3].map((number) => shopper(number)),
    // A short run lets steps fail, and a scheduled payment that has failed holds its subscriber up for long.
    ...range(isQuick ? 3 : 2).map((index) => subscriber(index + 1)),
    // An account has at most three clocks at once, and each debtor has one.
    ...range(isQuick ? 2 : 3).map((index) => debtor(index + 1)),
    ...[1, 2, 3].map(payer),
    ...range(isQuick ? 1 : 2).map((index) => member(index + 1)),
    renewals(isQuick ? 3 : 8),
    renewalRaces(),
    shopper(4, 'liveShop'),
    plansInRealTime(isQuick ? 4 : 15, 'shop'),
    plansInRealTime(isQuick ? 4 : 10, 'liveShop'),
    ...clocks('monthly', isQuick ? 3 : 2),
    ...clocks('weekly', isQuick ? 3 : 2),
  ];
}

function chosenFrom({ only, isQuick }: RunOptions): Attack[] {
  const wanted = attacks.filter(({ kind }) => only === null || only.includes(kind));
  return isQuick ? wanted.filter((attack) => attack.isQuick !== false) : wanted;
}

/** Whether this machine does not allow it: mounting a disk, or setting clocks off. */
function isImpossible({ disks, clocks }: Cluster, kind: string): boolean {
  return (kind === 'full disk' && disks.size === 0) || (kind === 'clock jump' && clocks === null);
}

const wantsPoints = (chosen: readonly Attack[]) => chosen.some(({ kind }) => kind === 'crash point');

/** Returns whether the load has ended in time. If not, it is given up. */
async function endLoad(world: World, load: Promise<unknown>, log: Log): Promise<boolean> {
  const late = pause(endTimeoutMs, 'late' as const, { ref: false });
  if ((await Promise.race([load.then(() => 'ended' as const), late])) === 'ended') return true;
  log(`the load has not ended after ${endTimeoutMs / 1000} s`);
  world.surprises.push({ promise: 'stuck', what: `the load still waits for something after ${endTimeoutMs / 1000} s` });
  world.giveUp();
  return false;
}

function judgeCoverage({ fired }: Arena, options: RunOptions, injected: number, chosen: readonly Attack[]): Finding[] {
  const findings: Finding[] = [];
  const missing = wantsPoints(chosen) ? allPoints.filter((point) => !fired.has(point)) : [];
  for (const point of missing) findings.push({ promise: 'coverage', what: `the crash point "${point}" never fired` });
  if (!options.isQuick && injected < options.faults) {
    findings.push({
      promise: 'coverage',
      what: `${injected} faults in ${options.minutes} minutes, not ${options.faults}`,
    });
  }
  return findings;
}

function judgeRecovery(recoveries: readonly Recovery[]): Finding[] {
  return recoveries
    .filter(({ ms, limitMs, othersShare }) => ms > limitMs && othersShare <= mostForOthers)
    .map(({ what, ms, limitMs }) => ({ promise: 'P7', what: `${what}: ${Math.round(ms)} ms, promised ${limitMs} ms` }));
}
