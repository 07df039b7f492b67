import { setTimeout as pause } from 'node:timers/promises';
import type { CrashAction } from '../../lab/processes/crash-orders.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import type { CrashPoint } from '../../src/services/crash-points.ts';
import { type Arena, type Attack, upProcesses } from './attack.ts';

type Host = 'api' | 'worker' | 'pages';

/** Which processes reach each point. A new point must be added here, or the types fail. */
const hostsOf: Record<CrashPoint, readonly Host[]> = {
  'charge prepared': ['api', 'worker'],
  'charge reserved': ['api', 'worker'],
  'debit handed over': ['worker'],
  'debit asked': ['worker'],
  'debit recorded': ['worker'],
  'notices heard': ['worker'],
  'notice settled': ['worker'],
  'confirm opened': ['api', 'pages'],
  'confirm charged': ['api', 'pages'],
  'confirm completed': ['api', 'pages'],
  'challenge asked': ['pages', 'api'],
  'challenge given up': ['api'],
  'challenge settled': ['pages'],
  'session charged': ['pages'],
  'link completed': ['pages'],
  'refund opened': ['api'],
  'refund asked': ['api'],
  'refund completed': ['api'],
  'collection opened': ['worker'],
  'collection charged': ['worker'],
  'collection completed': ['worker'],
  'scheduled payment opened': ['worker'],
  'scheduled payment charged': ['worker'],
  'scheduled payment completed': ['worker'],
  'advance accepted': ['api'],
  'advance found': ['worker'],
  'advance allowed to skip': ['worker'],
  'advance moved a subject': ['worker'],
  'advance moved all': ['worker'],
  'advance completed': ['worker'],
  'processor entries posted': ['worker'],
  'payout made': ['worker'],
  'delivery prepared': ['worker'],
  'delivery posted': ['worker'],
  'delivery recorded': ['worker'],
  'batch started': ['api', 'worker', 'pages'],
  'batch posted': ['worker'],
  'batch recorded': ['worker'],
  'batch child enqueued': ['worker'],
  'request executed': ['api'],
  'request committed': ['api'],
  'outbox claimed': ['api', 'worker', 'pages'],
  'outbox dispatched': ['api', 'worker', 'pages'],
};

export const allPoints = Object.keys(hostsOf) as CrashPoint[];

/** Frozen between two steps: longer than any time-out (5 s), so that another process takes over. */
const frozenMs = [6_000, 8_000] as const;
const passedWithinMs = 6_000;
/**
 * After a step was made to fail, its other points are left alone for so long: they would meet the retries of the same
 * step, and a workflow that has failed three times in a row looks again only minutes later.
 */
const coolingMs = 4_000;
/** A process whose last start took longer is not killed in a short run: the step throws instead. */
const slowStartMs = 4_000;
/** Then the order is renewed, with what is still wanted. */
const huntMs = 500;
const noticeMs = 200;

/** The step that the point is in, such as "confirm" or "scheduled payment". */
function stepOf(point: CrashPoint): string {
  return /^(scheduled payment|\w+)/.exec(point)?.[0] ?? point;
}

const actionWords: Record<CrashAction, string> = { kill: 'killed', freeze: 'frozen', fail: 'made to fail' };

let lastOrder = 0;

/** At a random point, in a random process that reaches it. */
export const crashPoint: Attack = {
  kind: 'crash point',
  weight: 26,
  draw(arena) {
    const { chance } = arena;
    const point = chance.pick(allPoints);
    const { action } = chance.pickByWeight([
      { action: 'kill' as const, weight: 6 },
      { action: 'freeze' as const, weight: 2 },
      { action: 'fail' as const, weight: 2 },
    ]);
    const hosts = hostsOf[point].flatMap((kind) => upProcesses(arena, kind));
    if (hosts.length === 0) return null;
    const host = chance.pick(hosts);
    return {
      title: `${host.name} ${actionWords[action]} at "${point}"`,
      targets: [host.name],
      run: async () => (await hit(arena, host, [point], action, passedWithinMs)) !== null,
    };
  },
};

/**
 * Orders the action at the next of the points that the process reaches, and lets it continue or start again. Returns
 * that point; null if it reached none in time.
 */
async function hit(
  { cluster, chance, fired }: Arena,
  host: SupervisedProcess,
  points: readonly CrashPoint[],
  action: CrashAction,
  timeoutMs: number,
): Promise<CrashPoint | null> {
  const id = ++lastOrder;
  const from = cluster.carriedOut.all.length;
  const since = host.starts;
  const isOurs = (entry: { id: number }) => entry.id === id;
  host.expectEnd(action === 'kill');
  host.order({ id, points, action });
  let line = await cluster.carriedOut.find(isOurs, { from, timeoutMs });
  if (line === null) {
    host.order(null);
    // It may have reached one before it got that message.
    line = await cluster.carriedOut.find(isOurs, { from, timeoutMs: noticeMs });
    if (line === null) {
      host.expectEnd(false);
      return null;
    }
  }
  const { point } = line.value;
  fired.add(point);
  if (action === 'freeze') {
    await pause(chance.between(...frozenMs));
    host.thaw();
  } else if (action === 'kill') {
    await host.untilUp(30_000, since);
  }
  return point;
}

/**
 * Hits every point once: each process dies at the first that is still wanted, starts again, and so on, until all have
 * fired. After `killUntil`, or on a machine on which a start takes long, the step fails instead, which costs no start.
 */
export async function hitEveryPoint(
  arena: Arena,
  report: (title: string) => void,
  { wanted, killUntil, hitUntil }: { wanted: readonly CrashPoint[]; killUntil: number; hitUntil: number },
): Promise<void> {
  const wantedStill = new Set(wanted);
  // The pages are asked only for what no other process reaches: a charge that they have opened is finished a minute
  // later.
  const wantedOf = (kind: Host) =>
    [...wantedStill].filter(
      (point) => hostsOf[point].includes(kind) && (kind !== 'pages' || hostsOf[point][0] === kind),
    );
  /** Until when no other point of a step is made to fail; performance time. */
  const cooling = new Map<string, number>();
  const isCooling = (point: CrashPoint) => (cooling.get(stepOf(point)) ?? 0) > performance.now();
  const hasTime = killUntil === Number.POSITIVE_INFINITY;
  const startsSlowly = ({ name }: SupervisedProcess): boolean => {
    const last = arena.cluster.startTimes.filter((start) => start.name === name).at(-1);
    return last !== undefined && last.ms > slowStartMs;
  };

  async function hunt(host: SupervisedProcess, kind: Host): Promise<void> {
    while (performance.now() < hitUntil) {
      const left = wantedOf(kind);
      if (left.length === 0) return;
      if (!(await host.untilUp(1_000))) continue;
      const maySpend = hasTime || (performance.now() < killUntil && !startsSlowly(host));
      const action = maySpend ? 'kill' : 'fail';
      const mine = maySpend ? left : left.filter((point) => !isCooling(point));
      if (mine.length === 0) {
        await pause(huntMs);
        continue;
      }
      const point = await hit(arena, host, mine, action, huntMs);
      if (point === null) continue;
      wantedStill.delete(point);
      if (action === 'fail') cooling.set(stepOf(point), performance.now() + coolingMs);
      report(`${host.name} ${actionWords[action]} at "${point}"`);
    }
  }
  await Promise.all([
    ...arena.cluster.apis.map((child) => hunt(child, 'api')),
    ...arena.cluster.workers.map((child) => hunt(child, 'worker')),
    ...arena.cluster.pages.map((child) => hunt(child, 'pages')),
  ]);
}
