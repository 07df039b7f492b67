import type { Id } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** A PostgreSQL role that reads the views of `reporting`, and whose rows it sees. */
export interface ReaderRow {
  role_name: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
  created_at: RealInstant;
}

/** What a reader's sessions begin with. Each may set other values: a role cannot be kept from that. */
const settings = {
  search_path: 'reporting',
  default_transaction_read_only: 'on',
  statement_timeout: '60s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '60s',
};

/** How many sessions a reader may have at a time. */
const mostSessions = 4;

/**
 * Makes a role that may log in, use the schema `reporting` and nothing else, and enters whose rows it reads. No role
 * may make temporary tables any more unless it was given that right by name.
 * @param verifier what PostgreSQL stores of its password: see `scramVerifier`.
 */
export async function createReader(tx: Tx, row: ReaderRow, verifier: string): Promise<void> {
  if (!/^[\w$:+/=-]+$/.test(verifier)) throw new Error('not a verifier');
  const role = tx(row.role_name);
  const database = tx((await tx<[{ name: string }]>`select current_database() as name`)[0].name);
  await tx`
    create role ${role} login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls
      connection limit ${tx.unsafe(String(mostSessions))} password ${tx.unsafe(`'${verifier}'`)}`;
  for (const [name, value] of Object.entries(settings)) {
    await tx`alter role ${role} in database ${database} set ${tx(name)} = ${tx.unsafe(`'${value}'`)}`;
  }
  await tx`revoke temporary on database ${database} from public`;
  await tx`grant connect on database ${database} to ${role}`;
  await tx`grant usage on schema reporting to ${role}`;
  await tx`insert into reporting.readers ${tx([{ ...row }])}`;
}

/**
 * Lets a reader log in no more, and ends its sessions. Does nothing to a role that is no reader. The role of `db`
 * becomes a member of the reader: only a member or a superuser may end sessions and drop what a role owns.
 */
export async function shutReader(db: Db, roleName: string): Promise<void> {
  const [row] = await db`select from reporting.readers where role_name = ${roleName}`;
  if (row === undefined) return;
  const role = db(roleName);
  await db`alter role ${role} nologin`;
  await db`grant ${role} to current_user with inherit true`;
  await db`
    select pg_terminate_backend(pid) from pg_stat_get_activity(null)
    where usesysid = (select oid from pg_roles where rolname = ${roleName})`;
}

/**
 * Drops the role of a reader with its rights, its rows and what it owns in this database: every role may make large
 * objects. Returns the row, or null if there is none.
 */
export async function dropReader(tx: Tx, roleName: string): Promise<ReaderRow | null> {
  const [row] = await tx<ReaderRow[]>`delete from reporting.readers where role_name = ${roleName} returning *`;
  if (row === undefined) return null;
  const role = tx(roleName);
  await tx`drop owned by ${role}`;
  await tx`drop role ${role}`;
  return row;
}

/** The readers of a biller or of all, the oldest first. */
export async function listReaders(db: Db, billerId: string | null): Promise<ReaderRow[]> {
  return db<ReaderRow[]>`
    select * from reporting.readers where ${billerId === null ? db`true` : db`biller_id = ${billerId}`}
    order by created_at, role_name`;
}

/** What a reader can reach that it must not, as PostgreSQL has it. */
export interface Reach {
  /** Tables and views that it can read besides those of `reporting`: somebody has granted them to PUBLIC. */
  tables: string[];
  /** Other databases of the server to which it can connect. */
  databases: string[];
}

export async function selectReach(db: Db, { role_name: role }: ReaderRow): Promise<Reach> {
  const [reach] = await db<[Reach]>`
    select array(
      select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
        and not (n.nspname = 'reporting' and c.relname ~ '_v[0-9]+$')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
        and (has_table_privilege(${role}, c.oid, 'select, insert, update, delete, truncate')
          or has_any_column_privilege(${role}, c.oid, 'select, insert, update'))
      order by 1
    ) as tables, array(
      select datname::text from pg_database
      where datallowconn and datname <> current_database() and has_database_privilege(${role}, oid, 'connect')
      order by 1
    ) as databases`;
  return reach;
}
