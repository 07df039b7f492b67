import { setTimeout as pause } from 'node:timers/promises';
import { addMs } from '../../domain/instants.ts';
import { all } from '../../platform/all-settled.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { sideOf, type WorkflowSides } from '../sides/workflow-sides.ts';
import { findFullDatabase } from './database.ts';
import { explain } from './explain.ts';
import { endpointFailsForSeconds, type LatelyFailing, listLatelyFailing } from './kinds/webhooks.ts';
import { kindNamed, rowKinds, sessionKinds } from './kinds.ts';
import { findUnreachable, listeners } from './listeners.ts';
import { readBounded, whyUnreadable } from './reading/bounded-reading.ts';
import { findKind, findStuck, notReadable, reportUnread, type StuckReport } from './reading/find-stuck.ts';
import { findRefusedWrites, refusedWrites } from './refused-writes.ts';
import { findStuckWorkflows, unansweredKinds, workerMissing } from './workflows.ts';

/** How many endpoints that fail lately are shown. */
const failingLatelyShown = 20;

/**
 * The endpoints that have only failed, for less than a day. They are not stuck, but operators are told of them. None
 * while their table is held: `not_readable` says so.
 */
export async function findFailingLately(sql: Pool, now: RealInstant): Promise<LatelyFailing[]> {
  const after = addMs(now, -endpointFailsForSeconds * 1000);
  try {
    return await readBounded(sql, (tx) => listLatelyFailing(tx, after, failingLatelyShown));
  } catch (error) {
    if (whyUnreadable(error) === null) throw error;
    return [];
  }
}

/**
 * All that is stuck, according to PostgreSQL, Temporal, API and pages, and why: a report for each kind that could be
 * checked. First come the sessions of PostgreSQL: they are reported whatever else cannot be read. A listener without an
 * address is not asked.
 * @throws when PostgreSQL is not reachable. Anything else that is not reachable is one of the reports.
 */
export async function lookForStuck(
  sql: Pool,
  sides: WorkflowSides,
  now: RealInstant,
  { apiUrl = null, pagesUrl = null }: { apiUrl?: string | null; pagesUrl?: string | null } = {},
): Promise<StuckReport[]> {
  const sessions = await findSessions(sql, now);
  const [rows = [], workflows = [], ...others] = await all([
    findStuckRows(sql, now),
    findStuckWorkflows(sql, sides, now),
    apiUrl === null ? [] : findUnreachable(listeners.api, apiUrl).then((report) => [report]),
    pagesUrl === null ? [] : findUnreachable(listeners.pages, pagesUrl).then((report) => [report]),
  ]);
  // Its lock was too young when this began, if reading the tables then took long.
  const isHeld = rows.some(({ kind, count }) => kind === notReadable.kind && count > 0);
  const held = isHeld ? await findSessions(sql, await databaseNow(sql)) : sessions;
  const isReported = (kind: string, livemode: boolean | null) =>
    workflows.some((report) => report.kind === kind && report.found.some((found) => found.livemode === livemode));
  return explain([...held, ...rows, ...workflows, ...others.flat()], (stuck) => {
    const { temporal, livemode } = sideOf(sides, stuck.livemode);
    if (unansweredKinds.some((kind) => isReported(kind, livemode))) return null;
    return { temporal, hasWorker: !isReported(workerMissing.kind, livemode) };
  });
}

/**
 * What PostgreSQL says of its own sessions. Reads one kind after the other, so that one connection is enough.
 * @throws when PostgreSQL is not reachable.
 */
export async function findSessions(sql: Pool, now: RealInstant): Promise<StuckReport[]> {
  const reports: StuckReport[] = [];
  for (const kind of sessionKinds) reports.push(await findKind(sql, kind, now));
  return reports;
}

/**
 * What the tables say, in one report for each kind. If PostgreSQL does not give it in time, one report says so. Does
 * not throw if PostgreSQL goes away meanwhile.
 */
export function findStuckRows(sql: Pool, now: RealInstant): Promise<StuckReport[]> {
  return readInTime(async () => {
    const [found, full, refused] = await all([
      findStuck(sql, rowKinds, now),
      findFullDatabase(sql),
      findRefusedWrites(sql),
    ]);
    return [refused, ...(refused.count === 0 ? found : found.map(namingRefusedWrites)), full];
  });
}

/** The report, with the cause that is to be mended first: without it, no processor and no worker is to blame. */
function namingRefusedWrites(report: StuckReport): StuckReport {
  if (!kindNamed(report.kind)?.waitsForWrites) return report;
  const found = report.found.map((stuck) => ({
    ...stuck,
    why: `PostgreSQL refuses the service (${refusedWrites.kind}), so nothing can be recorded; otherwise: ${stuck.why}`,
    remedy: `First do what ${refusedWrites.kind} says, and look again. If it is still here: ${stuck.remedy}`,
  }));
  return { ...report, found };
}

/** An operator who looks waits this long for the tables. What holds them up is known before. */
const readingTimeoutMs = 12_000;

/** Returns what was read; or, if PostgreSQL was too slow or went away meanwhile, that it could not be read. */
async function readInTime(read: () => Promise<StuckReport[]>): Promise<StuckReport[]> {
  const late = new AbortController();
  const unread = (reason: string) => [reportUnread([{ kind: 'what the tables say', reason }])];
  try {
    return await Promise.race([
      read(),
      pause(readingTimeoutMs, unread(`no response within ${readingTimeoutMs / 1000} s`), { signal: late.signal }),
    ]);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return unread(error instanceof Error ? error.message : String(error));
  } finally {
    late.abort();
  }
}
