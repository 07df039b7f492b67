import type { ActivityOptions } from '@temporalio/common';
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { type SubjectActivities, type SubjectKind, subjectKinds } from '../messages/subject-kinds.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { advanceTo } from '../messages/updates.ts';
import type { Stall } from '../messages/workflow-status.ts';
import { inProcess, retry } from './activities.ts';
import { type CustomerTime, clockTime, realTime, type SubjectInbox, setBack } from './customer-time.ts';
import { lookingAgain, stallOf } from './effect-failure.ts';
import { beginFreshRun, inWords, needsFreshRun, openInbox, runCommands, wantsFreshRun } from './inbox.ts';
import {
  isKnownToBeOnClock,
  openSubjectPage,
  type SubjectPage,
  showCollecting,
  showStalled,
  showStatus,
  showUnread,
} from './operator-page/subject.ts';

// The workflow of each kind of subject. All run the same loop; `messages/subject-kinds.ts` says how the kinds differ.

/**
 * A payment plan from its activation to its end. It collects each slot on its date and retries failed payments, in real
 * time or on its customer's test clock. While the plan is suspended, the workflow waits.
 */
export function paymentPlan(planId: string, atOnce = false): Promise<void> {
  return collectWhenDue('paymentPlan', planId, { atOnce });
}

/**
 * A subscription from its start to its end. It begins each period on its date and has it charged, retries failed
 * payments, and ends trials, pauses and the subscription, in real time or on its customer's test clock.
 */
export function subscription(subscriptionId: string, atOnce = false): Promise<void> {
  return collectWhenDue('subscription', subscriptionId, { atOnce });
}

/** A payment with a scheduled date. The workflow makes it on that date, unless a confirm or a cancel comes first. */
export function scheduledPayment(intentId: string, atOnce = false): Promise<void> {
  return collectWhenDue('scheduledPayment', intentId, { atOnce });
}

/**
 * The debit of a single payment, from its acceptance until nothing more is expected from the bank: the hand-over at the
 * cut-off, the result, and what comes back. Plans drive their debits themselves.
 */
export function bankDebit(attemptId: string, atOnce = false): Promise<void> {
  return collectWhenDue('bankDebit', attemptId, { atOnce });
}

/** A payment link with an expiry, until it has ended. */
export function paymentLink(linkId: string, atOnce = false): Promise<void> {
  return collectWhenDue('paymentLink', linkId, { atOnce });
}

/** A checkout session, until it is completed or has expired. */
export function checkoutSession(sessionId: string, atOnce = false): Promise<void> {
  return collectWhenDue('checkoutSession', sessionId, { atOnce });
}

/**
 * For a step that waits for another machine, such as a live charge. A worker that dies is noticed by its missing
 * heartbeat, and another worker continues.
 */
const overTheNetwork: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '8 seconds',
  retry,
};

const local = proxyLocalActivities<SubjectActivities>(inProcess);
const remote = proxyActivities<SubjectActivities>(overTheNetwork);

/**
 * Returns how a subject of this kind is read, its due step taken, and an operator command executed. The way is the same
 * in both modes, but for one thing: a sandbox charge stays in the worker, a live one waits for a processor elsewhere.
 */
function collectingBy(kind: SubjectKind) {
  const names = subjectKinds[kind].activities;
  return {
    read: (id: string) => local[names.read](id),
    collect: (id: string, at: number, { livemode, next }: SubjectStatus) =>
      livemode
        ? remote[names.collect].executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local[names.collect].executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    execute: (id: string, command: OperatorCommand) =>
      local[names.execute].executeWithOptions({ ...inProcess, summary: inWords(command) }, [id, command]),
  };
}

/** A subject while its workflow runs. */
interface Run {
  id: string;
  collection: ReturnType<typeof collectingBy>;
  inbox: SubjectInbox;
  page: SubjectPage;
}

/**
 * The loop behind every payment that is made by the calendar. It reads the subject's status, waits until something is
 * due, collects it, and repeats until the subject has ended. It keeps no state that the database does not have, so a
 * fresh run needs only the id. `atOnce`: the previous run was stalled, so try at once, whatever the date.
 */
async function collectWhenDue(kind: SubjectKind, id: string, { atOnce = false } = {}): Promise<void> {
  const page = openSubjectPage(kind);
  const inbox = openSubjectInbox(kind);
  const run = { id, collection: collectingBy(kind), inbox, page };
  if (atOnce) inbox.poked = true;
  let status = await readOrStall(run);
  const time = status.clockTime === null ? realTime(inbox) : clockTime(inbox, status.clockTime);
  // A deleted subject has no clock. An advance need not wait for it.
  inbox.isInRealTime = status.clockTime === null && !status.ended;
  while (!status.ended) {
    showStatus(page, status, time, inbox.commandQueue.last);
    if (!inbox.poked && !time.isDue(status.nextAt) && wantsFreshRun(inbox)) await continueWhenIdle(id, inbox, time);
    await time.waitUntil(status.nextAt, status.next);
    inbox.poked = false;
    await executeCommands(run);
    const next = await collectOrStall(run, status, time);
    time.follow(next);
    status = next;
  }
  showStatus(page, status, time, inbox.commandQueue.last);
  inbox.settledThrough = Number.POSITIVE_INFINITY;
  inbox.commandQueue.closed = `Nothing was done: it has ended, and is ${status.state}.`;
  await condition(allHandlersFinished);
}

