import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { OpenChange } from '../domain/subscriptions/changes.ts';
import type { SubscriptionItem } from '../domain/subscriptions/lines.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';

/** A change of what a subscription sells, requested for the period under way. */
export interface SubscriptionChangeRow extends OpenChange {
  subscription_id: Id<'subscription'>;
  /** From 1. */
  number: number;
  items: SubscriptionItem[];
  status: 'processing' | 'made' | 'failed' | 'credited';
  /** When it was requested. */
  changed_at: CustomerInstant;
}

/** Inserts a change of a locked subscription, with the next number. */
export async function insertSubscriptionChange(tx: Tx, row: Omit<SubscriptionChangeRow, 'number'>): Promise<void> {
  const [last] = await tx<{ number: number }[]>`
    select coalesce(max(number), 0) as number from subscription_changes where subscription_id = ${row.subscription_id}`;
  const number = (last?.number ?? 0) + 1;
  const json = { items: jsonb(tx, row.items), lines: jsonb(tx, row.lines) };
  await tx`insert into subscription_changes ${tx({ ...row, ...json, number })}`;
}

/** Inserts a change that is made without a payment. */
export async function insertFreeChange(
  tx: Tx,
  row: Pick<SubscriptionChangeRow, 'subscription_id' | 'period' | 'items' | 'proration' | 'lines'>,
  at: CustomerInstant,
): Promise<void> {
  const free = { amount_cents: 0, payment_intent_id: null, status: 'made' } as const;
  await insertSubscriptionChange(tx, { ...row, ...free, changed_at: at });
}

/** The change that a payment intent pays, or null. */
export async function selectChangeOfIntent(db: Db, intentId: string): Promise<SubscriptionChangeRow | null> {
  const [row] = await db<SubscriptionChangeRow[]>`
    select * from subscription_changes where payment_intent_id = ${intentId}`;
  return row ?? null;
}

/** Records the result of a change. */
export async function updateSubscriptionChange(
  tx: Tx,
  { subscription_id: id, number }: SubscriptionChangeRow,
  status: SubscriptionChangeRow['status'],
): Promise<void> {
  await tx`update subscription_changes set status = ${status} where subscription_id = ${id} and number = ${number}`;
}

/** A page of the changes of a subscription, newest first, with one extra row if more follow. */
export async function listSubscriptionChanges(
  db: Db,
  subscriptionId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<SubscriptionChangeRow[]> {
  return db<SubscriptionChangeRow[]>`
    select * from subscription_changes
    where subscription_id = ${subscriptionId} ${before === undefined ? db`` : db`and number < ${before}`}
    order by number desc
    limit ${limit + 1}`;
}
