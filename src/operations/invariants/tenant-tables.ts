import type { Db } from '../../platform/postgres/connection.ts';

/** A reference from a table to a table with biller and mode. */
export interface Reference {
  table: string;
  /** The first column of the table's primary key. */
  key: string;
  /** The column that holds the id of the target. */
  column: string;
  target: string;
  /** Whether the foreign key includes biller and mode, so that PostgreSQL enforces the rule. */
  isEnforced: boolean;
  /** For a table without biller and mode of its own: the row that it belongs to. */
  owner?: { table: string; column: string } | undefined;
}

/**
 * The tables without biller and mode, and why. `ownedBy` is the column that names their owner: they have its biller and
 * mode. Every other table has both columns, `not null`; a test checks it.
 */
export const untenanted: Readonly<Record<string, { why: string; ownedBy?: string }>> = {
  billers: { why: 'they are the tenants' },
  biller_profiles: { why: 'part of a biller, in both modes' },
  missing_card_fields: { why: 'about a biller and the live processor' },
  refused_accounts: { why: 'about a biller and the live processor' },
  page_uses: { why: 'counts for the limits of all pages together' },
  clock_advances: { why: 'part of a test clock', ownedBy: 'test_clock_id' },
  payment_attempts: { why: 'part of a payment intent', ownedBy: 'payment_intent_id' },
  payment_reservations: { why: 'part of a payment attempt, which is part of a payment intent' },
  process_reports: { why: 'about processes of the service' },
  lost_subjects: { why: 'their rows, which had both, are gone' },
  lost_deliveries: { why: 'their rows, which had both, are gone' },
  invariant_checks: { why: 'about the rows of all billers' },
  live_charging: { why: 'about the live processor, which all billers share' },
  processor_notices_position: { why: 'about the live processor, which all billers share' },
  unknown_movements: { why: 'what the live processor has done for payments that the database does not have' },
  payment_plan_slots: { why: 'part of a payment plan', ownedBy: 'payment_plan_id' },
  subscription_periods: { why: 'part of a subscription', ownedBy: 'subscription_id' },
  subscription_entries: { why: 'part of a subscription', ownedBy: 'subscription_id' },
  subscription_changes: { why: 'part of a subscription', ownedBy: 'subscription_id' },
  ledger_entries: { why: 'part of a ledger transaction', ownedBy: 'transaction_id' },
  payout_items: { why: 'part of a payout', ownedBy: 'payout_id' },
  processor_entry_payouts: { why: 'part of an entry of the processor', ownedBy: 'entry' },
  posted_entries: { why: 'part of an entry of the processor', ownedBy: 'entry' },
  webhook_delivery_attempts: { why: 'part of a delivery', ownedBy: 'delivery_id' },
  workflow_intents: { why: 'the outbox: it holds the ids of workflows of all billers, until they are dispatched' },
  reconciliations: { why: 'about the service as a whole' },
  audit_log: { why: 'also has entries that belong to no biller: its columns may be null' },
  encryption_keys: { why: 'about the service as a whole' },
  schema_migrations: { why: 'about the schema' },
  schema_columns: { why: 'about the schema' },
};

/** Returns the tables of the schema that have both biller and mode, `not null`. */
export async function tenantTables(db: Db): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('biller_id', 'livemode') and a.attnotnull
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    group by c.relname having count(*) = 2
    order by c.relname`;
  return rows.map(({ name }) => name);
}

/**
 * Returns every reference by id to a table with biller and mode, from the foreign keys in the catalogue. The reference
 * to an owner is left out: it defines the row's biller and mode. So is one by another key with biller and mode.
 */
export async function referencesIn(db: Db): Promise<Reference[]> {
  const tenanted = new Set(await tenantTables(db));
  const rows = await db<(Omit<Reference, 'owner' | 'isEnforced'> & { columns: string[] })[]>`
    select f.conrelid::regclass::text as table, f.confrelid::regclass::text as target,
      (select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = f.conrelid and i.indisprimary) as key,
      (select a.attname from unnest(f.conkey, f.confkey) as k (own, other)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.own
        join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.other
        where b.attname = 'id') as column,
      array(select attname::text from pg_attribute where attrelid = f.conrelid and attnum = any(f.conkey)) as columns
    from pg_constraint f
    where f.contype = 'f' and f.connamespace = 'public'::regnamespace
    order by f.conrelid::regclass::text, f.conname`;
  const includeTenant = (columns: string[]) => columns.includes('biller_id') && columns.includes('livemode');
  const references = rows.filter(
    ({ target, column, columns }) => tenanted.has(target) && !(column === null && includeTenant(columns)),
  );
  return references.flatMap(({ columns, ...reference }) => {
    const { table, column } = reference;
    const isEnforced = includeTenant(columns);
    if (tenanted.has(table)) return [{ ...reference, isEnforced }];
    const ownedBy = untenanted[table]?.ownedBy;
    const owner = references.find((other) => other.table === table && other.column === ownedBy);
    return column === ownedBy
      ? []
      : [{ ...reference, isEnforced, owner: owner && { table: owner.target, column: owner.column } }];
  });
}
