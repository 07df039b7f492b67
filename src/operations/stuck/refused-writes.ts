import { withheld } from '../../db/grants.ts';
import { reportLastsSeconds } from '../../db/process-reports.ts';
import { type IncompleteTable, listIncompleteTables } from '../../db/schema-columns.ts';
import { type Cause, remedyOfLogin } from '../../platform/database-causes.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { limitMet, readBounded } from './reading/bounded-reading.ts';
import { type Kind, reportOf, type StuckReport, stuckAs, type Words } from './reading/find-stuck.ts';

/** What PostgreSQL refuses of all that the service does, although it responds to what only reads its catalogue. */
export const refusedWrites: Kind = {
  kind: 'writes_refused',
  meaning:
    'PostgreSQL refuses the service: it is read-only, a right was revoked, a sequence has no number left, a table or ' +
    'column was renamed or dropped, or a password was changed.',
  after: 0,
};

/**
 * Whether PostgreSQL would accept the work of the service, asked of its catalogue: that needs no write, and takes
 * some milliseconds. Also the processes that have reported that PostgreSQL refuses them a new connection.
 * @throws what PostgreSQL throws if it does not respond.
 */
export async function findRefusedWrites(sql: Db): Promise<StuckReport> {
  const [row] = await sql<[Refusals]>`
    select current_user as name, current_database() as database, pg_is_in_recovery() as "isStandby",
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      array(
        select r.right || ' ' || c.relname from pg_class c
        cross join unnest(array['select', 'insert', 'update', 'delete']) with ordinality as r ("right", place)
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
          and r.right || ' ' || c.relname <> all(${withheldRights}::text[])
          and not has_table_privilege(c.oid, r.right)
        order by r.place, c.relname
      ) as rights,
      array(
        select s.sequencename::text from pg_sequences s
        where s.schemaname = current_schema() and s.last_value >= s.max_value and not s.cycle
        order by s.sequencename
      ) as sequences`;
  const tables = await unlessHeld(sql, listIncompleteTables, []);
  return reportAll([
    ...wordsOf(row),
    ...wordsAboutTables(tables),
    ...(await unlessHeld(sql, listRefusedProcesses, [])),
  ]);
}

/** Returns what was read, or `otherwise` while a session holds the table: `database_locked` names it. */
async function unlessHeld<T>(sql: Db, read: (tx: Db) => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await readBounded(sql, read);
  } catch (error) {
    if (limitMet(error) === null) throw error;
    return otherwise;
  }
}

/** Reports why PostgreSQL refuses this program itself. */
export function reportRefusal({ why, remedy }: Cause): StuckReport {
  return reportAll([{ why, remedy }]);
}

function reportAll(found: readonly Words[]): StuckReport {
  return reportOf(
    refusedWrites,
    found.map((words) => stuckAs(refusedWrites, words)),
  );
}

/** Such as `update audit_log`. */
const withheldRights = Object.entries(withheld).flatMap(([table, rights]) =>
  rights.map((right) => `${right} ${table}`),
);

interface Refusals {
  name: string;
  database: string;
  isStandby: boolean;
  isReadOnly: boolean;
  /** Those that the service needs and does not have, such as `insert refunds`. */
  rights: string[];
  /** Those that have no number left. */
  sequences: string[];
}

function wordsOf({ name, database, isStandby, isReadOnly, rights, sequences }: Refusals): Words[] {
  const [why, remedy] = isStandby
    ? ['it is a standby, which takes no writes', 'Let DATABASE_URL lead to the primary server.']
    : [
        'it is read-only (default_transaction_read_only)',
        `Find out who has set it, and why. Then: alter database "${database}" reset default_transaction_read_only; ` +
          `alter role "${name}" reset default_transaction_read_only; alter system reset default_transaction_read_only; ` +
          'select pg_reload_conf(). Then restart the processes: a session keeps what it began with.',
      ];
  return [
    ...(isStandby || isReadOnly ? [{ why, remedy }] : []),
    ...(rights.length === 0 ? [] : [wordsAboutRights(name, rights)]),
    ...sequences.map((sequence) => ({
      why: `the sequence ${sequence} has no number left`,
      remedy: `Find out who has changed it. Then: alter sequence ${sequence} no maxvalue. Compare its last value with its table.`,
    })),
  ];
}

function wordsAboutRights(name: string, rights: readonly string[]): Words {
  const split = rights.map((words) => words.split(' ') as [right: string, table: string]);
  const tables = [...new Set(split.map(([, table]) => table))].sort();
  const tablesOf = (wanted: string) => split.filter(([right]) => right === wanted).map(([, table]) => table);
  const grants = [...new Set(split.map(([right]) => right))].map(
    (right) => `grant ${right} on ${tablesOf(right).join(', ')} to "${name}"`,
  );
  return {
    why: `${name} has not all rights on ${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ` and ${tables.length - 5} more` : ''}`,
    remedy: `As the owner of the tables: ${grants.join('; ')}.`,
  };
}

function wordsAboutTables(tables: readonly IncompleteTable[] | null): Words[] {
  if (tables === null) {
    return [
      {
        why: 'the database has no tables yet, or its list of them (schema_columns) is gone',
        remedy: 'npm run migrate, with --grant-to for the role of the service (npm start does so automatically).',
      },
    ];
  }
  return tables.map(({ table, isThere, missing, strange }) => {
    const restore = `Find out who has changed it, and restore ${isThere ? 'it' : 'the table'} from a back-up.`;
    const [column, ...others] = missing;
    if (!isThere) {
      return {
        why: `the table ${table} is not there: it was renamed or dropped`,
        remedy:
          strange.length === 1
            ? `If it was renamed: alter table ${strange[0]} rename to ${table}. ${restore}`
            : restore,
      };
    }
    return {
      why: `the table ${table} has no column ${missing.join(', ')}: it was renamed or dropped`,
      remedy:
        strange.length === 1 && others.length === 0
          ? `If it was renamed: alter table ${table} rename column ${strange[0]} to ${column}. ${restore}`
          : restore,
    };
  });
}

/** The processes to which PostgreSQL refuses a new connection. Empty if their reports cannot be read: why is named. */
async function listRefusedProcesses(sql: Db): Promise<Words[]> {
  const [known] = await sql<[{ isReadable: boolean }]>`
    select count(*) = 4 and bool_and(has_column_privilege(a.attrelid, a.attnum, 'select')) as "isReadable"
    from pg_attribute a
    where a.attrelid = to_regclass('process_reports') and a.attname in ('process', 'problem', 'detail', 'reported_at')`;
  if (!known.isReadable) return [];
  const reports = await sql<{ process: string; detail: string }[]>`
    select process, detail from process_reports
    where problem = 'login' and reported_at > clock_timestamp() - make_interval(secs => ${reportLastsSeconds})
    order by process`;
  return reports.map(({ process, detail }) => ({ why: `${process}: ${detail}`, remedy: remedyOfLogin }));
}
