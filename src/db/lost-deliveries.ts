import type { Db } from '../platform/postgres/connection.ts';

/**
 * Notes deliveries that have a workflow and no row. Leaves out what cannot be one: no endpoint shares the end of its id
 * (`deliveryId`).
 */
export async function noteLostDeliveries(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db`
    insert into lost_deliveries (id)
    select i.id from unnest(${[...ids]}::text[]) as i (id)
    where i.id ~ '^whd_[0-9A-Za-z]{32}$'
      and exists (select from webhook_endpoints w where right(w.id, 10) = right(i.id, 10))
    on conflict do nothing`;
}

/** Which of these deliveries have no row. */
export async function listWithoutRow(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select i.id from unnest(${[...ids]}::text[]) as i (id)
    where not exists (select from webhook_deliveries d where d.id = i.id)`;
  return rows.map(({ id }) => id);
}

/** Forgets those that have a row again, and those that were noted over a week ago. */
export async function forgetLostDeliveries(db: Db): Promise<void> {
  await db`
    delete from lost_deliveries l
    where noted_at < clock_timestamp() - interval '7 days'
      or exists (select from webhook_deliveries d where d.id = l.id)`;
}
