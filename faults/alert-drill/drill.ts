import { becomesTrue } from '../../lab/eventually.ts';
import type { Scene } from '../scene.ts';
import type { Breakage } from './breakages/breakage.ts';
import type { ActiveAlert, Prometheus } from './prometheus.ts';

/** What was seen of an alert. */
export interface Sighting {
  alert: string;
  /** The breakage. */
  what: string;
  /** From the start of the breakage until it fired; null if it did not. */
  firedAfterSeconds: number | null;
  /** As Prometheus rendered it. */
  summary: string;
  /** From the end of the repair until it was resolved; null if it was not. */
  resolvedAfterSeconds: number | null;
  /** Why it was not seen, if the drill knows. */
  problem: string | null;
}

/** The slowest waits for an hour in time lapse, three minutes, after half a minute until the figures are read. */
const firesWithinMs = 420_000;
const resolvesWithinMs = 300_000;
const everyMs = 500;

type Log = (line: string) => void;

/** Breaks it, waits until its alerts fire, repairs it, and waits until they are resolved. Throws only when aborted. */
export async function carryOut(
  breakage: Breakage,
  scene: Scene,
  prometheus: Prometheus,
  log: Log,
): Promise<Sighting[]> {
  const { what, alerts } = breakage;
  const { signal } = scene;
  const repairs: (() => Promise<unknown> | unknown)[] = [];
  let problem: string | null = null;
  const note = (error: unknown) => {
    signal.throwIfAborted();
    problem = error instanceof Error ? error.message : String(error);
    log(`${what}: ${problem}`);
  };
  const names = Object.keys(alerts);
  const sightings = names.map(
    (alert): Sighting => ({
      ...{ alert, what, summary: '', problem: null },
      ...{ firedAfterSeconds: null, resolvedAfterSeconds: null },
    }),
  );
  const find = async (name: string, state?: ActiveAlert['state']) =>
    (await prometheus.alerts().catch(() => null))?.filter(
      (active) =>
        active.labels.alertname === name &&
        (state === undefined || active.state === state) &&
        Object.entries(alerts[name] ?? {}).every(([label, value]) => active.labels[label] === value),
    );
  const reported = () => sightings.map((sighting) => ({ ...sighting, problem }));
  const isQuiet = async (name: string) => (await find(name))?.length === 0;

  for (const name of names) {
    const waiting = { timeoutMs: resolvesWithinMs, everyMs, signal };
    if (!(await becomesTrue(() => isQuiet(name), waiting))) note(`${name} fires before anything is broken`);
  }
  if (problem !== null) return reported();
  log(`now ${what}`);
  const begunAt = performance.now();
  const watched = Promise.all(
    sightings.map(async (sighting) => {
      const isOver = async () => {
        if (problem !== null) return true;
        const [alert] = (await find(sighting.alert, 'firing')) ?? [];
        if (alert === undefined) return false;
        sighting.firedAfterSeconds = secondsSince(begunAt);
        sighting.summary = alert.annotations.summary ?? '';
        return true;
      };
      await becomesTrue(isOver, { timeoutMs: firesWithinMs, everyMs, signal });
      log(
        sighting.firedAfterSeconds === null
          ? `${sighting.alert} does not fire`
          : `${sighting.alert} fires: ${sighting.summary}`,
      );
    }),
  );
  watched.catch(() => {}); // it is awaited below
  try {
    await breakage.begin(scene, (work) => repairs.unshift(work)).catch(note);
    await watched;
  } finally {
    for (const repair of repairs) await Promise.resolve().then(repair).catch(note);
  }
  const repairedAt = performance.now();
  await Promise.all(
    sightings.map(async (sighting) => {
      const waiting = { timeoutMs: resolvesWithinMs, everyMs, signal };
      if (sighting.firedAfterSeconds !== null && (await becomesTrue(() => isQuiet(sighting.alert), waiting))) {
        sighting.resolvedAfterSeconds = secondsSince(repairedAt);
        log(`${sighting.alert} is resolved`);
      }
    }),
  );
  return reported();
}

function secondsSince(begunAt: number): number {
  return Math.round((performance.now() - begunAt) / 1000);
}
