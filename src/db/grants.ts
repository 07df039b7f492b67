import type postgres from 'postgres';

/**
 * Grants a PostgreSQL role what the API, the worker and the command line need on the tables, and revokes everything
 * else. The role can insert and read rows of the audit log but not change them. It can only read the list of
 * migrations, and which sealed values the service accepts. Idempotent. It runs in one transaction, so a running service
 * never lacks a right. Run it as the owner of the tables, after the migrations.
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
    await tx`revoke update, delete on audit_log from ${name}`;
    await tx`revoke insert, update, delete on schema_migrations, sealed_formats from ${name}`;
  });
}
