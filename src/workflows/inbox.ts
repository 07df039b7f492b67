import { defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { signals } from '../messages/signals.ts';
import { type CommandQueue, openCommandQueue } from './command-queue.ts';

/** What the handlers of a plan, a scheduled payment or a clock have received, for its loop to act on. */
export interface Inbox {
  /** The operator commands. */
  commandQueue: CommandQueue;
  /** The database has changed, or a caller requested a fresh read. */
  poked: boolean;
  freshRun: boolean;
}

/** Sets the handlers of the signals and of the named commands. */
export function openInbox(commands: readonly OperatorCommand['name'][]): Inbox {
  const flags = { poked: false, freshRun: false };
  const poke = (): void => {
    flags.poked = true;
  };
  const startFreshRun = (): void => {
    flags.poked = true;
    flags.freshRun = true;
  };
  // Messages sent before the first step are delivered as soon as a handler is set, so the flags must exist before.
  const inbox = Object.assign(flags, { commandQueue: openCommandQueue(commands, poke) });
  setHandler(defineSignal(signals.poke), poke, {
    description: 'Something has changed in the database: read it again.',
  });
  setHandler(defineSignal(signals.recheck), poke, {
    description: 'For programs: like the Update `recheck`, but without a result and not recorded.',
  });
  setHandler(defineSignal(signals.startFreshRun), startFreshRun, {
    description: 'Continue in a fresh run with an empty history. Safe to send at any time.',
  });
  return inbox;
}

/** Returns whether the workflow should continue as new at its next idle moment. */
export function wantsFreshRun(inbox: Inbox): boolean {
  return inbox.freshRun || workflowInfo().continueAsNewSuggested;
}
