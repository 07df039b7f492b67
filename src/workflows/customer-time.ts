import { condition, sleep } from '@temporalio/workflow';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { lookingAgain } from './effect-failure.ts';
import type { Inbox } from './inbox.ts';

/** What a subject's handlers have received, for its loop to act on. Instants are epoch milliseconds. */
export interface SubjectInbox extends Inbox {
  /** The customer's time, if it comes from a test clock. */
  logical: number;
  /** The latest time that the subject's clock allows. */
  horizon: number;
  /** When the next step is due, as the advance has read it in the database. Null if that is to be read here. */
  dueAt: number | null;
  /** Everything due up to this instant is done. */
  settledThrough: number;
  /** Why the current effect cannot be carried out. Null if it can. */
  stalled: string | null;
  /** Whether the subject uses real time. Null before the first read. */
  isInRealTime: boolean | null;
}

/** The customer's time: real, or that of a test clock. The loop only uses this interface. */
export interface CustomerTime {
  now(): number;
  /** Whether the instant has come or, on a test clock, lies within the horizon. */
  isDue(instant: number | null): boolean;
  /** Resolves when the instant has come, or earlier if the subject is poked. `null` never comes. */
  waitUntil(instant: number | null, summary: string): Promise<void>;
  /** Follows the clock's time in the database, whether it moved forward or was set back. */
  follow(clock: Pick<SubjectStatus, 'clockTime' | 'clockLimit'>): void;
  /** Records that nothing more is due up to the horizon. */
  settle(): void;
  /** Waits after a failure until there is a reason to retry. `failure` is the error. */
  waitForHelp(failure: unknown): Promise<void>;
}

/** The summary of a timer for a step that is not the one that the workflow has read. */
const whatIsDue = 'what is due on the clock';

/** Sets the clock back to an earlier time. It may advance again up to `horizon`. */
export function setBack(inbox: SubjectInbox, time: number, horizon: number): void {
  inbox.logical = time;
  inbox.horizon = horizon;
  inbox.dueAt = null;
  inbox.settledThrough = time;
}

/** Returns real time, on Temporal's durable timers. */
export function realTime(inbox: SubjectInbox): CustomerTime {
  return {
    now: () => Date.now(),
    isDue: (instant) => instant !== null && instant <= Date.now(),
    async waitUntil(instant, summary) {
      const wait = instant === null ? null : instant - Date.now();
      if (wait === null) await condition(() => inbox.poked);
      else if (wait > 0) await condition(() => inbox.poked, wait, { summary });
    },
    follow() {},
    settle() {},
    waitForHelp: lookingAgain(() => inbox.poked),
  };
}

/**
 * Returns a test clock's time. It stands still until an advance raises the horizon. Then each wait is a durable timer
 * for the span that it represents, and the server skips it. The loop keeps its own logical time: the server's virtual
 * time runs on between advances and cannot start in the past. So timers are durations, never differences from
 * `Date.now()`.
 */
export function clockTime(inbox: SubjectInbox, start: number): CustomerTime {
  inbox.logical = start;
  const time: CustomerTime = {
    now: () => inbox.logical,
    isDue: (instant) => instant !== null && instant <= Math.max(inbox.logical, inbox.horizon),
    async waitUntil(instant, summary) {
      while (!inbox.poked) {
        const due = Math.min(instant ?? Number.POSITIVE_INFINITY, inbox.dueAt ?? Number.POSITIVE_INFINITY);
        if (time.isDue(due)) {
          const asleepAt = inbox.logical;
          if (due > asleepAt) await sleep(due - asleepAt, { summary: due === instant ? summary : whatIsDue });
          if (inbox.logical >= asleepAt) inbox.logical = Math.max(inbox.logical, due);
          inbox.dueAt = null;
          return; // if the time was set back meanwhile, it differs from `due`, and nothing is due
        }
        time.settle();
        await condition(() => inbox.poked || inbox.horizon > inbox.logical); // no timer: frozen
      }
    },
    follow({ clockTime, clockLimit }) {
      if (clockTime === null) return;
      if (clockLimit !== null && inbox.logical > clockLimit) setBack(inbox, clockTime, clockLimit);
      if (clockTime > inbox.logical) inbox.logical = clockTime;
    },
    // The rest of an advance, in which nothing is due, needs no sleep: there is nothing to skip to.
    settle() {
      inbox.logical = Math.max(inbox.logical, inbox.horizon);
      inbox.settledThrough = inbox.logical;
    },
    // No timer, since the server would skip it again and again.
    async waitForHelp() {
      await condition(() => inbox.poked);
    },
  };
  return time;
}
