import type { CustomerInstant } from '../domain/instants.ts';
import type { SubjectKind } from '../messages/subject-kinds.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { disputesClosingOnClock } from './disputes.ts';
import { type PayoutStep, payoutsArrivingOnClock, payoutsDueOnClock } from './payouts.ts';
import { unionAll } from './subject-parts.ts';
import { bankFirst, type SubjectQueries, subjectQueries } from './subject-queries.ts';

/** What can have something to do on a test clock. */
export type DueKind = SubjectKind | PayoutStep['kind'] | 'mandate' | 'dispute';

/** Something to do on a test clock. */
export interface DueSubject<Kind extends DueKind = DueKind> {
  kind: Kind;
  id: string;
  /** When, in the clock's time. Null while a charge of it is under way. */
  at: CustomerInstant | null;
}

/**
 * How each kind is found. Payouts come first: they are made of what was before. Of these, one that arrives comes first,
 * since what a failed one had is paid out at once. Then a mandate lapses, then a bank speaks of a debit or a dispute:
 * all may change what else is to be done.
 */
export const dueQueries: Readonly<Record<DueKind, Pick<SubjectQueries, 'rank' | 'dueOnClock'>>> = {
  payoutArrival: { rank: -2, dueOnClock: payoutsArrivingOnClock },
  payout: { rank: -1, dueOnClock: payoutsDueOnClock },
  mandate: {
    rank: 0,
    dueOnClock: (db, clock, target) => db`
      select id, lapses_at as at from mandates
      where test_clock_id = ${clock} and status = 'active' and lapses_at <= ${target}`,
  },
  dispute: { rank: bankFirst, dueOnClock: disputesClosingOnClock },
  ...subjectQueries,
};

/**
 * Returns what is due on a clock up to `target`, in the order in which it is done: what is under way, then by instant.
 * At the same instant the ranks decide, then what was created first comes first: the random part of an id begins with
 * the time.
 * @param limit how many to return; all, if not given.
 * @param except ids that are left out.
 */
export async function dueOnClock(
  db: Db,
  testClockId: string,
  target: CustomerInstant,
  { limit = null, except = [] }: { limit?: number | null; except?: readonly string[] } = {},
): Promise<DueSubject[]> {
  const ofEachKind = Object.entries(dueQueries).map(
    ([kind, { rank, dueOnClock: due }]) => db`(
      select ${kind} as kind, ${rank}::integer as rank, id::text collate "C" as id, at
      from (${due(db, db`${testClockId}`, db`${target}`)}) due
      where id <> all(${except as string[]}::text[])
      order by at nulls first, id
      limit ${limit})`,
  );
  return db<DueSubject[]>`
    select kind, id, at from (${unionAll(db, ofEachKind)}) due
    order by at nulls first, rank, regexp_replace(id, '^.*_', ''), id
    limit ${limit}`;
}
