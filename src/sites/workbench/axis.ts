import { tickLabel } from './words.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Kept free at both ends, so that no mark is cut off. Percent of the width. */
const margin = 1.5;
/** Marks that are nearer to each other stand in different rows. Percent of the width. */
const widthOfMark = 1.9;
const maxRows = 4;
const maxTicks = 8;

/** A stretch of a clock's time, drawn from left to right. */
export interface Axis {
  from: Date;
  to: Date;
}

/** Returns where an instant is drawn: percent of the width, kept within it. */
export function positionOf({ from, to }: Axis, at: Date): number {
  const share = (at.getTime() - from.getTime()) / Math.max(1, to.getTime() - from.getTime());
  return Math.round((margin + Math.min(1, Math.max(0, share)) * (100 - 2 * margin)) * 100) / 100;
}

export interface Tick {
  at: Date;
  label: string;
}

type Unit = 'hour' | 'day' | 'month' | 'year';

const steps: readonly { unit: Unit; count: number; aboutMs: number }[] = [
  ...[1, 3, 6, 12].map((count) => ({ unit: 'hour' as const, count, aboutMs: count * hourMs })),
  ...[1, 2, 7, 14].map((count) => ({ unit: 'day' as const, count, aboutMs: count * dayMs })),
  ...[1, 3, 6].map((count) => ({ unit: 'month' as const, count, aboutMs: count * 30 * dayMs })),
  ...[1, 2, 5, 10, 50].map((count) => ({ unit: 'year' as const, count, aboutMs: count * 365 * dayMs })),
];

/** Returns round instants (UTC) along the axis, eight at most, with their labels. */
export function ticksOf({ from, to }: Axis): Tick[] {
  const spanMs = to.getTime() - from.getTime();
  const step = steps.find(({ aboutMs }) => spanMs / aboutMs <= maxTicks - 1) ?? steps.at(-1);
  if (step === undefined) return [];
  const ticks: Tick[] = [];
  for (let at = roundDown(from, step.unit, step.count); at <= to; at = later(at, step.unit, step.count)) {
    if (at >= from) ticks.push({ at, label: tickLabel(at, step.unit) });
  }
  return ticks;
}

function roundDown(at: Date, unit: Unit, count: number): Date {
  if (unit === 'hour') return new Date(at.getTime() - (at.getTime() % (count * hourMs)));
  if (unit === 'day') return new Date(at.getTime() - (at.getTime() % dayMs));
  const year = at.getUTCFullYear();
  if (unit === 'month') return new Date(Date.UTC(year, at.getUTCMonth() - (at.getUTCMonth() % count)));
  return new Date(Date.UTC(year - (year % count), 0));
}

function later(at: Date, unit: Unit, count: number): Date {
  if (unit === 'hour') return new Date(at.getTime() + count * hourMs);
  if (unit === 'day') return new Date(at.getTime() + count * dayMs);
  const months = unit === 'month' ? count : 12 * count;
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months));
}

/** A mark in its place: percent of the width, and the row from the top. */
interface Placed<M> {
  mark: M;
  x: number;
  row: number;
}

/**
 * Places marks in rows, so that none covers another: a mark goes into the first row that has room. Marks that find no
 * room are returned as `hidden`, with the place where they would be.
 */
export function place<M extends { at: Date }>(axis: Axis, marks: readonly M[]) {
  const ends: number[] = [];
  const placed: Placed<M>[] = [];
  const hidden: { mark: M; x: number }[] = [];
  for (const mark of marks.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const x = positionOf(axis, mark.at);
    const free = ends.findIndex((end) => x - end >= widthOfMark);
    const row = free === -1 ? ends.length : free;
    if (row >= maxRows) hidden.push({ mark, x });
    else {
      ends[row] = x;
      placed.push({ mark, x, row });
    }
  }
  return { placed, hidden, rows: Math.max(1, ends.length) };
}
