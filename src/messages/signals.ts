import { defineSignal } from '@temporalio/workflow';

/** The signals of the workflows. Histories and the outbox have their names. None takes an argument. */
export const signals = {
  /** Something has changed in the database: the workflow reads its subject again. */
  poke: defineSignal('poke'),
  /** The same as `poke`, for programs. Operators send the Update of this name, which responds and is audited. */
  recheck: defineSignal('recheck'),
  /** For upgrades and tests: continue as new, with an empty history, at the next idle moment. */
  startFreshRun: defineSignal('startFreshRun'),
  /** A delivery makes its next attempt now instead of at its time. Sent by the API. Safe to send twice. */
  retryNow: defineSignal('retryNow'),
  /** Ends a delivery as failed. It can be retried later. Safe to send twice. */
  giveUp: defineSignal('giveUp'),
};
