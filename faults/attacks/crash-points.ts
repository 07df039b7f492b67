import { setTimeout as pause } from 'node:timers/promises';
import type { CrashPoint } from '../../src/platform/crash-points.ts';
import type { Child } from '../child.ts';
import type { Deed } from '../processes/obey.ts';
import { type Arena, type Attack, upProcesses } from './attack.ts';

type Host = 'api' | 'worker';

/** Which processes come by each point. A new point has to be placed here, or nothing compiles. */
export const hostsOf: Record<CrashPoint, readonly Host[]> = {
  'confirm opened': ['api'],
  'confirm charged': ['api'],
  'confirm completed': ['api'],
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
  'delivery prepared': ['worker'],
  'delivery posted': ['worker'],
  'delivery recorded': ['worker'],
  'request executed': ['api'],
  'request committed': ['api'],
  'outbox claimed': ['api', 'worker'],
  'outbox dispatched': ['api', 'worker'],
};

export const allPoints = Object.keys(hostsOf) as CrashPoint[];

/** Frozen right between two steps: longer than anybody waits for it (5 s), so that another takes over. */
const frozenMs = [6_000, 8_000] as const;
const passedWithinMs = 6_000;
/**
 * After one was made to fail, its neighbours are left alone for so long: they would meet the retries of the very same deed, and
 * one that has failed three times in a row is looked at again only minutes later.
 */
const coolingMs = 4_000;
/** Whose last start took longer is not killed in a run that is short of time: it is to throw instead. */
const slowStartMs = 4_000;
/** Then the list of what is still wanted is told afresh. */
const huntMs = 500;
const tellMs = 200;

/** What is being done at the point, such as a "confirm" or "scheduled payment". */
function deedOf(point: CrashPoint): string {
  return /^(scheduled payment|\w+)/.exec(point)?.[0] ?? point;
}

const deedWords: Record<Deed, string> = { kill: 'killed', freeze: 'frozen', fail: 'made to fail' };

let lastOrder = 0;

/** At a random point, in a random process that comes by it. */
export const crashPoint: Attack = {
  kind: 'crash point',
  weight: 26,
  draw(arena) {
    const { chance } = arena;
    const point = chance.pick(allPoints);
    const deed = chance.pickByWeight([
      { deed: 'kill' as const, weight: 6 },
      { deed: 'freeze' as const, weight: 2 },
      { deed: 'fail' as const, weight: 2 },
    ]).deed;
    const hosts = hostsOf[point].flatMap((kind) => upProcesses(arena, kind));
    if (hosts.length === 0) return null;
    const host = chance.pick(hosts);
    return {
      title: `${host.name} ${deedWords[deed]} at "${point}"`,
      targets: [host.name],
      run: async () => (await hit(arena, host, [point], deed, passedWithinMs)) !== null,
    };
  },
};

/**
 * Has the process do the deed at the next of the points that it comes by, and lets it go on or start again. Answers which
 * one that was; null when it came by none in time.
 */
async function hit(
  { cluster, chance, fired }: Arena,
  host: Child,
  points: readonly CrashPoint[],
  deed: Deed,
  timeoutMs: number,
): Promise<CrashPoint | null> {
  const id = ++lastOrder;
  const from = cluster.obeyed.all.length;
  const since = host.starts;
  const isObeyed = (line: { id: number }) => line.id === id;
  host.expectEnd(deed === 'kill');
  host.order({ id, points, deed });
  let obeyed = await cluster.obeyed.find(isObeyed, { from, timeoutMs });
  if (obeyed === null) {
    host.order(null);
    // It may have come by before it heard of that.
    obeyed = await cluster.obeyed.find(isObeyed, { from, timeoutMs: tellMs });
    if (obeyed === null) {
      host.expectEnd(false);
      return null;
    }
  }
  const { point } = obeyed.value;
  fired.add(point);
  if (deed === 'freeze') {
    await pause(chance.between(...frozenMs));
    host.thaw();
  } else if (deed === 'kill') {
    await host.untilUp(30_000, since);
  }
  return point;
}

/**
 * Hits every point once: each process dies at the first that is still wanted, starts again, and so on, until all have fired.
 * What has not after `killUntil`, or on a machine on which a start takes long, is made to fail instead, which costs no start.
 */
export async function hitEveryPoint(
  arena: Arena,
  tell: (title: string) => void,
  { wanted, killUntil, hitUntil }: { wanted: readonly CrashPoint[]; killUntil: number; hitUntil: number },
): Promise<void> {
  const wantedStill = new Set(wanted);
  const wantedOf = (kind: Host) => [...wantedStill].filter((point) => hostsOf[point].includes(kind));
  /** Until when no other point of a deed is made to fail; performance time. */
  const cooling = new Map<string, number>();
  const isCooling = (point: CrashPoint) => (cooling.get(deedOf(point)) ?? 0) > performance.now();
  const hasTime = killUntil === Number.POSITIVE_INFINITY;
  const startsSlowly = ({ name }: Child): boolean => {
    const last = arena.cluster.startTimes.filter((start) => start.name === name).at(-1);
    return last !== undefined && last.ms > slowStartMs;
  };

  async function hunt(host: Child, kind: Host): Promise<void> {
    while (performance.now() < hitUntil) {
      const left = wantedOf(kind);
      if (left.length === 0) return;
      if (!(await host.untilUp(1_000))) continue;
      const maySpend = hasTime || (performance.now() < killUntil && !startsSlowly(host));
      const deed = maySpend ? 'kill' : 'fail';
      const mine = maySpend ? left : left.filter((point) => !isCooling(point));
      if (mine.length === 0) {
        await pause(huntMs);
        continue;
      }
      const point = await hit(arena, host, mine, deed, huntMs);
      if (point === null) continue;
      wantedStill.delete(point);
      if (deed === 'fail') cooling.set(deedOf(point), performance.now() + coolingMs);
      tell(`${host.name} ${deedWords[deed]} at "${point}"`);
    }
  }
  await Promise.all([
    ...arena.cluster.apis.map((child) => hunt(child, 'api')),
    ...arena.cluster.workers.map((child) => hunt(child, 'worker')),
  ]);
}
