import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { jsonb } from '../../platform/postgres/types.ts';
import { limitMet, readBounded } from '../stuck/reading/bounded-reading.ts';
import { invariants, type Violation, violationsOf } from './invariants.ts';

/** An invariant is checked again after this time. */
const checkedAgainAfterSeconds = 30;
/** One slice takes this long, and the last query of it. A query ends after five seconds. */
const sliceMs = 500;
/** The pause after a slice, by its duration: so that the checks take a tenth of one connection at most. */
const restFactor = 9;

/** Checks the invariants a few at a time. */
export interface InvariantChecks {
  /** Checks those that were not checked for longest, and records what it finds. One process at a time does so. */
  checkSome(): Promise<void>;
}

export function createInvariantChecks(sql: Pool): InvariantChecks {
  let restsUntil = 0;
  return {
    async checkSome() {
      if (performance.now() < restsUntil) return;
      const begun = performance.now();
      for (const name of await listDue(sql)) {
        await checkOne(name);
        if (performance.now() - begun > sliceMs) break;
      }
      restsUntil = performance.now() + restFactor * (performance.now() - begun);
    },
  };

  /** The names of those that are due, the one that was tried longest ago first. */
  async function listDue(db: Db): Promise<string[]> {
    const rows = await db<{ name: string }[]>`
      select n.name from unnest(${invariants.map(({ name }) => name)}::text[]) with ordinality as n (name, position)
      left join invariant_checks c on c.invariant = n.name
      where c.tried_at is null or c.tried_at < clock_timestamp() - make_interval(secs => ${checkedAgainAfterSeconds})
      order by c.tried_at nulls first, n.position`;
    return rows.map(({ name }) => name);
  }

  async function checkOne(name: string): Promise<void> {
    const invariant = invariants.find((each) => each.name === name);
    if (invariant === undefined || !(await claimCheck(sql, name))) return;
    try {
      await record(sql, name, await readBounded(sql, (tx) => violationsOf(tx, invariant)));
    } catch (error) {
      if (limitMet(error) === null) throw error;
    }
  }
}

/** Claims the check for this process. False if another one has just made it. */
export async function claimCheck(db: Db, name: string): Promise<boolean> {
  const { count } = await db`
    insert into invariant_checks as c (invariant, tried_at) values (${name}, clock_timestamp())
    on conflict (invariant) do update set tried_at = excluded.tried_at
    where c.tried_at < clock_timestamp() - make_interval(secs => ${checkedAgainAfterSeconds})`;
  return count > 0;
}

async function record(sql: Pool, name: string, violations: readonly Violation[]): Promise<void> {
  const rows = violations.map(({ id, detail, remedy }) => ({ id, detail, remedy }));
  // What is wrong with a row may change; it is broken since the row was first found.
  await atomically(
    sql,
    (tx) => tx`
      update invariant_checks c set
        checked_at = clock_timestamp(),
        violations = (
          select coalesce(jsonb_agg(v || jsonb_build_object('since', coalesce(
            (select former -> 'since' from jsonb_array_elements(c.violations) former where former ->> 'id' = v ->> 'id' limit 1),
            to_jsonb(clock_timestamp())))), '[]')
          from jsonb_array_elements(${jsonb(tx, rows)}::jsonb) v
        ),
        since = case when ${rows.length} > 0 then coalesce(since, clock_timestamp()) end
      where invariant = ${name}`,
  );
}
