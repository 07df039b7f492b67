import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { patches } from '../messages/workflow-versions.ts';
import { type CustomerTime, clockTime, type Inbox, realTime, setBack } from './customer-time.ts';
import { whyEffectFailed } from './effect-failure.ts';
import { lookingAgain } from './look-again.ts';
import { openCommandQueue, runCommands } from './operator-handlers.ts';
import { isKnownToBeOnClock, showStalled, showStatus, showUnread } from './operator-page/subject.ts';

/** Something has changed in the database: the workflow reads its subject again. */
export const poke = defineSignal('poke');
/**
 * The same as `poke`, for programs. Operators send the Update of this name, which responds and is recorded in the audit
 * log.
 */
export const recheck = defineSignal('recheck');
/** For upgrades and tests: continue as new, with an empty history, at the next idle moment. */
export const startFreshRun = defineSignal('startFreshRun');
/**
 * Advances a clock-bound subject from the clock's present time, `from`, to `target` (both epoch ms of the clock).
 * Completes when everything due by then is done. A sender of an earlier version omits `from`.
 */
export const advanceTo = defineUpdate<void, [target: number, from?: number]>('advanceTo');

/** How a subject is read and collected: the activities of a plan or of a scheduled payment. */
export interface Collection {
  read(id: string): Promise<SubjectStatus>;
  collect(id: string, at: number, standing: SubjectStatus): Promise<SubjectStatus>;
  /** The operator commands that the subject takes, and the activity that executes one. */
  buttons: readonly OperatorCommand['name'][];
  press(id: string, deed: OperatorCommand): Promise<string>;
}

/**
 * The loop behind every payment that is made by the calendar. It reads the subject's status, waits until something is
 * due, collects it, and repeats until the subject has ended. It keeps no state that the database does not have, so a
 * fresh run needs only the id. `atOnce`: the previous run was stalled, so try at once, whatever the date.
 */
export async function collectWhenDue(id: string, collection: Collection, { atOnce = false } = {}): Promise<void> {
  const inbox = openInbox(collection);
  if (atOnce) inbox.poked = true;
  let standing = await readOrStall(id, collection, inbox);
  const time = standing.clockTime === null ? realTime(inbox) : clockTime(inbox, standing.clockTime);
  // A deleted subject has no clock any more. An advance need not wait for it.
  inbox.isInRealTime = standing.clockTime === null && !standing.ended;
  while (!standing.ended) {
    showStatus(standing, time, inbox.commandQueue.last);
    if (wantsFreshRun(inbox) && !inbox.poked && !time.isDue(standing.nextAt)) await continueWhenIdle(id, inbox, time);
    await time.waitUntil(standing.nextAt, standing.next);
    inbox.poked = false;
    await runCommands(inbox.commandQueue, (deed) => collection.press(id, deed));
    const next = await collectOrStall(id, collection, standing, time, inbox);
    time.follow(next);
    standing = next;
  }
  showStatus(standing, time, inbox.commandQueue.last);
  inbox.settledThrough = Number.POSITIVE_INFINITY;
  inbox.commandQueue.closed = `Nothing is done: it has ended, and is ${standing.state}.`;
  await condition(allHandlersFinished);
}

function openInbox({ buttons }: Pick<Collection, 'buttons'>): Inbox {
  const onPoke = (): void => {
    flags.poked = true;
  };
  const flags: Omit<Inbox, 'commandQueue'> = {
    poked: false,
    freshRun: false,
    logical: Number.NEGATIVE_INFINITY,
    horizon: Number.NEGATIVE_INFINITY,
    settledThrough: Number.NEGATIVE_INFINITY,
    stalled: null,
    isInRealTime: null,
  };
  // Commands sent before the first step are delivered as soon as a handler is set, so the flags must exist before.
  const inbox: Inbox = Object.assign(flags, { commandQueue: openCommandQueue(buttons, onPoke) });
  setHandler(poke, onPoke, { description: 'Something has changed in the database: look at it afresh.' });
  setHandler(recheck, onPoke, {
    description: 'For programs: as the Update `recheck`, but neither answered nor recorded.',
  });
  setHandler(
    startFreshRun,
    () => {
      inbox.freshRun = true;
      inbox.poked = true;
    },
    { description: 'Go on in a fresh run with an empty history. Safe to press at any time.' },
  );
  setHandler(advanceTo, (target, from) => advance(inbox, target, from), {
    validator: (_target: number, _from?: number) => {
      // An advance before the first read is accepted: it may be the one that has started the workflow.
      if (inbox.isInRealTime === true) throw new Error(noClock);
    },
    description:
      'For programs: sent by the test clock, to collect all that is due up to this instant (epoch ms of the clock).',
  });
  return inbox;
}

