import { all } from '../../platform/all-settled.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { stuckDefinitions } from './definitions.ts';
import { explain } from './explain.ts';
import { findStuck, type StuckReport } from './find-stuck.ts';
import { findStuckWorkflows, type WorkflowSide, workflowDefinitions } from './workflows.ts';

/** The names of all kinds. */
export const stuckKinds: readonly string[] = [...stuckDefinitions, ...workflowDefinitions].map(({ kind }) => kind);

/**
 * All that is stuck, according to PostgreSQL and Temporal, and why: a report for each kind that could be checked.
 * @throws when PostgreSQL is not reachable. If Temporal is not reachable, that is one of the reports.
 */
export async function lookForStuck(sql: Pool, side: WorkflowSide, now: Date): Promise<StuckReport[]> {
  const [rows = [], workflows = []] = await all([findStuck(sql, stuckDefinitions, now), findStuckWorkflows(side, now)]);
  const countOf = (kind: string) => workflows.find((report) => report.kind === kind)?.count ?? 0;
  if (countOf('temporal_unreachable') > 0) return [...rows, ...workflows];
  return explain(side.temporal, [...rows, ...workflows], countOf('worker_missing') === 0);
}
