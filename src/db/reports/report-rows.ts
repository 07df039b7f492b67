import type { PlainDate } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { TenantKey } from '../tenant.ts';

/** A range of instants: `from` is included, `to` is not. An end that is not given does not bound it. */
export interface BoundRange {
  from?: CustomerInstant | undefined;
  to?: CustomerInstant | undefined;
}

/** Whose rows a report has, and from when. */
export interface ReportScope extends BoundRange {
  tenant: TenantKey;
  /** Null: only what is on no test clock. */
  testClock: Id<'test_clock'> | null;
  timeZone: string;
  /** Today in that time zone, by the clock or in real time. */
  today: PlainDate;
}

/** The rows of a report that come after `after`, in its order; from its first one, if that is null. */
export type ReportRows<Row> = (
  db: Db,
  scope: ReportScope,
  page: { after: Row | null; limit: number },
) => Promise<Row[]>;

/** SQL condition: the instant is within the range. */
export function isWithin(db: Db, column: string, { from, to }: BoundRange) {
  const at = db(column);
  return db`
    ${from === undefined ? db`true` : db`${at} >= ${from}`} and ${to === undefined ? db`true` : db`${at} < ${to}`}`;
}

/** SQL condition: what has this clock is on the clock of the report. */
export function isOnClock(db: Db, column: string, { testClock }: ReportScope) {
  return testClock === null ? db`${db(column)} is null` : db`${db(column)} = ${testClock}`;
}
