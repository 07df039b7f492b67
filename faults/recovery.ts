import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../lab/eventually.ts';
import { realNow } from '../src/platform/real-time.ts';
import { letFallDue, makePlanInRealTime } from './load/plans-in-real-time.ts';
import { modeOf, type World } from './load/world.ts';

/** One measurement of P7: what was taken away, and how long after it was back the first work was done. */
export interface Recovery {
  what: 'api' | 'worker' | 'postgres' | 'temporal' | 'processor';
  ms: number;
  /** The promise, in milliseconds. */
  limitMs: number;
  /** The share of the machine that other programs used just before: above a fifth, this is not judged. */
  othersShare: number;
}

/** Above this share the machine is too busy to measure. */
export const mostForOthers = 0.2;

const apiLimitMs = 3_000;
const chargeLimitMs = 10_000;
/** From now to the instant at which a plan is made due: its workflow is poked before the outage begins. */
const aheadMs = 2_000;
const waiting = { timeoutMs: 60_000, everyMs: 10 };

/**
 * Measures how fast work continues after everything of one kind was killed, with nothing else under way: for the API
 * from the start of the process to the first 2xx; for the others from when it is back to the first charge of a plan
 * that fell due while it was away.
 */
export async function measureRecovery(world: World, rounds: number): Promise<Recovery[]> {
  const found: Recovery[] = [];
  const measures: { what: Recovery['what']; limitMs: number; measure: () => Promise<number> }[] = [
    { what: 'api', limitMs: apiLimitMs, measure: () => firstResponse(world) },
    { what: 'worker', limitMs: chargeLimitMs, measure: () => firstCharge(world, awayWorkers) },
    { what: 'postgres', limitMs: chargeLimitMs, measure: () => firstCharge(world, awayServer('postgres')) },
    { what: 'temporal', limitMs: chargeLimitMs, measure: () => firstCharge(world, awayServer('temporal')) },
    { what: 'processor', limitMs: chargeLimitMs, measure: () => firstCharge(world, awayProcessor, 'liveShop') },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const { what, limitMs, measure } of measures) {
      const othersShare = await busyShare();
      found.push({ what, limitMs, othersShare, ms: await measure() });
    }
  }
  return found;
}

/** The share of the machine that is in use over a second in which the service itself is at rest. */
async function busyShare(): Promise<number> {
  const sum = () =>
    cpus().reduce(
      ({ idle, all }, { times }) => ({
        idle: idle + times.idle,
        all: all + Object.values(times).reduce((total, each) => total + each, 0),
      }),
      { idle: 0, all: 0 },
    );
  const before = sum();
  await pause(1_000);
  const after = sum();
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

async function firstResponse({ cluster, accounts }: World): Promise<number> {
  await Promise.all(cluster.apis.map((api) => api.hold()));
  const begun = performance.now();
  for (const api of cluster.apis) api.release();
  const headers = { authorization: `Bearer ${accounts.shop.apiKey}` };
  const responds = () =>
    Promise.any(
      cluster.apis.map(async ({ directUrl }) => {
        const { ok } = await fetch(`${directUrl}/api/v1/customers?limit=1`, { headers });
        if (!ok) throw new Error('not yet');
      }),
    ).then(
      () => true,
      () => false,
    );
  await eventually('the API responds', responds, waiting);
  return performance.now() - begun;
}

/**
 * Takes something away at once. The function that it returns gives it back, and returns when it was back: performance
 * time.
 */
type TakeAway = (world: World) => Promise<() => Promise<number>>;

const awayWorkers: TakeAway = async ({ cluster }) => {
  await Promise.all(cluster.workers.map((worker) => worker.hold()));
  return async () => {
    for (const worker of cluster.workers) worker.release();
    await eventually('a worker is up', () => cluster.workers.some(({ state }) => state === 'up'), waiting);
    return performance.now();
  };
};

const awayServer =
  (name: 'postgres' | 'temporal'): TakeAway =>
  async ({ cluster }) => {
    await cluster[name].kill();
    return async () => {
      await cluster[name].start();
      return performance.now();
    };
  };

const awayProcessor: TakeAway = async ({ cluster }) => {
  const { process: processor } = cluster.standIn;
  await processor.hold();
  return async () => {
    processor.release();
    await eventually('the processor is up', () => processor.state === 'up', waiting);
    return performance.now();
  };
};

async function firstCharge(world: World, takeAway: TakeAway, at: 'shop' | 'liveShop' = 'shop'): Promise<number> {
  const account = world.accounts[at];
  const ledger = world.cluster.ledgers[modeOf(account)];
  const plan = await makePlanInRealTime(world, account);
  const { amount } = plan;
  world.claims.push(() => [
    { amount, what: `a plan of ${amount}, due in an outage`, succeeded: [1, 1], attempts: [1, 1] },
  ]);
  const from = ledger.all.length;
  await letFallDue(world, [plan.id], new Date(realNow().getTime() + aheadMs));
  await pause(aheadMs / 2); // its workflow has its timer by now
  const bringBack = await takeAway(world);
  await pause(aheadMs);
  const backAt = await bringBack();
  const charge = await ledger.find((entry) => entry.amount === amount, { from, timeoutMs: waiting.timeoutMs });
  if (charge === null) throw new Error(`nothing was charged within ${waiting.timeoutMs / 1000} s after the outage`);
  return Math.max(0, performance.now() - backAt);
}
