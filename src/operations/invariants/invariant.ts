import type { Db } from '../../platform/postgres/connection.ts';

/** A row that breaks an invariant, and how. */
export interface Offender {
  id: string;
  detail: string;
}

export interface Invariant {
  /** A sentence that is true of a sound database. */
  name: string;
  /** The number of the promise, in the list of docs/architecture.md, that it partly proves. */
  promise: 1 | 2 | 3 | 4;
  offenders(db: Db): PromiseLike<Offender[]>;
}

/** An offender and the invariant that it breaks. */
export interface Violation extends Offender {
  invariant: string;
  promise: Invariant['promise'];
}
