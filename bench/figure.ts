import { median, percentile } from '../lab/statistics.ts';

export type Unit = 's' | 'ms' | '1/s' | 'MB' | 'kB' | 'rows' | 'events' | 'ratio';

/** What a median is held to: `atMost` or `atLeast` is promised, `aim` is hoped for. In the figure's unit. */
export interface Target {
  atMost?: number;
  atLeast?: number;
  aim?: number;
  /** What is hoped for of the ratio to what is beside it. */
  aimRatio?: number;
}

/** The same thing done another way in the same run, turn by turn; `ratio` is this figure ÷ the other one. */
export interface Beside {
  what: string;
  median: number;
  ratio: number;
}

/** One measured quantity. */
export interface Figure {
  /** Stays the same from version to version, for programs that compare runs. */
  id: string;
  what: string;
  unit: Unit;
  samples: number;
  median: number;
  min: number;
  max: number;
  /** Null below 100 samples, where it would be the maximum by another name. */
  p99: number | null;
  beside: Beside | null;
  target: Target | null;
  /** Whether the median keeps to the target; null where none is promised. */
  met: boolean | null;
}

/** Figures that were taken together, and how. */
export interface FigureGroup {
  name: string;
  title: string;
  how: string[];
  figures: Figure[];
}

const leastSamplesForP99 = 100;

/** Makes a figure of its samples. Throws when there are none. */
export function figure(
  id: string,
  what: string,
  unit: Unit,
  samples: readonly number[],
  { target = null, beside = null }: { target?: Target | null; beside?: Beside | null } = {},
): Figure {
  const middle = median(samples);
  return {
    id,
    what,
    unit,
    samples: samples.length,
    median: middle,
    min: Math.min(...extremes(samples)),
    max: Math.max(...extremes(samples)),
    p99: samples.length < leastSamplesForP99 ? null : percentile(samples, 0.99),
    beside,
    target,
    met: target === null ? null : isMet(middle, target),
  };
}

/**
 * Compares by pairs that were taken next to each other, so that a slow minute of the machine weighs on both. Null if no
 * pair has a ratio: little work may have taken no tick of processor time.
 */
export function besideOf(what: string, ours: readonly number[], theirs: readonly number[]): Beside | null {
  const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN)).filter(Number.isFinite);
  if (ratios.length === 0) return null;
  return { what, median: median(theirs), ratio: median(ratios) };
}

function isMet(value: number, { atMost, atLeast }: Target): boolean | null {
  if (atMost === undefined && atLeast === undefined) return null;
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

/** Spread into `Math.min` whole, tens of thousands of samples would overflow the stack. */
function extremes(samples: readonly number[]): [number, number] {
  return [percentile(samples, 0), percentile(samples, 1)];
}
