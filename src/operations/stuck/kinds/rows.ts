import type { Fragment } from 'postgres';
import { unionAll } from '../../../db/subject-parts.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { Invariant } from '../../invariants/invariant.ts';
import { invariants } from '../../invariants/invariants.ts';
import type { StuckKind } from '../reading/find-stuck.ts';

/** A row that breaks an invariant. */
interface BrokenRow {
  invariant: string;
  detail: string;
  remedy: string;
}

/**
 * What housekeeping has found, each row since it was first found; and what costs nothing to find, now. An invariant
 * that could not be checked since keeps what was found before. One that only another version has is left out: this one
 * does not check it again.
 */
export const rowsBroken: StuckKind<BrokenRow> = {
  kind: 'rows_broken',
  meaning: 'A row breaks an invariant: it was changed by hand, restored in part, or written by a bug.',
  after: 0,
  ...rowsOf((db) => db`${recordedRows(db, recordedNames)} union all ${rowsNow(db)}`),
  say: ({ invariant, detail, remedy }) => ({
    why: `${detail}; but ${invariant}`,
    remedy: `${remedy} It is looked at again within a minute; npm run --silent check:invariants looks now.`,
  }),
};

/** What housekeeping has found that is a hint and no proof. */
export const rowsDoubtful: StuckKind<BrokenRow> = {
  kind: 'rows_doubtful',
  meaning: 'Two equal live payments were charged under one Idempotency-Key. A hint, no proof.',
  after: 0,
  ...rowsOf((db) => recordedRows(db, doubtNames)),
  say: ({ detail, remedy }) => ({ why: detail, remedy }),
};

function rowsOf(found: (db: Db) => Fragment): Pick<StuckKind<BrokenRow>, 'rows' | 'facts'> {
  return {
    rows: (db, { now }) => db`
      select id as subject_id, null as biller_id, null::boolean as livemode, coalesce(since, ${now}::timestamptz) as since,
        invariant, detail, remedy
      from (${found(db)}) b`,
    facts: (db) => db`select f.invariant, f.detail, f.remedy`,
  };
}

const foundNow = invariants.flatMap(({ atOnce, ...invariant }) => (atOnce ? [{ ...invariant, atOnce }] : []));

const namesOf = (wanted: (invariant: Invariant) => boolean) => invariants.filter(wanted).map(({ name }) => name);
const recordedNames = namesOf(({ atOnce, isDoubt }) => !atOnce && !isDoubt);
const doubtNames = namesOf(({ isDoubt = false }) => isDoubt);

const recordedRows = (db: Db, names: readonly string[]): Fragment => db`
  select v ->> 'id' as id, v ->> 'detail' as detail, v ->> 'remedy' as remedy, c.invariant,
    (v ->> 'since')::timestamptz as since
  from invariant_checks c cross join lateral jsonb_array_elements(c.violations) v
  where c.since is not null and c.invariant = any(${[...names]}::text[])`;

/** Housekeeping checks these too, and so knows since when. */
const rowsNow = (db: Db): Fragment =>
  unionAll(
    db,
    foundNow.map(
      ({ name, remedy, atOnce }) => db`
        select o.id, o.detail, replace(${remedy}, 'ID', o.id) as remedy, ${name}::text as invariant, (
          select (v ->> 'since')::timestamptz
          from invariant_checks c cross join lateral jsonb_array_elements(c.violations) v
          where c.invariant = ${name} and v ->> 'id' = o.id limit 1
        ) as since
        from (${atOnce(db)}) o`,
    ),
  );
