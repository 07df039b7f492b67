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

/** Something has changed in the database: look at it afresh. */
export const poke = defineSignal('poke');
/** The same as `poke`, for programs; operators press the Update of this name, which is answered and recorded. */
export const recheck = defineSignal('recheck');
/** For upgrades and tests: go on in a fresh run, with an empty history, at the next idle moment. */
export const startFreshRun = defineSignal('startFreshRun');
/**
 * Moves a clock-bound subject from the clock's present time to `target` (both epoch ms of the clock); answers once all that
 * is due by then is done. A sender of an earlier version leaves `from` out.
 */
export const advanceTo = defineUpdate<void, [target: number, from?: number]>('advanceTo');

/** How a subject is read and collected; the activities of a plan or of a scheduled payment. */
export interface Collection {
  read(id: string): Promise<SubjectStatus>;
  collect(id: string, at: number, standing: SubjectStatus): Promise<SubjectStatus>;
  /** What an operator can press, and how it is done. */
  buttons: readonly OperatorCommand['name'][];
  press(id: string, deed: OperatorCommand): Promise<string>;
}

/**
 * The one loop behind every payment that is made by the calendar: read where the subject stands, wait until something is
 * due, collect it, and again, until it has ended. It holds no state of its own that the database does not have, so a fresh
 * run starts from the id alone. `atOnce`: what has stalled in the run before is tried whatever the date.
 */
export async function collectWhenDue(id: string, collection: Collection, { atOnce = false } = {}): Promise<void> {
  const inbox = openInbox(collection);
  if (atOnce) inbox.poked = true;
  let standing = await readOrStall(id, collection, inbox);
  const time = standing.clockTime === null ? realTime(inbox) : clockTime(inbox, standing.clockTime);
  // What is gone has no clock any more, and an advance has nothing to wait for there.
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
  // What was pressed before the first step is handed over as soon as there is a handler: it finds the flags made.
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
      // One that comes before the first look is accepted: it may well be the advance that has started the workflow.
      if (inbox.isInRealTime === true) throw new Error(noClock);
    },
    description:
      'For programs: sent by the test clock, to collect all that is due up to this instant (epoch ms of the clock).',
  });
  return inbox;
}

const noClock = 'Nothing is advanced: the subject is on no test clock, and goes by real time.';

async function advance(inbox: Inbox, target: number, from?: number): Promise<void> {
  // The advance may have overtaken the poke that tells of a change before it: what is due is looked at afresh first.
  inbox.poked = true;
  inbox.stalled = null;
  // The database was restored from a back-up, and the clock with it; or the same advance is repeated, and what it has
  // collected is not due any more.
  if (from !== undefined && from < inbox.logical) setBack(inbox, from, target);
  if (target > inbox.horizon) inbox.horizon = target;
  await condition(() => inbox.settledThrough >= target || inbox.stalled !== null || inbox.isInRealTime === true);
  if (inbox.isInRealTime === true) throw ApplicationFailure.nonRetryable(noClock);
  if (inbox.stalled !== null) throw ApplicationFailure.nonRetryable(inbox.stalled, 'EffectFailed');
}

/** Reads where the subject stands. That nothing can be read ends nothing: it is asked again when there is a reason to. */
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
      // On a clock without a timer, which the server would skip again and again.
      if (isKnownToBeOnClock()) await condition(() => inbox.poked);
      else await lookAgain(error);
      inbox.poked = false;
      inbox.stalled = null;
      await runCommands(inbox.commandQueue, (deed) => collection.press(id, deed));
      if (!isKnownToBeOnClock()) await leaveLongHistory(id, inbox);
    }
  }
}

/** Collects; an effect that cannot be carried out fails the advance that wanted it, and waits to be looked at again. */
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
 * Each look at what is stalled in real time lengthens the history, and Temporal ends a workflow whose history is too long.
 * On a clock nothing is looked at by itself.
 */
async function leaveLongHistory(id: string, inbox: Inbox): Promise<void> {
  if (!wantsFreshRun(inbox) || !patched(patches.freshRunsWhileStalled)) return;
  await condition(() => allHandlersFinished() || inbox.commandQueue.waiting.length > 0);
  if (allHandlersFinished()) await continueAsNew(id, true);
}

function wantsFreshRun(inbox: Inbox): boolean {
  return inbox.freshRun || workflowInfo().continueAsNewSuggested;
}

/** An Update that is not finished would fail at continue-as-new; what comes meanwhile goes first. */
async function continueWhenIdle(id: string, inbox: Inbox, time: CustomerTime): Promise<void> {
  time.settle();
  const settled = inbox.settledThrough;
  await condition(() => allHandlersFinished() || inbox.horizon > settled || inbox.commandQueue.waiting.length > 0);
  if (allHandlersFinished()) await continueAsNew(id);
}
