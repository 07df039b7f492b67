import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { chargeInvariants } from './charges.ts';
import { dateInvariants } from './dates.ts';
import { debitInvariants } from './debits.ts';
import { disputeInvariants } from './disputes.ts';
import { eventInvariants } from './events.ts';
import type { Invariant, Violation } from './invariant.ts';
import { ledgerInvariants } from './ledger.ts';
import { linkInvariants } from './links.ts';
import { listedInvariants } from './listed.ts';
import { moneyInvariants } from './money.ts';
import { payoutInvariants } from './payouts.ts';
import { processorBooksInvariants } from './processor-books.ts';
import { repeatedInvariants } from './repeated.ts';
import { subscriptionInvariants } from './subscriptions.ts';
import { surchargeInvariants } from './surcharges.ts';
import { taxInvariants } from './tax.ts';
import { tenantInvariants } from './tenants.ts';

export type { Invariant, Violation };

/** What must hold in any database at any moment. Each invariant is one query that lists the rows that break it. */
export const invariants: readonly Invariant[] = [
  ...chargeInvariants,
  ...dateInvariants,
  ...debitInvariants,
  ...eventInvariants,
  ...ledgerInvariants,
  ...linkInvariants,
  ...listedInvariants,
  ...moneyInvariants,
  ...payoutInvariants,
  ...disputeInvariants,
  ...processorBooksInvariants,
  ...repeatedInvariants,
  ...subscriptionInvariants,
  ...surchargeInvariants,
  ...taxInvariants,
  ...tenantInvariants,
];

/**
 * Runs the queries on one snapshot and returns all violations, at most 100 rows per invariant. Read-only: it may run
 * while the service is working.
 */
export async function findViolations(sql: Pool): Promise<Violation[]> {
  return atomically(sql, async (tx) => {
    await tx`set transaction isolation level repeatable read read only`;
    await tx`set local statement_timeout = 0`;
    return violationsSeenBy(tx);
  });
}

/** The same, as seen by a transaction. */
export async function violationsSeenBy(db: Db): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const invariant of invariants) found.push(...(await violationsOf(db, invariant)));
  return found;
}

/** The rows that break one invariant, each with a remedy that names it. */
export async function violationsOf(db: Db, { name, promise, remedy, offenders }: Invariant): Promise<Violation[]> {
  const rows = await offenders(db);
  return rows.map(({ id, detail }) => ({ invariant: name, promise, id, detail, remedy: remedy.replaceAll('ID', id) }));
}
