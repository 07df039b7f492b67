import type { Id } from '../domain/ids.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** Whether live charges may be made, and up to where the processor's movements were compared with this database. */
export interface LiveChargingRow {
  /** The processor's own mark; null before the first comparison. */
  cursor: string | null;
  compared_at: RealInstant | null;
  held_at: RealInstant | null;
}

/** Something that the live processor has done. `idempotency_key` is an attempt's or a refund's. */
export interface MovementRow {
  kind: 'charge' | 'refund';
  idempotency_key: string;
  reference: string | null;
  payment_intent_id: Id<'payment_intent'>;
  amount: MinorUnits;
  currency: string;
}

/** The list of the live processor is compared again after this time. */
const comparedAgainAfterSeconds = 15;

export async function selectLiveCharging(
  db: Db,
): Promise<Pick<LiveChargingRow, 'cursor'> & { isComparedLately: boolean }> {
  const [row] = await db<{ cursor: string | null; is_lately: boolean | null }[]>`
    select cursor, compared_at > clock_timestamp() - make_interval(secs => ${comparedAgainAfterSeconds}) as is_lately
    from live_charging`;
  return { cursor: row?.cursor ?? null, isComparedLately: row?.is_lately === true };
}

/**
 * Records what the processor has done between two cursors, as far as this database does not know it. Holds live
 * charging if it does not know the attempt or the refund either: the database was then restored from a back-up. Notes
 * which reservations were charged, with how much, and which refunds were made: a row that says otherwise breaks an
 * invariant. Apart from that, it does nothing if another process has compared this part.
 * @returns whether charging is held now because of this part.
 */
export async function recordCompared(
  tx: Tx,
  part: { from: string | null; to: string; isLast: boolean; movements: readonly MovementRow[] },
): Promise<boolean> {
  const { from, to, isLast, movements } = part;
  const [row] = await tx<{ holds: boolean }[]>`
    with movement as (
      select * from jsonb_to_recordset(${jsonb(tx, movements)}) as m (
        kind text, idempotency_key text, reference text, payment_intent_id text, amount bigint, currency text)
    ), unknown as (
      insert into unknown_movements (kind, idempotency_key, reference, payment_intent_id, amount, currency)
      select * from movement m
      where case when m.kind = 'charge'
        then not exists (select from payment_reservations where livemode and reference = m.reference)
        else not exists (select from refunds where id = m.idempotency_key) end
      on conflict do nothing
      returning *
    ), taken as (
      update payment_reservations r set taken_at = clock_timestamp(), taken_amount = m.amount from movement m
      where m.kind = 'charge' and r.livemode and r.reference = m.reference and r.taken_at is null
    ), given_back as (
      update refunds r set listed_at = clock_timestamp() from movement m
      where m.kind = 'refund' and r.livemode and r.id = m.idempotency_key and r.listed_at is null
    ), verdict as (
      select exists (
        select from unknown u
        where u.kind = 'refund'
          or not exists (select from payment_attempts where id = u.subject_id)
      ) as holds
    )
    insert into live_charging as c (cursor, listed_since, compared_at, held_at)
    select to_cursor, clock_timestamp(), case when ${isLast} then clock_timestamp() end,
      case when holds then clock_timestamp() end
    from verdict, (select ${to}::text as to_cursor) mark
    on conflict (one) do update set
      cursor = excluded.cursor,
      listed_since = coalesce(c.listed_since, excluded.listed_since),
      compared_at = coalesce(excluded.compared_at, c.compared_at),
      held_at = coalesce(c.held_at, excluded.held_at)
    where c.cursor is not distinct from ${from}
    returning (select holds from verdict)`;
  return row?.holds === true;
}

/** The charge of an attempt that the live processor has made and this database does not know, or null. */
export async function selectUnknownCharge(db: Db, attemptId: string): Promise<MovementRow | null> {
  const [row] = await db<MovementRow[]>`
    select kind, idempotency_key, reference, payment_intent_id, amount, currency from unknown_movements
    where kind = 'charge' and subject_id = ${attemptId}
    order by idempotency_key desc
    limit 1`;
  return row ?? null;
}

/** Holds live charging, or releases it. Returns whether that changed anything. */
export async function updateHold(tx: Tx, isHeld: boolean): Promise<boolean> {
  const rows = await tx`
    insert into live_charging as c (held_at)
    select ${isHeld ? tx`clock_timestamp()` : tx`null::timestamptz`}
    where ${isHeld} or exists (select from live_charging)
    on conflict (one) do update set held_at = excluded.held_at
    where (c.held_at is null) = ${isHeld}
    returning one`;
  return rows.length > 0;
}

/** What the processor has done and this database does not know, oldest first: the first few, and how many. */
export async function listUnknownMovements(db: Db, limit: number): Promise<(MovementRow & { count: number })[]> {
  return db<(MovementRow & { count: number })[]>`
    select kind, idempotency_key, reference, payment_intent_id, amount, currency, count(*) over ()::integer as count
    from unknown_movements u
    where case when u.kind = 'refund' then not exists (select from refunds where id = u.subject_id)
      else not exists (select from payment_attempts where id = u.subject_id) end
    order by found_at, idempotency_key
    limit ${limit}`;
}