function openSubjectInbox(kind: SubjectKind): SubjectInbox {
  const inbox: SubjectInbox = Object.assign(openInbox(subjectKinds[kind].commands), {
    logical: Number.NEGATIVE_INFINITY,
    horizon: Number.NEGATIVE_INFINITY,
    dueAt: null,
    settledThrough: Number.NEGATIVE_INFINITY,
    stalled: null,
    isInRealTime: null,
  });
  setHandler(advanceTo, (target, from, dueAt) => advance(inbox, target, from, dueAt), {
    validator: (_target: number, _from: number, _dueAt: number | null) => {
      // An advance before the first read is accepted: it may be the one that has started the workflow.
      if (inbox.isInRealTime === true) throw new Error(noClock);
    },
    description:
      'For programs: sent by the test clock, to collect all that is due up to this instant (epoch ms of the clock).',
  });
  return inbox;
}

const noClock = 'Nothing is advanced: the subject is on no test clock, but in real time.';

async function advance(inbox: SubjectInbox, target: number, from: number, dueAt: number | null): Promise<void> {
  if (dueAt !== null && isReadyFor(inbox, target, from)) {
    inbox.logical = Math.max(inbox.logical, from);
    inbox.dueAt = dueAt;
  } else {
    // The advance may arrive before the poke for an earlier change, so what is due is read again first.
    inbox.poked = true;
  }
  inbox.stalled = null;
  // An earlier `from` has two causes. The database, and the clock with it, was restored from a back-up. Or the same
  // advance is repeated; then what it has collected is no longer due.
  if (from < inbox.logical) setBack(inbox, from, target);
  if (target > inbox.horizon) inbox.horizon = target;
  await condition(() => inbox.settledThrough >= target || inbox.stalled !== null || inbox.isInRealTime === true);
  if (inbox.isInRealTime === true) throw ApplicationFailure.nonRetryable(noClock);
  if (inbox.stalled !== null) throw ApplicationFailure.nonRetryable(inbox.stalled, 'EffectFailed');
}

/** Whether the loop waits for a later time, so that it can sleep until what is due without reading that again. */
function isReadyFor({ stalled, logical, horizon }: SubjectInbox, target: number, from: number): boolean {
  return stalled === null && from >= logical && target > horizon;
}

/** Reads the subject's status. A failed read does not end the workflow: it waits and reads again. */
async function readOrStall(run: Run): Promise<SubjectStatus> {
  const { id, collection, inbox, page } = run;
  const lookAgain = lookingAgain(() => inbox.poked);
  for (;;) {
    try {
      return await collection.read(id);
    } catch (error) {
      const stalled = stall(inbox, `reading ${id}`, error);
      inbox.poked = false;
      showUnread(page, { stalled, lastCommand: inbox.commandQueue.last });
      // On a test clock, wait without a timer: the server would skip it again and again.
      if (isKnownToBeOnClock()) await condition(() => inbox.poked);
      else await lookAgain(error);
      await unstall(run, !isKnownToBeOnClock());
    }
  }
}

/**
 * Collects what is due. If an effect cannot be carried out, the advance that requested it fails, and the loop waits to
 * try again.
 */
async function collectOrStall(run: Run, status: SubjectStatus, time: CustomerTime): Promise<SubjectStatus> {
  const { id, collection, inbox, page } = run;
  for (;;) {
    showCollecting(page, status, time, inbox.commandQueue.last);
    try {
      return await collection.collect(id, time.now(), status);
    } catch (error) {
      const stalled = stall(inbox, status.next, error);
      showStalled(page, status, time, { stalled, lastCommand: inbox.commandQueue.last });
      await time.waitForHelp(error);
      await unstall(run, status.clockTime === null);
    }
  }
}

/** Returns why `step` cannot be carried out, and lets an advance that waits for it fail. */
function stall(inbox: SubjectInbox, step: string, error: unknown): Stall {
  const { reason, since } = stallOf(error);
  inbox.stalled = `${step}: ${reason}`;
  return { reason: inbox.stalled, since };
}

async function unstall(run: Run, isInRealTime: boolean): Promise<void> {
  run.inbox.poked = false;
  run.inbox.stalled = null;
  await executeCommands(run);
  if (isInRealTime) await leaveLongHistory(run.id, run.inbox);
}

async function executeCommands({ id, collection, inbox }: Run): Promise<void> {
  await runCommands(inbox.commandQueue, (command) => collection.execute(id, command));
}

/**
 * In real time, each retry of a stalled subject lengthens the history, and Temporal terminates a workflow whose history
 * is too long. On a test clock nothing is retried automatically.
 */
async function leaveLongHistory(id: string, inbox: SubjectInbox): Promise<void> {
  if (!needsFreshRun(inbox)) return;
  await condition(() => allHandlersFinished() || inbox.commandQueue.waiting.length > 0);
  if (allHandlersFinished()) await beginFreshRun(id, true);
}

/**
 * Continues as new once no Update is open, since continue-as-new would fail an open one. So however much one advance
 * collects, all of it is in one run. What arrives meanwhile is handled first: an advance, a command, a change.
 */
async function continueWhenIdle(id: string, inbox: SubjectInbox, time: CustomerTime): Promise<void> {
  time.settle();
  const settled = inbox.settledThrough;
  const isWanted = () => inbox.poked || inbox.horizon > settled || inbox.commandQueue.waiting.length > 0;
  await condition(() => allHandlersFinished() || isWanted());
  if (allHandlersFinished()) await beginFreshRun(id);
}
