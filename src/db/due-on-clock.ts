import type { Fragment } from 'postgres';
import type { Db } from '../platform/postgres/connection.ts';

/** Something to do on a test clock. */
export interface DueRow {
  id: string;
  /** When, in the clock's time. Null while it is under way. */
  at: Date | null;
  customer_id: string | null;
  /** Whether the customer has given a mandate: then what is done about one subject can change another. */
  has_mandate: boolean;
}

/** The column `has_mandate` of a `DueRow`, for a customer with this id. */
export function hasMandate(db: Db, customerId: Fragment): Fragment {
  return db`exists (select 1 from mandates where mandates.customer_id = ${customerId}) as has_mandate`;
}

/** A link or a session on a test clock that is due. */
export interface ExpiryRow {
  kind: 'link' | 'session';
  id: string;
  at: Date;
}

/**
 * The first link or session on a test clock that is due up to `target` (the clock's time), or null. At the same instant
 * the older id comes first. `customerId` is that of the customer; null for those of all customers without a mandate,
 * and of no customer.
 */
export async function firstExpiryOnClock(
  db: Db,
  testClockId: string,
  { customerId, target }: { customerId: string | null; target: Date },
): Promise<ExpiryRow | null> {
  const due = (table: Fragment, kind: ExpiryRow['kind']) => db`(
    select ${kind} as kind, id, wake_at as at from ${table} as due
    where test_clock_id = ${testClockId} and wake_at <= ${target} and ${
      customerId === null
        ? db`not exists (select 1 from mandates where mandates.customer_id = due.customer_id)`
        : db`customer_id = ${customerId}`
    }
    order by wake_at, id
    limit 1)`;
  const [row] = await db<ExpiryRow[]>`
    ${due(db`payment_links`, 'link')} union all ${due(db`checkout_sessions`, 'session')} order by at, id limit 1`;
  return row ?? null;
}
