import { tableOf } from '../../lab/program.ts';
import { fitLine, median } from '../../lab/statistics.ts';
import { type Measure, measures, type Sample } from './sample.ts';

/** Whether a measure was the same at the end of a run as in its beginning. */
export interface Verdict {
  measure: Measure;
  what: string;
  /** The middle of the samples of the first third after warming up, and of the last third. */
  first: number;
  last: number;
  /** Of the straight line through all samples after warming up. */
  slopePerHour: number;
  /** What the last third may be at most; null if the measure is shown, and not judged. */
  mostFlat: number | null;
  flat: boolean | null;
}

/**
 * How far the last third may be above the first and still count as flat: a share of it, and an amount. Memory breathes
 * with the garbage collector; times depend on what else the machine does.
 */
const memory = { share: 0.1, amount: 5 };
const count = { share: 0.1, amount: 3 };
const time = { share: 0.5, amount: 10 };

const judged: Partial<Record<Measure, { share: number; amount: number }>> = {
  api_mb: memory,
  worker_mb: memory,
  temporal_mb: memory,
  postgres_mb: memory,
  supervisor_mb: memory,
  api_files: count,
  worker_files: count,
  connections: count,
  outbox: count,
  deliveries: count,
  workflows: count,
  overdue: { share: 0, amount: 0 },
  due_p50_ms: time,
  due_p99_ms: time,
  delivery_p50_ms: time,
  delivery_p99_ms: time,
  request_p50_ms: time,
  request_p99_ms: time,
  advance_s: { share: 0.5, amount: 0.05 },
};

/** What of the run is warming up: caches fill, code is compiled, the pools open. */
const warmUpShare = 0.1;

/** Holds the last third of the samples against the first third after warming up, for every measure that has any. */
export function judge(samples: readonly Sample[]): Verdict[] {
  const end = samples.at(-1)?.minute ?? 0;
  const warm = samples.filter(({ minute }) => minute >= end * warmUpShare);
  const third = Math.max(1, Math.floor(warm.length / 3));
  return (Object.keys(measures) as Measure[]).flatMap((measure) => {
    const points = (part: readonly Sample[]) =>
      part.flatMap(({ minute, [measure]: y }) => (y === null ? [] : [{ x: minute / 60, y }]));
    const [first, last, all] = [points(warm.slice(0, third)), points(warm.slice(-third)), points(warm)];
    if (first.length === 0 || last.length === 0 || all.length < 3) return [];
    const [before, after] = [middle(first), middle(last)];
    const bound = judged[measure];
    const mostFlat = bound === undefined ? null : before * (1 + bound.share) + bound.amount;
    return {
      measure,
      what: measures[measure],
      first: before,
      last: after,
      slopePerHour: fitLine(all).slope,
      mostFlat,
      flat: mostFlat === null ? null : after <= mostFlat,
    };
  });
}

export function renderVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, first, last, slopePerHour, mostFlat, flat }) => [
    what,
    short(first),
    short(last),
    short(slopePerHour),
    mostFlat === null ? '' : `≤ ${short(mostFlat)}`,
    flat === null ? '' : flat ? 'yes' : 'NO',
  ]);
  return tableOf([['', 'first third', 'last third', 'per hour', 'flat if', 'flat'], ...rows]).join('\n');
}

function middle(points: readonly { y: number }[]): number {
  return median(points.map(({ y }) => y));
}

function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
