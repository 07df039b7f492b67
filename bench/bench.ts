import type { Pool } from '../src/platform/postgres/connection.ts';
import type { Client } from './client.ts';
import type { FigureGroup } from './figure.ts';
import type { Copy } from './service.ts';

/** What there always is. */
export interface CliContext {
  /** Fewer samples and smaller numbers: to see that everything works, not to compare. */
  quick: boolean;
  /** How many plans fall due at once. */
  plans: number;
  /** A folder of this run, removed after it. */
  folder: string;
  /** Says on stderr what goes on. */
  log(line: string): void;
}

/** What most groups are measured with. */
export interface Bench extends CliContext {
  copy: Copy;
  client: Client;
  /** On the copy's database: to look, and to check that what was measured has really happened. */
  sql: Pool;
}

/** One group, under the name that `--only` knows; some start copies of their own, the others share one. */
export type Measurement =
  | { name: string; needs: 'nothing'; measure(openContext: CliContext): Promise<FigureGroup> }
  | { name: string; needs: 'copy'; measure(bench: Bench): Promise<FigureGroup> };

/** Does the work for each item, so many at a time, and gives the results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
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

/** The nth item, counted round and round. Throws for none. */
export function turn<T>(items: readonly T[], nth: number): T {
  const item = items[nth % items.length];
  if (item === undefined) throw new Error('there is nothing to take turns with');
  return item;
}
