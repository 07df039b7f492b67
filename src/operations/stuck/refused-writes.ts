import type { Db } from '../../platform/postgres/connection.ts';
import type { StuckReport } from './find-stuck.ts';

/** What PostgreSQL would refuse of all that the service writes, although it responds to what only reads. */
export const refusedWrites = {
  kind: 'writes_refused',
  meaning: 'PostgreSQL refuses writes: it is read-only, a right was revoked, or a sequence has no number left.',
  after_seconds: 0,
} as const;

/**
 * Whether PostgreSQL would accept the writes of the service, asked of its catalogue: that needs no write, and takes
 * some milliseconds.
 * @throws what PostgreSQL throws if it does not respond.
 */
export async function findRefusedWrites(sql: Db): Promise<StuckReport> {
  const [row] = await sql<[Refusals]>`
    select current_user as name, current_database() as database, pg_is_in_recovery() as "isStandby",
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      array(
        select c.relname::text from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not (
          has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
          and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
        order by c.relname
      ) as tables,
      array(
        select s.sequencename::text from pg_sequences s
        where s.schemaname = current_schema() and s.last_value >= s.max_value and not s.cycle
        order by s.sequencename
      ) as sequences`;
  const found = row === undefined ? [] : wordsOf(row);
  const place = { subject_id: null, biller_id: null, livemode: null, workflow_id: null, since: null };
  return {
    ...refusedWrites,
    count: found.length,
    found: found.map((words) => ({ kind: refusedWrites.kind, ...place, ...words })),
  };
}

interface Refusals {
  name: string;
  database: string;
  isStandby: boolean;
  isReadOnly: boolean;
  /** Those on which the service has not all rights. */
  tables: string[];
  /** Those that have no number left. */
  sequences: string[];
}

function wordsOf({ name, database, isStandby, isReadOnly, tables, sequences }: Refusals) {
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
    ...(tables.length === 0
      ? []
      : [
          {
            why: `${name} has not all rights on ${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ` and ${tables.length - 5} more` : ''}`,
            remedy: `As the owner of the tables: grant select, insert, update, delete on all tables in schema public to "${name}".`,
          },
        ]),
    ...sequences.map((sequence) => ({
      why: `the sequence ${sequence} has no number left`,
      remedy: `Find out who has changed it. Then: alter sequence ${sequence} no maxvalue. Compare its last value with its table.`,
    })),
  ];
}
