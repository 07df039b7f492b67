import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { PeriodNumber } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { AttemptOutcome } from './payment-attempts.ts';
import { clockTimes, type OwnerRow } from './subject-statuses.ts';
import type { SubscriptionPeriodRow } from './subscription-periods.ts';
import type { SubscriptionRow } from './subscriptions.ts';

/**
 * The status of a subscription in one row: what its workflow needs to decide what to wait for, and to show on the
 * operator page. `period`, `period_status`, `failures` and `payment_intent_id` are of the period that is owed.
 */
export interface SubscriptionStatusRow extends SubscriptionRow, Pick<OwnerRow, 'frozen_time' | 'clock_limit'> {
  wake_at: CustomerInstant | null;
  /** Whether the bank has the debit whose step is due first (`outcome` of its attempt). Null if none is under way. */
  debit_outcome: AttemptOutcome | null;
  period: PeriodNumber | null;
  period_status: SubscriptionPeriodRow['status'] | null;
  failures: number | null;
  payment_intent_id: Id<'payment_intent'> | null;
  /** When the last attempt was made. */
  last_attempt_at: CustomerInstant | null;
}

/** The status of a subscription, or null if it was deleted. */
export async function selectSubscriptionStatus(db: Db, id: string): Promise<SubscriptionStatusRow | null> {
  const [row] = await db<SubscriptionStatusRow[]>`
    select s.*, ${clockTimes(db)}, p.number as period, p.status as period_status, p.failures,
      p.payment_intent_id, a.at as last_attempt_at, d.outcome as debit_outcome
    from subscriptions s
    left join test_clocks k on k.id = s.test_clock_id
    left join lateral (
      select number, status, failures, payment_intent_id from subscription_periods
      where subscription_id = s.id and status in ('processing', 'retrying', 'unpaid')
      order by array_position(array['retrying', 'unpaid', 'processing'], status), next_attempt_at, number
      limit 1
    ) p on true
    left join lateral (
      select a.outcome from bank_debits b
      join payment_attempts a on a.id = b.attempt_id
      where b.subscription_id = s.id and b.next_at = s.next_debit_at
      order by a.at, b.payment_intent_id, b.attempt_id
      limit 1
    ) d on true
    left join payment_intents i on i.id = p.payment_intent_id
    left join payment_attempts a on a.payment_intent_id = i.id and a.number = i.attempt_count
    where s.id = ${id}`;
  return row ?? null;
}
