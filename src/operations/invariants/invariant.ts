import type { Fragment } from 'postgres';
import type { Db } from '../../platform/postgres/connection.ts';
import { opsCommand } from '../stuck/reading/ops-command.ts';

/** A row that breaks an invariant, and how. */
export interface Offender {
  id: string;
  detail: string;
}

export interface Invariant {
  /** A sentence that is true of a sound database. */
  name: string;
  /**
   * What it partly proves: 1, one charge for each attempt that is due; 2, each change has one event, which is
   * delivered; 3, amounts add up; 4, accounts, modes and test clocks stay apart.
   */
  promise: 1 | 2 | 3 | 4;
  /** What an operator does about an offender, with the exact command if there is one. `ID` stands for its id. */
  remedy: string;
  /** True if a row that breaks it is a hint and no proof: it is stuck as `rows_doubtful` then, not as `rows_broken`. */
  isDoubt?: true;
  /** The offenders as a part of a statement, where finding them costs nothing: `ops stuck` then looks itself. */
  atOnce?: (db: Db) => Fragment;
  offenders(db: Db): PromiseLike<Offender[]>;
}

/** An offender, the invariant that it breaks, and what to do about it. */
export interface Violation extends Offender {
  invariant: string;
  promise: Invariant['promise'];
  remedy: string;
}

/** The remedy for the rows of a plan. */
export const recalculate = `${opsCommand('recalculate', 'ID')} (with --dry-run it only shows the correction).`;

/** The remedy for rows that the service cannot work out from others. Constraints refuse most of these. */
export const restore = 'Find out who changed the row, and restore it from a back-up.';
