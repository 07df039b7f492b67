import type postgres from 'postgres';

type Right = 'select' | 'insert' | 'update' | 'delete';

/** The tables on which the role of the service has not all rights, with those that it lacks. */
export const withheld: Readonly<Record<string, readonly Right[]>> = {
  audit_log: ['update', 'delete'],
  ledger_transactions: ['update', 'delete'],
  ledger_entries: ['update', 'delete'],
  processor_entries: ['update', 'delete'],
  processor_entry_payouts: ['update', 'delete'],
  posted_entries: ['update', 'delete'],
  schema_migrations: ['insert', 'update', 'delete'],
  schema_columns: ['insert', 'update', 'delete'],
};

/**
 * Grants a PostgreSQL role what the API, the worker and the command line need on the tables, and revokes everything
 * else. The role can insert and read rows of the audit log but not change them. It can only read the list of
 * migrations and the list of columns (`withheld`). Idempotent. It runs in one transaction, so a running service never
 * lacks a right. Run it as the owner of the tables, after the migrations.
 * @throws if the role does not exist, or if it could act as the owner: no right could then be withheld from it.
 */
export async function grantRights(sql: postgres.Sql, role: string): Promise<void> {
  const [found] = await sql<{ is_owner: boolean }[]>`select pg_has_role(${role}, current_user, 'member') as is_owner`;
  if (found?.is_owner) {
    throw new Error(
      `The role ${role} is the owner of the tables, a member of it, or a superuser, so the audit log would not hold against it. ` +
        'Name the role that the service runs as.',
    );
  }
  await sql.begin(async (tx) => {
    const name = tx(role);
    await tx`revoke all on all tables in schema public from ${name}`;
    await tx`grant usage on schema public to ${name}`;
    await tx`grant select, insert, update, delete on all tables in schema public to ${name}`;
    await tx`grant usage on all sequences in schema public to ${name}`;
    for (const [table, rights] of Object.entries(withheld)) {
      await tx`revoke ${tx.unsafe(rights.join(', '))} on ${tx(table)} from ${name}`;
    }
  });
}
