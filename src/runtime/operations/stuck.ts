import type { Pool } from '../../db/connection.ts';
import { findStuck, type StuckReport } from '../../services/stuck.ts';
import { stuckDefinitions } from '../../services/stuck-definitions.ts';
import { all } from './all.ts';
import { explain } from './explain.ts';
import { findStuckWorkflows, type WorkflowSide, workflowDefinitions } from './stuck-workflows.ts';

/** The names of all kinds. */
export const stuckKinds: readonly string[] = [...stuckDefinitions, ...workflowDefinitions].map(({ kind }) => kind);

/**
 * All that is stuck, by PostgreSQL and by Temporal, and why: a report for each kind that could be looked for.
 * @throws when PostgreSQL does not answer; a Temporal that does not is one of the reports.
 */
export async function lookForStuck(sql: Pool, side: WorkflowSide, now: Date): Promise<StuckReport[]> {
  const [rows = [], workflows = []] = await all([findStuck(sql, stuckDefinitions, now), findStuckWorkflows(side, now)]);
  const countOf = (kind: string) => workflows.find((report) => report.kind === kind)?.count ?? 0;
  if (countOf('temporal_unreachable') > 0) return [...rows, ...workflows];
  return explain(side.temporal, [...rows, ...workflows], countOf('worker_missing') === 0);
}
