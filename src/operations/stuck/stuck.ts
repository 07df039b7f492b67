import { addMs } from '../../domain/instants.ts';
import { all } from '../../platform/all-settled.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { sideOf, type WorkflowSides } from '../sides/workflow-sides.ts';
import { limitMet, notReadable, readBounded } from './bounded-reading.ts';
import { findFullDatabase, fullDatabase } from './database.ts';
import { endpointFailsForSeconds, stuckDefinitions } from './definitions.ts';
import { explain } from './explain.ts';
import { findStuck, type StuckReport } from './find-stuck.ts';
import { findUnreachable, listeners } from './listeners.ts';
import { type LatelyFailing, listLatelyFailing } from './queries/webhooks.ts';
import { findStuckWorkflows, workflowDefinitions } from './workflows.ts';

/** The names of all kinds. */
export const stuckKinds: readonly string[] = [
  ...stuckDefinitions,
  ...workflowDefinitions,
  notReadable,
  fullDatabase,
  listeners.api.definition,
  listeners.pages.definition,
].map(({ kind }) => kind);

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
    if (limitMet(error) === null) throw error;
    return [];
  }
}

/**
 * All that is stuck, according to PostgreSQL, Temporal, API and pages, and why: a report for each kind that could be
 * checked. A listener without an address is not asked.
 * @throws when PostgreSQL is not reachable. Anything else that is not reachable is one of the reports.
 */
export async function lookForStuck(
  sql: Pool,
  sides: WorkflowSides,
  now: RealInstant,
  { apiUrl = null, pagesUrl = null }: { apiUrl?: string | null; pagesUrl?: string | null } = {},
): Promise<StuckReport[]> {
  await sql`select`; // one timeout instead of one for each query, if PostgreSQL does not respond
  const [rows = [], workflows = [], ...others] = await all([
    findStuck(sql, stuckDefinitions, now),
    findStuckWorkflows(sql, sides, now),
    findFullDatabase(sql).then((report) => [report]),
    apiUrl === null ? [] : findUnreachable(listeners.api, apiUrl).then((report) => [report]),
    pagesUrl === null ? [] : findUnreachable(listeners.pages, pagesUrl).then((report) => [report]),
  ]);
  const isReported = (kind: string, livemode: boolean | null) =>
    workflows.some((report) => report.kind === kind && report.found.some((found) => found.livemode === livemode));
  return explain([...rows, ...workflows, ...others.flat()], (stuck) => {
    const { temporal, livemode } = sideOf(sides, stuck.livemode);
    if (isReported('temporal_unreachable', livemode)) return null;
    return { temporal, hasWorker: !isReported('worker_missing', livemode) };
  });
}
