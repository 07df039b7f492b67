import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** The uses of a span of time. */
export interface PageUse {
  used: number;
  ends_at: RealInstant;
}

/**
 * Counts one use of `subject` (32 bytes) in the present span of `spanSeconds`, by the clock of the database. Returns
 * how many uses the span has now, and when it ends.
 */
export async function addPageUse(db: Db, subject: Buffer, spanSeconds: number): Promise<PageUse> {
  const [row] = await db<PageUse[]>`
    insert into page_uses (subject, begins_at, used)
    values (${subject}, date_bin(make_interval(secs => ${spanSeconds}), now(), 'epoch'), 1)
    on conflict (subject, begins_at) do update set used = page_uses.used + 1
    returning used, begins_at + make_interval(secs => ${spanSeconds}) as ends_at`;
  if (row === undefined) throw new Error('an upsert returned no row');
  return row;
}

/** Takes back one use of the present span. A use of an earlier span has no effect. */
export async function removePageUse(db: Db, subject: Buffer, spanSeconds: number): Promise<void> {
  await db`
    update page_uses set used = used - 1
    where subject = ${subject} and used > 0
      and begins_at = date_bin(make_interval(secs => ${spanSeconds}), now(), 'epoch')`;
}

/** Removes what no limit looks at. */
export async function sweepPageUses(db: Db, now: RealInstant): Promise<void> {
  await db`delete from page_uses where begins_at < ${new Date(now.getTime() - 3_600_000)}`;
}
