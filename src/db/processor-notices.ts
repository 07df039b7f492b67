import type { Id } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';

/** What a notice is about: the charge of a payment, its refunds, or a mandate. */
type NoticeKind = 'charge' | 'refund' | 'mandate';

/** A hint of the live processor, as it was read. */
export interface HeardNotice {
  kind: NoticeKind;
  /** The processor's reference of the payment; of a mandate its own. */
  reference: string;
  biller_id: string;
}

/** A hint about a payment of this database, about which the processor was not asked yet. */
export interface ProcessorNoticeRow {
  kind: NoticeKind;
  reference: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
  /** How often it was heard so far. */
  heard: number;
  tries: number;
}

/** A reader that does not say within this time that it goes on has died. */
const turnSeconds = 10;
/** The first pause between two tries, in seconds. It doubles with each, up to the longest. */
const firstPauseSeconds = 10;
const longestPauseSeconds = 300;
/** Notices that one process asks about at a time. */
const mostAtOnce = 16;

/**
 * Takes the turn to read notices, or keeps it. Returns the position to read from, or null if another process has the
 * turn.
 */
export async function takeReadingTurn(db: Db, by: string): Promise<{ cursor: string | null } | null> {
  const [row] = await db<{ cursor: string | null }[]>`
    insert into processor_notices_position as p (held_by, held_until)
    values (${by}, clock_timestamp() + make_interval(secs => ${turnSeconds}))
    on conflict (one) do update set held_by = excluded.held_by, held_until = excluded.held_until
    where p.held_by is null or p.held_by = ${by} or p.held_until < clock_timestamp()
    returning cursor`;
  return row ?? null;
}

/** Ends the turn, so that another process may read at once. */
export async function endReadingTurn(db: Db, by: string): Promise<void> {
  await db`update processor_notices_position set held_by = null, held_until = null where held_by = ${by}`;
}

/** Notes which accounts the acquirer refuses: these, and no others. An account that is no biller is left out. */
export async function recordRefused(db: Db, refused: readonly { billerId: string; reason: string }[]): Promise<void> {
  const rows = refused.map(({ billerId: biller_id, reason }) => ({ biller_id, reason }));
  await db`
    with told as (
      select distinct on (biller_id) biller_id, reason
      from jsonb_to_recordset(${jsonb(db, rows)}) as t (biller_id text, reason text)
      where exists (select from billers b where b.id = t.biller_id)
    ), over as (
      delete from refused_accounts r where not exists (select from told where told.biller_id = r.biller_id)
    )
    insert into refused_accounts as r (biller_id, reason) select biller_id, reason from told
    on conflict (biller_id) do update set reason = excluded.reason where r.reason <> excluded.reason`;
}

/**
 * Stores the notices between two positions, and the new position with them. A notice that names a payment or a mandate
 * that this database does not know, or another biller's, is left out. Does nothing if another process has read this
 * part.
 */
export async function recordHeard(
  tx: Tx,
  part: { from: string | null; to: string; notices: readonly HeardNotice[] },
): Promise<void> {
  const { from, to, notices } = part;
  const moved = await tx`
    update processor_notices_position set cursor = ${to} where cursor is not distinct from ${from} returning one`;
  if (moved.length === 0) return;
  await tx`
    insert into processor_notices as n (kind, reference, biller_id, livemode)
    with heard as (
      select * from jsonb_to_recordset(${jsonb(tx, notices)}) as h (kind text, reference text, biller_id text)
    )
    select distinct h.kind, h.reference, i.biller_id, i.livemode
    from heard h
    join payment_reservations r on r.livemode and r.reference = h.reference
    join payment_attempts a on a.id = r.attempt_id
    join payment_intents i on i.id = a.payment_intent_id and i.livemode and i.biller_id = h.biller_id
    where h.kind <> 'mandate'
    union
    select h.kind, h.reference, m.biller_id, m.livemode
    from heard h
    join mandates m on m.livemode and m.biller_id = h.biller_id and m.reference = h.reference
    where h.kind = 'mandate'
    on conflict (kind, reference) do update set
      heard = n.heard + 1, tries = 0, next_try_at = clock_timestamp(), heard_at = clock_timestamp()`;
}

/**
 * Takes notices that are due, the oldest first: no other process gets them until the pause after this try is over. So a
 * process that dies loses none.
 */
export async function takeDueNotices(db: Db): Promise<ProcessorNoticeRow[]> {
  return db<ProcessorNoticeRow[]>`
    update processor_notices
    set tries = tries + 1, next_try_at = clock_timestamp() + make_interval(
      secs => least(${longestPauseSeconds}, ${firstPauseSeconds} * power(2, least(tries, 10))))
    where (kind, reference) in (
      select kind, reference from processor_notices
      where next_try_at <= clock_timestamp()
      order by next_try_at
      limit ${mostAtOnce}
      for update skip locked
    )
    returning kind, reference, biller_id, livemode, heard, tries`;
}

/** Removes a notice about which the processor was asked. One that was heard again meanwhile stays. */
export async function removeNotice(db: Db, { kind, reference, heard }: ProcessorNoticeRow): Promise<void> {
  await db`delete from processor_notices where kind = ${kind} and reference = ${reference} and heard = ${heard}`;
}
