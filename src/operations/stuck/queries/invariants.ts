import { invariants } from '../../invariants/invariants.ts';
import type { StuckQuery } from './query.ts';

/** A row that breaks an invariant. */
export interface BrokenRow {
  invariant: string;
  detail: string;
  remedy: string;
}

/**
 * What housekeeping has found. An invariant that could not be checked since keeps what was found before. One that only
 * another version has is left out: this one does not check it again.
 */
const rowsThatBreak = (names: readonly string[]): StuckQuery<BrokenRow> => ({
  rows: (db) => db`
    select v ->> 'id' as subject_id, null as biller_id, null::boolean as livemode, c.since, c.invariant,
      v ->> 'detail' as detail
    from invariant_checks c cross join lateral jsonb_array_elements(c.violations) v
    where c.since is not null and c.invariant = any(${[...names]}::text[])`,
  facts: (db) => db`
    select c.invariant, v ->> 'detail' as detail, v ->> 'remedy' as remedy
    from invariant_checks c cross join lateral jsonb_array_elements(c.violations) v
    where c.invariant = f.invariant and v ->> 'id' = f.subject_id and v ->> 'detail' = f.detail
    limit 1`,
});

const namesOf = (isDoubt: boolean) =>
  invariants.filter((invariant) => (invariant.isDoubt ?? false) === isDoubt).map(({ name }) => name);

export const brokenRows = rowsThatBreak(namesOf(false));
export const doubtfulRows = rowsThatBreak(namesOf(true));
