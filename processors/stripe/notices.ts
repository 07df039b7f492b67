// What Stripe has told of on its own: stored when it comes, and read by the service.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import type { Answer, For, NoticesBody } from './protocol.ts';
import type { Hint } from './stripe-events.ts';

/** A notice as it came. Its text is what Stripe has signed. */
interface Notice extends For, Hint {
  /** Stripe's id of the event. */
  event: string;
  type: string;
  body: string;
}

/** Stores a notice, once. Resolves when it is committed. */
export type RecordNotice = (notice: Notice) => Promise<void>;

/** Notices in one answer, and in one transaction. */
const pageSize = 500;
const mostWaitMs = 30_000;
/** How often a waiting answer looks: another process may have received the notice. */
const lookEveryMs = 200;
const keptFor = '90 days';
/** What is read again if the row of a cursor is gone: this database was restored from a back-up, or it was swept. */
const overlap = '10 minutes';
/** The lock under which notices are numbered: a reader that has seen a number has seen all lower ones. */
const numbering = 7_266_340;

/** Returns what stores notices. Those that come while others are written are written together. */
export function openNoticeWriter(db: Pool): RecordNotice {
  let waiting: { notice: Notice; done: () => void; failed: (error: unknown) => void }[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, pageSize);
      waiting = waiting.slice(pageSize);
      const notices = batch.map(({ notice }) => notice);
      try {
        await insertNotices(db, notices);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    isWriting = false;
  }

  return (notice) => {
    const written = new Promise<void>((done, failed) => void waiting.push({ notice, done, failed }));
    if (!isWriting) void write();
    return written;
  };
}

/**
 * Answers `/notices`: what came after a cursor, and which accounts Stripe refuses. Waits for the first, half a minute
 * at most or until `isOver`.
 */
export async function readNotices(db: Pool, { livemode, after }: NoticesBody, isOver: () => boolean): Promise<Answer> {
  const from = await positionOf(db, livemode, after);
  let page = await noticesAfter(db, livemode, from);
  for (let waited = 0; page.length === 0 && after !== null && waited < mostWaitMs; waited += lookEveryMs) {
    if (isOver()) break;
    await pause(lookEveryMs);
    page = await noticesAfter(db, livemode, from);
  }
  const shown = page.slice(0, pageSize);
  return {
    status: 200,
    body: {
      notices: shown.map(({ kind, reference, account }) => ({ kind, reference, account })),
      cursor: shown.at(-1)?.cursor ?? after ?? (await endOf(db, from)),
      has_more: page.length > pageSize,
      refused: await refusedAccounts(db, livemode),
    },
  };
}

/** The accounts that Stripe refuses at present, with the reason for operators. */
async function refusedAccounts(db: Pool, livemode: boolean): Promise<{ account: string; reason: string }[]> {
  return db<{ account: string; reason: string }[]>`
    select account, coalesce(reason, 'degraded') as reason from processor_stripe.accounts
    where livemode = ${livemode} and status = 'degraded' order by account`;
}

/** Deletes the notices that are older than 90 days. */
export async function sweepNotices(db: Pool): Promise<void> {
  await db`delete from processor_stripe.notices where received_at < clock_timestamp() - ${keptFor}::interval`;
}

async function insertNotices(db: Pool, notices: readonly Notice[]): Promise<void> {
  const rows = notices.map(({ account, livemode, event, type, kind, reference, body }) => {
    return { account, livemode, event, type, kind, reference, body };
  });
  await atomically(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(${numbering})`;
    await tx`insert into processor_stripe.notices ${tx(rows)} on conflict do nothing`;
  });
}

type Listed = Hint & { account: string; cursor: string };

/** A cursor is the number of a notice and when it came, in microseconds since 1970. */
function cursorIn(db: Pool) {
  return db`serial || '.' || (extract(epoch from received_at) * 1000000)::bigint as cursor`;
}

/** One more than a page, if more follow. */
async function noticesAfter(db: Pool, livemode: boolean, serial: number): Promise<Listed[]> {
  return db<Listed[]>`
    select kind, reference, account, ${cursorIn(db)} from processor_stripe.notices
    where livemode = ${livemode} and serial > ${serial}
    order by serial
    limit ${pageSize + 1}`;
}

async function endOf(db: Pool, serial: number): Promise<string> {
  const [row] = await db<{ cursor: string }[]>`
    select ${cursorIn(db)} from processor_stripe.notices where serial = ${serial}`;
  return row?.cursor ?? '0.0';
}

/**
 * The number after which a cursor goes on. If its row is gone, or is another notice's, the list goes on at the time of
 * it, with an overlap: a notice that is read twice does no harm.
 */
async function positionOf(db: Pool, livemode: boolean, cursor: string | null): Promise<number> {
  if (cursor === null) {
    const [end] = await db<{ serial: number }[]>`
      select coalesce(max(serial), 0) as serial from processor_stripe.notices where livemode = ${livemode}`;
    return end?.serial ?? 0;
  }
  const [, serial = '0', at = '0'] = /^(\d{1,15})\.(\d{1,17})$/.exec(cursor) ?? [];
  const [row] = await db<{ serial: number | null }[]>`
    select coalesce(
      (select serial from processor_stripe.notices
       where serial = ${Number(serial)} and (extract(epoch from received_at) * 1000000)::bigint = ${at}::bigint),
      (select min(serial) - 1 from processor_stripe.notices
       where livemode = ${livemode} and received_at >= to_timestamp(${at}::numeric / 1000000) - ${overlap}::interval),
      (select max(serial) from processor_stripe.notices), 0
    ) as serial`;
  return row?.serial ?? 0;
}
