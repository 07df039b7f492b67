import { customerInstant } from '../../domain/instants.ts';
import type { SubjectKind } from '../../messages/subject-kinds.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { WorkflowTime } from '../customer-time.ts';
import { subjects } from './kinds.ts';

/**
 * Takes at most one step of a subject that is due at the workflow's time, such as a payment of a plan. Returns the
 * status afterwards. If the workflow is ahead of the clock in the database, which was restored from a back-up, nothing
 * is collected: the status makes the workflow go back first.
 */
export async function collectSubject(
  sql: Pool,
  processors: Processors,
  { kind, id }: { kind: SubjectKind; id: string },
  { at, maxAheadMs }: WorkflowTime,
): Promise<SubjectStatus> {
  const { read, collect } = subjects[kind];
  const status = await read(sql, id);
  const { clockTime, clockLimit } = status;
  if (clockLimit !== null && at.getTime() > clockLimit) return status;
  const customerTime = customerInstant(Math.max(at.getTime(), clockTime ?? at.getTime()));
  await collect(sql, processors, id, { at: customerTime, now: realNow(), maxAheadMs });
  return read(sql, id);
}
