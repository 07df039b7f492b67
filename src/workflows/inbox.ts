import { makeContinueAsNewFunc, patched, setHandler, workflowInfo } from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { signals } from '../messages/signals.ts';
import { patches } from '../messages/workflow-versions.ts';
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
  setHandler(signals.poke, poke, {
    description: 'Something has changed in the database: read it again.',
  });
  setHandler(signals.recheck, poke, {
    description: 'For programs: like the Update `recheck`, but without a result and not recorded.',
  });
  setHandler(signals.startFreshRun, startFreshRun, {
    description: 'Continue in a fresh run with an empty history. Safe to send at any time.',
  });
  return inbox;
}

/**
 * The events after which a run is long. They are 26 charges in real time, half a year of a weekly plan, at seven events
 * each. A worker that does not have the workflow in memory replays its run before it charges, which costs 9 to 14 ms of
 * processor time for each charge. A fresh run costs about as much as one more charge.
 */
const longHistory = 180;

/** Returns whether the workflow should continue as new at its next idle moment. */
export function wantsFreshRun(inbox: Inbox): boolean {
  return needsFreshRun(inbox) || (workflowInfo().historyLength >= longHistory && patched(patches.shortHistories));
}

/**
 * Returns whether it should do so even while its subject is stalled: on request, because Temporal suggests it, or
 * because its workers have a new version (Worker Versioning only).
 */
export function needsFreshRun(inbox: Inbox): boolean {
  const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  return inbox.freshRun || continueAsNewSuggested || targetWorkerDeploymentVersionChanged;
}

/**
 * Continues as new with these arguments. A run stays on the version of the workers that it began on; so if there is a
 * new version, the fresh run begins on that.
 */
export function beginFreshRun(...args: [subjectId: string, atOnce?: boolean]): Promise<never> {
  const hasNewVersion = workflowInfo().targetWorkerDeploymentVersionChanged;
  return makeContinueAsNewFunc(hasNewVersion ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {})(...args);
}
