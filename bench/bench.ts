import type { Pool } from '../src/db/connection.ts';
import type { Client } from './client.ts';
import type { FigureGroup } from './figure.ts';
import type { Copy } from './service.ts';

/** What a group of figures is measured with. */
export interface Bench {
  /** Fewer samples and smaller numbers: to see that everything works, not to compare. */
  quick: boolean;
  copy: Copy;
  client: Client;
  /** On the copy's database: to look, and to check that what was measured has really happened. */
  sql: Pool;
  /** A folder of this run, removed after it. */
  folder: string;
  /** Says on stderr what goes on. */
  log(line: string): void;
}

/** One group, as `--only` names it. */
export interface Measurement {
  name: string;
  /** Measured without a running copy, which would be in the way. */
  alone?: true;
  measure(bench: Bench): Promise<FigureGroup>;
}

/** Does the work for each item, so many at a time, and gives the results in order. */
export async function inParallel<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, drain));
  return results;
}

/** The numbers from 0 up to, not including, `count`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
