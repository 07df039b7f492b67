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
