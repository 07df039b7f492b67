import { inspect } from 'node:util';
import { printError } from '../src/platform/terminal.ts';
import type { Say } from './daemon.ts';

/** The order of shutdown: each ends before those that it depends on. What says that the service runs ends first. */
const endOrder = [
  'development.json',
  'Accounts',
  'API',
  'Pages',
  'Worker',
  'Stripe accounts',
  'Stripe processor',
  'Temporal Web UI',
  'Temporal',
  'PostgreSQL',
  'the claim on DATA_DIR',
] as const;

export type ProcessName = Exclude<
  (typeof endOrder)[number],
  'development.json' | 'Accounts' | 'Stripe accounts' | 'the claim on DATA_DIR'
>;

/** What was started and has to be ended. */
export type Stack = {
  name: (typeof endOrder)[number];
  /** Of a process: rejects with a StartError when it cannot be brought back. */
  lost?: Promise<never>;
  stop: () => Promise<void>;
}[];

/** Ends everything on the stack, in order. If one cannot be ended, the others still are. */
export async function endAll(stack: Stack, say: Say): Promise<void> {
  for (const name of endOrder) {
    for (const entry of stack.filter((candidate) => candidate.name === name)) {
      try {
        await entry.stop();
        if (entry.lost !== undefined) {
          say(`${name} has ended`);
        }
      } catch (error) {
        printError(`${name} could not be ended: ${inspect(error)}`);
      }
    }
  }
}

/** The start failed for a reason that the message explains in full. A stack trace would add nothing. */
export class StartError extends Error {
  override name = 'StartError';
}

/** The start was cancelled by a signal. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Resolves with null when the signal comes, or has come already. */
export function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
}
