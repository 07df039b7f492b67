import { readOptions as readAll, UsageError, wholeNumber } from '../lab/program.ts';

export const help = `npm run fuzz [-- OPTIONS]

Sends the service requests that its OpenAPI document allows, and others, with schemathesis (Python 3.11 or newer; installed
into a virtual environment of its own the first time): examples, boundary values, random data, and chains of requests that
use each other's responses. No response may be 5xx, or anything that the document does not name. It runs with secret keys of
both modes, a publishable key and a restricted key: what a key has no right to is refused with 4xx. Afterwards the invariants
of the database are checked, and the logs are read for errors. Exit code 0 if all is well, otherwise 1.

Without options it starts a service of its own on free ports, in a temporary folder, and ends it afterwards.

  --quick            about a minute, as CI runs it
  --minutes N        go on for about N minutes instead of a fixed number of cases
  --max-examples N   cases for each operation and phase (100; 10 with --quick)
  --seed N           repeat a run (random; 1 with --quick)
  --keys FILE        the development.json of a running service, which is then used; it makes billers of its own there
  --help             show this`;

export interface Options {
  quick: boolean;
  minutes: number | null;
  maxExamples: number;
  seed: number | null;
  /** Path of a `development.json`; null: start a service. */
  keys: string | null;
}

/**
 * Reads the command line; null if help is asked for.
 * @throws UsageError
 */
export function readOptions(): Options | null {
  const values = readAll({
    quick: { type: 'boolean' },
    minutes: { type: 'string' },
    'max-examples': { type: 'string' },
    seed: { type: 'string' },
    keys: { type: 'string' },
  });
  if (values === null) return null;
  const { quick = false, keys = null } = values;
  if (quick && values.minutes !== undefined) throw new UsageError('--quick and --minutes exclude each other');
  return {
    quick,
    keys,
    minutes: optional('--minutes', values.minutes, 1440),
    maxExamples: optional('--max-examples', values['max-examples'], 100_000) ?? (quick ? 10 : 100),
    seed: optional('--seed', values.seed, 2 ** 32) ?? (quick ? 1 : null),
  };
}

function optional(name: string, text: string | undefined, most: number): number | null {
  return text === undefined ? null : wholeNumber(name, text, most);
}
