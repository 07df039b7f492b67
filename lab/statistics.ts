/** The middle of the samples; of an even number the mean of the two in the middle. Throws for none. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return (at(sorted, middle) + at(sorted, Math.floor((sorted.length - 1) / 2))) / 2;
}

/** The smallest sample that `share` (0 to 1) of all samples do not exceed. Throws for none. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1));
}

export interface Line {
  /** What it costs when there is nothing of it. */
  base: number;
  /** What each further one costs. */
  slope: number;
}

/** The straight line through points with the least squared distance. Throws unless two of them differ in x. */
export function fitLine(points: readonly { x: number; y: number }[]): Line {
  const count = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / count;
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (!(spread > 0)) throw new RangeError('a line needs points at two places');
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return { base: meanY - slope * meanX, slope };
}

function at(sorted: readonly number[], index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError('there are no samples');
  return value;
}
