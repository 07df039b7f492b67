import { parseArgs } from 'node:util';

export const help = `npm run fuzz [-- OPTIONS]

Sends the service what its OpenAPI document allows, and what it does not, with schemathesis (Python 3.11 or newer; installed
into a virtual environment of its own the first time): examples, boundary values, random data, and chains of requests that
use each other's answers. Nothing may be answered with 5xx, or with anything that the document does not name. It goes with secret
keys of both modes, a publishable key and a restricted key: what a key has no right to is refused with 4xx. Afterwards the
invariants of the database are checked, and the logs are read for errors. Exit code 0 when all is well, otherwise 1.

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

/** The command line cannot be followed; the message says why. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Reads the command line; null when help is asked for.
 * @throws UsageError
 */
export function readOptions(args: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const { quick = false, keys = null } = values;
  if (quick && values.minutes !== undefined) throw new UsageError('--quick and --minutes exclude each other');
  return {
    quick,
    keys,
    minutes: whole('--minutes', values.minutes, 1440),
    maxExamples: whole('--max-examples', values['max-examples'], 100_000) ?? (quick ? 10 : 100),
    seed: whole('--seed', values.seed, 2 ** 32) ?? (quick ? 1 : null),
  };
}

function whole(name: string, text: string | undefined, most: number): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > most) {
    throw new UsageError(`${name} needs a whole number from 1 to ${most}, not "${text}"`);
  }
  return Number(text);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        minutes: { type: 'string' },
        'max-examples': { type: 'string' },
        seed: { type: 'string' },
        keys: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
