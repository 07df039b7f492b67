import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import order from './run-order.json' with { type: 'json' };

export const testFolder = fileURLToPath(new URL('../', import.meta.url));

/**
 * `service` proves the service, `packages` what billers install and read, `processes` whole processes, their servers
 * and their ends. `search` is all that looks for faults at random, and no suite of its own.
 */
export type Suite = 'service' | 'packages' | 'processes' | 'search';

/**
 * The files of a suite, relative to `test/`, in the order in which they run: those that take longest first, so that no
 * worker is left with one of them at the end, and those that need the machine for themselves last.
 */
export function filesOf(suite: Suite): string[] {
  const files = readdirSync(testFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => (suite === 'search' ? searches(name) : suiteOf(name) === suite))
    .sort();
  const isHere = (name: string) => files.includes(name);
  const others = files.filter((name) => !order.longest.includes(name) && !(name in order.alone));
  return [...order.longest.filter(isHere), ...others, ...Object.keys(order.alone).filter(isHere)];
}

/** A file belongs to the suite that lists it, or its folder. */
function suiteOf(name: string): Suite {
  const isListed = (beginnings: readonly string[]) => beginnings.some((beginning) => name.startsWith(beginning));
  if (isListed(order.suites.packages)) return 'packages';
  return isListed(order.suites.processes) ? 'processes' : 'service';
}

function searches(name: string): boolean {
  return readFileSync(join(testFolder, name), 'utf8').includes("support/search.ts'");
}
