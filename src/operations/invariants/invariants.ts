import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { chargeInvariants } from './charges.ts';
import { eventInvariants } from './events.ts';
import type { Invariant, Violation } from './invariant.ts';
import { moneyInvariants } from './money.ts';
import { tenantInvariants } from './tenants.ts';

export type { Invariant, Violation };

/** What must hold in any database, at any moment: each is one query that lists what breaks it. */
export const invariants: readonly Invariant[] = [
  ...chargeInvariants,
  ...eventInvariants,
  ...moneyInvariants,
  ...tenantInvariants,
];

/**
 * Runs the queries on one snapshot and answers everything that breaks an invariant, at most 100 rows of each; it changes
 * nothing, and may run beside a service at work.
 */
export async function findViolations(sql: Pool): Promise<Violation[]> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = 0`;
    return violationsSeenBy(tx);
  });
}

/** The same, as a transaction sees the database. */
export async function violationsSeenBy(tx: Db): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { name, promise, offenders } of invariants) {
    for (const { id, detail } of await offenders(tx)) found.push({ invariant: name, promise, id, detail });
  }
  return found;
}
