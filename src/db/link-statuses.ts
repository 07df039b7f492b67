import type { CustomerInstant } from '../domain/instants.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { clockTimes, type OwnerRow } from './subject-statuses.ts';

/** The status of a link or a session in one row: what its workflow needs to decide what to wait for. */
export interface LinkStatusRow extends OwnerRow {
  status: string;
  status_reason: string | null;
  expires_at: CustomerInstant | null;
  wake_at: CustomerInstant | null;
  failed_attempts: number;
  updated_at: CustomerInstant;
}

/** The status of a payment link, or null if it was deleted. */
export async function selectLinkStatus(db: Db, id: string): Promise<LinkStatusRow | null> {
  const [row] = await db<LinkStatusRow[]>`
    select l.biller_id, l.livemode, l.customer_id, l.test_clock_id, l.status, l.status_reason, l.expires_at, l.wake_at,
      0 as failed_attempts, l.updated_at, ${clockTimes(db)}
    from payment_links l
    left join test_clocks k on k.id = l.test_clock_id
    where l.id = ${id}`;
  return row ?? null;
}

/** The status of a checkout session, or null if it was deleted. */
export async function selectSessionStatus(db: Db, id: string): Promise<LinkStatusRow | null> {
  const [row] = await db<LinkStatusRow[]>`
    select s.biller_id, s.livemode, s.customer_id, s.test_clock_id, s.status, s.status_reason, s.expires_at, s.wake_at,
      s.failed_attempts, s.updated_at, ${clockTimes(db)}
    from checkout_sessions s
    left join test_clocks k on k.id = s.test_clock_id
    where s.id = ${id}`;
  return row ?? null;
}
