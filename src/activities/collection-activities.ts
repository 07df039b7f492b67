import type { OperatorCommand } from '../messages/operator-command.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { realNow } from '../platform/real-time.ts';
import type { Processors } from '../processors/processor.ts';
import type { WorkflowTime } from '../services/customer-time.ts';
import { collectScheduledPayment } from '../services/payments/scheduled-payments.ts';
import { runPlanCommand, runScheduledPaymentCommand } from '../services/plans/operator-commands.ts';
import { collectDuePayment } from '../services/plans/plan-collection.ts';
import { planStatus, scheduledPaymentStatus } from '../services/plans/subject-status.ts';
import { carryOut } from './failures.ts';

export interface CollectionDeps {
  sql: Pool;
  processors: Processors;
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

export type CollectionActivities = ReturnType<typeof createCollectionActivities>;

type Read = (sql: Pool, id: string) => Promise<SubjectStatus>;
type Collect = (sql: Pool, processors: Processors, id: string, time: WorkflowTime & { now: Date }) => Promise<void>;

/** The activities of the workflows for plans and scheduled payments. Each can be repeated at any time. */
export function createCollectionActivities({ sql, processors, maxAheadMs }: CollectionDeps) {
  /**
   * Collects at most one payment that is due at `at` (epoch ms, the workflow's time). Returns the status afterwards.
   */
  async function collect(id: string, at: number, read: Read, act: Collect): Promise<SubjectStatus> {
    const standing = await read(sql, id);
    const { clockTime, clockLimit } = standing;
    // The workflow is ahead of the clock in the database, which was restored from a back-up. Return the status, so that
    // the workflow goes back first.
    if (clockLimit !== null && at > clockLimit) return standing;
    await act(sql, processors, id, { at: new Date(Math.max(at, clockTime ?? at)), now: realNow(), maxAheadMs });
    return read(sql, id);
  }

  return {
    readPlan: (id: string) => carryOut(sql, () => planStatus(sql, id)),
    collectPlan: (id: string, at: number) => carryOut(sql, () => collect(id, at, planStatus, collectDuePayment)),
    readScheduledPayment: (id: string) => carryOut(sql, () => scheduledPaymentStatus(sql, id)),
    collectScheduledPayment: (id: string, at: number) =>
      carryOut(sql, () => collect(id, at, scheduledPaymentStatus, collectScheduledPayment)),
    /** Execute an operator command. Each returns a sentence about the result. */
    pressPlan: (id: string, deed: OperatorCommand) => carryOut(sql, () => runPlanCommand(sql, id, deed, realNow())),
    pressScheduledPayment: (id: string, deed: OperatorCommand) =>
      carryOut(sql, () => runScheduledPaymentCommand(sql, id, deed, realNow())),
  };
}