const noClock = 'Nothing is advanced: the subject is on no test clock, and goes by real time.';

async function advance(inbox: Inbox, target: number, from?: number): Promise<void> {
  // The advance may arrive before the poke for an earlier change, so what is due is read again first.
  inbox.poked = true;
  inbox.stalled = null;
  // An earlier `from` has two causes. The database, and the clock with it, was restored from a back-up. Or the same
  // advance is repeated; then what it has collected is not due any more.
  if (from !== undefined && from < inbox.logical) setBack(inbox, from, target);
  if (target > inbox.horizon) inbox.horizon = target;
  await condition(() => inbox.settledThrough >= target || inbox.stalled !== null || inbox.isInRealTime === true);
  if (inbox.isInRealTime === true) throw ApplicationFailure.nonRetryable(noClock);
  if (inbox.stalled !== null) throw ApplicationFailure.nonRetryable(inbox.stalled, 'EffectFailed');
}

/** Reads the subject's status. A failed read does not end the workflow: it waits and reads again. */
async function readOrStall(id: string, collection: Collection, inbox: Inbox): Promise<SubjectStatus> {
  const lookAgain = lookingAgain(() => inbox.poked);
  for (;;) {
    try {
      return await collection.read(id);
    } catch (error) {
      const reason = whyEffectFailed(error);
      if (reason === null) throw error;
      inbox.stalled = `reading ${id}: ${reason}`;
      inbox.poked = false;
      showUnread(inbox.stalled, inbox.commandQueue.last);
      // On a test clock, wait without a timer: the server would skip it again and again.
      if (isKnownToBeOnClock()) await condition(() => inbox.poked);
      else await lookAgain(error);
      inbox.poked = false;
      inbox.stalled = null;
      await runCommands(inbox.commandQueue, (deed) => collection.press(id, deed));
      if (!isKnownToBeOnClock()) await leaveLongHistory(id, inbox);
    }
  }
}

/**
 * Collects what is due. If an effect cannot be carried out, the advance that requested it fails, and the loop waits to
 * try again.
 */
async function collectOrStall(
  id: string,
  collection: Collection,
  standing: SubjectStatus,
  time: CustomerTime,
  inbox: Inbox,
): Promise<SubjectStatus> {
  for (;;) {
    try {
      return await collection.collect(id, time.now(), standing);
    } catch (error) {
      const reason = whyEffectFailed(error);
      if (reason === null) throw error;
      inbox.stalled = `${standing.next}: ${reason}`;
      showStalled(standing, time, inbox.stalled, inbox.commandQueue.last);
      await time.waitForHelp(error);
      inbox.poked = false;
      inbox.stalled = null;
      await runCommands(inbox.commandQueue, (deed) => collection.press(id, deed));
      if (standing.clockTime === null) await leaveLongHistory(id, inbox);
    }
  }
}

/**
 * In real time, each retry of a stalled subject lengthens the history, and Temporal terminates a workflow whose history
 * is too long. On a test clock nothing is retried by itself.
 */
async function leaveLongHistory(id: string, inbox: Inbox): Promise<void> {
  if (!wantsFreshRun(inbox) || !patched(patches.freshRunsWhileStalled)) return;
  await condition(() => allHandlersFinished() || inbox.commandQueue.waiting.length > 0);
  if (allHandlersFinished()) await continueAsNew(id, true);
}

function wantsFreshRun(inbox: Inbox): boolean {
  return inbox.freshRun || workflowInfo().continueAsNewSuggested;
}

/**
 * Continues as new once no Update is open, since continue-as-new would fail an open one. An advance or a command that
 * arrives meanwhile is handled first.
 */
async function continueWhenIdle(id: string, inbox: Inbox, time: CustomerTime): Promise<void> {
  time.settle();
  const settled = inbox.settledThrough;
  await condition(() => allHandlersFinished() || inbox.horizon > settled || inbox.commandQueue.waiting.length > 0);
  if (allHandlersFinished()) await continueAsNew(id);
}
