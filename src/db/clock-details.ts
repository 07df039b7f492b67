import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { countsForBound } from './payment-plans.ts';
import type { Page, TenantKey } from './tenant.ts';
import type { ClockAdvanceRow, TestClockRow } from './test-clocks.ts';

/** A test clock with everything else that the API shows of it, from one consistent read. */
export interface TestClockDetailRow extends TestClockRow {
  last_advance:
    | (Omit<ClockAdvanceRow, 'test_clock_id' | 'request_id' | 'failure_reason'> & {
        webhook_deliveries: DeliveryCounts;
      })
    | null;
  /** The frequencies of its active plans and subscriptions. */
  frequencies: { frequencyType: 'weekly' | 'monthly'; frequencyPeriod: number }[];
  /** The number of deliveries of its events, by status. */
  webhook_deliveries: DeliveryCounts;
  /** The failed ones whose endpoint was not deleted since: a biller can still do something about them. */
  failed_to_present: number;
}

interface DeliveryCounts {
  pending: number;
  delivered: number;
  failed: number;
}

/**
 * The last advance, flattened; all null if there was none. The aliases `advance_id`, `to_time` and `advance_status` are
 * the columns `id`, `target_time` and `status` of `clock_advances`.
 */
type Flat = TestClockRow &
  Pick<TestClockDetailRow, 'frequencies' | 'webhook_deliveries' | 'failed_to_present'> & {
    advance_id: Id<'clock_advance'> | null;
    from_time: CustomerInstant;
    to_time: CustomerInstant;
    advance_status: ClockAdvanceRow['status'];
    manifest: ClockAdvanceRow['manifest'];
    requested_at: RealInstant;
    finished_at: RealInstant | null;
    advance_deliveries: DeliveryCounts;
  };

/** The clock of this biller and mode, or null. */
export async function selectClockDetails(db: Db, tenant: TenantKey, id: string): Promise<TestClockDetailRow | null> {
  const [row] = await db<Flat[]>`
    select ${details(db)}
    where k.id = ${id} and k.biller_id = ${tenant.billerId} and k.livemode = ${tenant.livemode}`;
  return row === undefined ? null : withAdvance(row);
}

/** A page of clocks, newest first, with one extra row if more follow. */
export async function listClocks(db: Db, tenant: TenantKey, { limit, after }: Page): Promise<TestClockDetailRow[]> {
  const rows = await db<Flat[]>`
    select ${details(db)}
    where k.biller_id = ${tenant.billerId} and k.livemode = ${tenant.livemode}
      ${after === undefined ? db`` : db`and k.id < ${after}`}
    order by k.id desc
    limit ${limit + 1}`;
  return rows.map(withAdvance);
}

/** The number of the deliveries `d`, by status. */
const counts = (db: Db) => db`jsonb_build_object(
  'pending', count(*) filter (where d.status = 'pending'),
  'delivered', count(*) filter (where d.status = 'delivered'),
  'failed', count(*) filter (where d.status = 'failed')
)`;

/**
 * The events of the last advance are those after the time at which it started, up to the `test_clock.ready` that ended
 * it: while a clock advances, nothing else writes about its customers.
 */
function details(db: Db) {
  return db`k.*, a.id as advance_id, a.from_time, a.target_time as to_time, a.status as advance_status, a.manifest,
      a.requested_at, a.finished_at,
      coalesce((
        select jsonb_agg(
          distinct jsonb_build_object('frequencyType', frequency_type, 'frequencyPeriod', frequency_period))
        from (
          select frequency_type, frequency_period from payment_plans where test_clock_id = k.id and state = 'active'
          union select 'monthly', 1 from subscriptions where test_clock_id = k.id and ${countsForBound(db)}
        ) counting
      ), '[]') as frequencies,
      (
        select ${counts(db)}
        from events e join webhook_deliveries d on d.event_id = e.id
        where e.test_clock_id = k.id
      ) as webhook_deliveries,
      (
        select count(*)::integer
        from events e
        join webhook_deliveries d on d.event_id = e.id and d.status = 'failed'
        join webhook_endpoints w on w.id = d.endpoint_id and w.deleted_at is null
        where e.test_clock_id = k.id
      ) as failed_to_present,
      (
        select ${counts(db)}
        from events e join webhook_deliveries d on d.event_id = e.id
        where e.test_clock_id = k.id and e.created_at > a.from_time and e.created_at <= a.target_time
          and not exists (
            select 1 from events ready
            where ready.test_clock_id = k.id and ready.event_type = 'test_clock.ready'
              and ready.created_at = a.target_time and ready.sequence < e.sequence
          )
      ) as advance_deliveries
    from test_clocks k
    left join lateral (
      select * from clock_advances where test_clock_id = k.id order by target_time desc limit 1
    ) a on true`;
}

function withAdvance(flat: Flat): TestClockDetailRow {
  const { advance_id, from_time, to_time, advance_status, manifest, requested_at, finished_at, ...others } = flat;
  const { advance_deliveries, ...clock } = others;
  if (advance_id === null) return { ...clock, last_advance: null };
  const last = { id: advance_id, from_time, target_time: to_time, status: advance_status, manifest };
  return { ...clock, last_advance: { ...last, requested_at, finished_at, webhook_deliveries: advance_deliveries } };
}
