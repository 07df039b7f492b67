import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../src/platform/real-time.ts';
import type { CrashPoint } from '../src/services/crash-points.ts';
import type { Arena, Attack } from './attacks/attack.ts';
import { hitEveryPoint } from './attacks/crash-points.ts';
import { killProcessor, killServer } from './attacks/kill.ts';

/** A fault that was injected and had an effect. */
export interface Fault {
  number: number;
  kind: string;
  title: string;
  at: string;
}

interface CampaignOptions {
  faults: number;
  attacks: readonly Attack[];
  /** Points that are hit once each before faults are drawn. */
  points: readonly CrashPoint[];
  /** Performance time until which they are hit by kills, and until which they are hit at all. */
  killUntil: number;
  hitUntil: number;
  /** Performance time after which nothing more is injected. */
  giveUpAt: number;
  report(fault: Fault): void;
}

/** At most so many at once, so that something is up that can be hit. */
const atOnce = 4;
const gapMs = [200, 2_600] as const;
/** A strike that takes longer fails the run. */
const strikeTimeoutMs = 120_000;

/**
 * Injects faults while the load goes on, until there were so many; the later ones do not wait for the earlier to be
 * over.
 */
export async function attack(arena: Arena, options: CampaignOptions): Promise<Fault[]> {
  const faults: Fault[] = [];
  const note = (kind: string, title: string) => {
    const fault = { number: faults.length + 1, kind, title, at: realNow().toISOString() };
    faults.push(fault);
    options.report(fault);
  };
  if (options.points.length > 0) {
    const { points: wanted, killUntil, hitUntil } = options;
    const hitting = hitEveryPoint(arena, (title) => note('crash point', title), { wanted, killUntil, hitUntil });
    // A short run may end with the points, and its live processor is to be killed too.
    const strike = options.attacks.includes(killServer) ? killProcessor(arena) : null;
    if (await strike?.run()) note(killServer.kind, strike?.title ?? '');
    await hitting;
  }
  const busy = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const isOver = () => faults.length >= options.faults || performance.now() > options.giveUpAt;
  const errors: unknown[] = [];
  while (!isOver()) {
    await pause(arena.chance.between(...gapMs));
    if (underWay.size >= atOnce) await Promise.race(underWay);
    const { kind, draw } = arena.chance.pickByWeight(options.attacks);
    const strike = draw(arena);
    // The strike is drawn even if its target is busy, so that the plan of a seed does not depend on that.
    if (strike === null || strike.targets.some((target) => busy.has(target)) || isOver()) continue;
    for (const target of strike.targets) busy.add(target);
    const late = pause(strikeTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`${strike.title} is not over after ${strikeTimeoutMs / 1000} s`);
    });
    const run: Promise<void> = Promise.race([strike.run(), late])
      .then(
        (hadEffect) => {
          if (hadEffect) note(kind, strike.title);
        },
        (error: unknown) => void errors.push(error),
      )
      .finally(() => {
        for (const target of strike.targets) busy.delete(target);
        underWay.delete(run);
      });
    underWay.add(run);
    if (errors.length > 0) break;
  }
  await Promise.all(underWay);
  if (errors.length > 0) throw errors[0];
  return faults;
}
