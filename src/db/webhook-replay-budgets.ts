import type { Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { TenantKey } from './tenant.ts';

/**
 * Returns how much of the budget for a host is used at `now`. It is a leaky bucket that drains `perHour` deliveries an
 * hour. Locks the bucket until the transaction ends. If this process's clock is behind, the bucket's time does not go
 * backwards.
 */
export async function lockReplayBudget(
  tx: Tx,
  tenant: TenantKey,
  host: string,
  { perHour, now }: { perHour: number; now: RealInstant },
): Promise<number> {
  const [row] = await tx<[{ used: number }]>`
    insert into webhook_replay_budgets as b (biller_id, livemode, host, used, as_of)
    values (${tenant.billerId}, ${tenant.livemode}, ${host}, 0, ${now})
    on conflict (biller_id, livemode, host) do update set
      used = greatest(0, b.used - ${perHour}::double precision / 3600
        * greatest(0, extract(epoch from excluded.as_of - b.as_of)::double precision)),
      as_of = greatest(b.as_of, excluded.as_of)
    returning used`;
  return row.used;
}

/** Takes `count` deliveries from a budget. Lock it with `lockReplayBudget` first. */
export async function takeFromReplayBudget(tx: Tx, tenant: TenantKey, host: string, count: number): Promise<void> {
  await tx`
    update webhook_replay_budgets set used = used + ${count}
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and host = ${host}`;
}
