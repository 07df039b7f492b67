import { appendFileSync } from 'node:fs';
import { withLedger } from '../processors/ledger.ts';
import type { Processors } from '../processors/processor.ts';
import { sandboxProcessor } from '../processors/sandbox.ts';
import type { Config } from './config/config.ts';

/** The processors of this configuration: none in live mode, and the sandbox's, with a ledger if one is configured. */
export function processorsOf({ sandboxLedger }: Pick<Config, 'sandboxLedger'>): Processors {
  if (sandboxLedger === null) return { sandbox: sandboxProcessor, live: null };
  // Each entry is appended in one write, so any number of processes may share the file. It is written before the
  // outcome is returned.
  const sandbox = withLedger(sandboxProcessor, (entry) => appendFileSync(sandboxLedger, `${JSON.stringify(entry)}\n`));
  return { sandbox, live: null };
}
