import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findViolations, invariants } from '../src/operations/invariants/invariants.ts';
import type { Target } from './target.ts';

/** The level from which a line of the log is an error. */
const errorLevel = 50;
/** At most so many lines. */
const shown = 20;

/** How long each log was at a moment. */
export type LogMarks = ReadonlyMap<string, number>;

/** Notes where the logs of the service's own processes end now, so that only what follows is looked at. */
export async function markLogs({ logs }: Target): Promise<LogMarks> {
  const files = (await readdir(logs)).filter((name) => name === 'api.log' || name === 'worker.log');
  const marks = files.map(
    async (name): Promise<[string, number]> => [join(logs, name), (await stat(join(logs, name))).size],
  );
  return new Map(await Promise.all(marks));
}

/**
 * What has gone wrong behind the responses: broken invariants of the database, and errors in the logs since the marks.
 */
export async function findAftermath({ sql }: Target, marks: LogMarks): Promise<string[]> {
  const violations = await findViolations(sql);
  const broken = violations.map(({ invariant, id, detail }) => `invariant "${invariant}": ${id} ${detail}`);
  const errors = await Promise.all([...marks].map(([file, start]) => errorsIn(file, start)));
  return [...broken, ...errors.flat()].slice(0, shown);
}

export const invariantCount = invariants.length;

async function errorsIn(file: string, start: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file, { start }) })) {
    const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? 0);
    if (level >= errorLevel) found.push(`${file}: ${line}`);
  }
  return found;
}
