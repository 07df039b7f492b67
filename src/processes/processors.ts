import { appendFileSync } from 'node:fs';
import { withLedger } from '../processors/ledger.ts';
import type { Processors } from '../processors/processor.ts';
import { sandboxProcessor } from '../processors/sandbox.ts';
import type { Config } from './config.ts';

/** The processors of this configuration: none in live mode, and the sandbox's with its ledger when it is to keep one. */
export function processorsOf({ sandboxLedger }: Pick<Config, 'sandboxLedger'>): Processors {
  if (sandboxLedger === null) return { sandbox: sandboxProcessor, live: null };
  // Appended in one write each, by any number of processes; in the file before the answer is given.
  const sandbox = withLedger(sandboxProcessor, (entry) => appendFileSync(sandboxLedger, `${JSON.stringify(entry)}\n`));
  return { sandbox, live: null };
}
