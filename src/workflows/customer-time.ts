import { condition, sleep } from '@temporalio/workflow';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { lookingAgain } from './look-again.ts';
import type { CommandQueue } from './operator-handlers.ts';

/** What the handlers of a subject have taken in, for its loop to act on. Instants are epoch milliseconds. */
export interface Inbox {
  /** What operators have pressed. */
  commandQueue: CommandQueue;
  /** The database has changed, or somebody asks for a look. */
  poked: boolean;
  freshRun: boolean;
  /** The customer's time, where it is a clock's. */
  logical: number;
  /** How far the subject's clock lets it go. */
  horizon: number;
  /** Up to which instant all that was due is done. */
  settledThrough: number;
  /** Why the present effect cannot be carried out. */
  stalled: string | null;
  /** Whether the subject goes by real time; null until it was read. */
  isInRealTime: boolean | null;
}

/** The customer's time: real, or that of a test clock. The loop is written against it and knows no other. */
export interface CustomerTime {
  now(): number;
  /** Whether the instant has come, or can be reached without anybody's doing. */
  isDue(instant: number | null): boolean;
  /** Returns when the instant has come, or earlier when the subject is poked; `null` never comes. */
  waitUntil(instant: number | null, summary: string): Promise<void>;
  /** Takes over the clock's time as the database has it: further than here, or set back. */
  follow(clock: Pick<SubjectStatus, 'clockTime' | 'clockLimit'>): void;
  /** Notes that nothing more is due up to the horizon. */
  settle(): void;
  /** Waits, after something that could not be carried out, until there is a reason to try it again; `failure`: its error. */
  waitForHelp(failure: unknown): Promise<void>;
}

/** Goes back to an earlier time of the clock, and may go on from there up to `horizon`. */
export function setBack(inbox: Inbox, time: number, horizon: number): void {
  inbox.logical = time;
  inbox.horizon = horizon;
  inbox.settledThrough = time;
}

/** Real time, on Temporal's durable timers. */
export function realTime(inbox: Inbox): CustomerTime {
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
 * A test clock's time. It stands still until an advance raises the horizon; then each wait is a durable timer of the
 * span that it stands for, over which the server skips. Logical time is the loop's own: the server's virtual time runs
 * between advances and cannot start in the past, so timers are durations and never differences from `Date.now()`.
 */
export function clockTime(inbox: Inbox, start: number): CustomerTime {
  inbox.logical = start;
  const time: CustomerTime = {
    now: () => inbox.logical,
    isDue: (instant) => instant !== null && instant <= Math.max(inbox.logical, inbox.horizon),
    async waitUntil(instant, summary) {
      while (!inbox.poked) {
        if (instant !== null && time.isDue(instant)) {
          const asleepAt = inbox.logical;
          if (instant > asleepAt) await sleep(instant - asleepAt, { summary });
          if (inbox.logical >= asleepAt) inbox.logical = Math.max(inbox.logical, instant);
          return; // at another time than awaited when it was set back meanwhile: then nothing is due
        }
        time.settle();
        await condition(() => inbox.poked || inbox.horizon > inbox.logical); // no timer: frozen
      }
    },
    follow({ clockTime, clockLimit }) {
      if (clockTime === null) return;
      // Results that were recorded by an earlier version do not say how far the clock may go.
      if (typeof clockLimit === 'number' && inbox.logical > clockLimit) setBack(inbox, clockTime, clockLimit);
      if (clockTime > inbox.logical) inbox.logical = clockTime;
    },
    // The rest of an advance, in which nothing is due, is not slept: there would be nothing to skip to.
    settle() {
      inbox.logical = Math.max(inbox.logical, inbox.horizon);
      inbox.settledThrough = inbox.logical;
    },
    // Without a timer, which the server would skip again and again.
    async waitForHelp() {
      await condition(() => inbox.poked);
    },
  };
  return time;
}
