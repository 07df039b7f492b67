import type { Pool } from '../db/connection.ts';
import type { OperatorDeed } from '../domain/operator-deeds.ts';
import { realNow } from '../domain/real-time.ts';
import type { Standing } from '../domain/standing.ts';
import type { Processors } from '../processors/processor.ts';
import { pressPlan, pressScheduledPayment } from '../services/operator-deeds.ts';
import { collectDuePayment } from '../services/plan-collection.ts';
import { collectScheduledPayment } from '../services/scheduled-payments.ts';
import { planStanding, scheduleStanding } from '../services/standings.ts';
import type { WorkflowTime } from '../services/workflow-time.ts';
import { carryOut } from './failures.ts';

export interface CollectionDeps {
  sql: Pool;
  processors: Processors;
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

export type CollectionActivities = ReturnType<typeof createCollectionActivities>;

type Read = (sql: Pool, id: string) => Promise<Standing>;
type Collect = (sql: Pool, processors: Processors, id: string, time: WorkflowTime & { now: Date }) => Promise<void>;

/** What the workflows of plans and scheduled payments do; each may be repeated at any time. */
export function createCollectionActivities({ sql, processors, maxAheadMs }: CollectionDeps) {
  /** Collects what is due at `at` (epoch ms, the workflow's time), one payment at most, and tells what comes next. */
  async function collect(id: string, at: number, read: Read, act: Collect): Promise<Standing> {
    const standing = await read(sql, id);
    const { clockTime, clockLimit } = standing;
    // The workflow remembers a later time than the database, which was restored: it is to go back first.
    if (clockLimit !== null && at > clockLimit) return standing;
    await act(sql, processors, id, { at: new Date(Math.max(at, clockTime ?? at)), now: realNow(), maxAheadMs });
    return read(sql, id);
  }

  return {
    readPlan: (id: string) => carryOut(sql, () => planStanding(sql, id)),
    collectPlan: (id: string, at: number) => carryOut(sql, () => collect(id, at, planStanding, collectDuePayment)),
    readScheduledPayment: (id: string) => carryOut(sql, () => scheduleStanding(sql, id)),
    collectScheduledPayment: (id: string, at: number) =>
      carryOut(sql, () => collect(id, at, scheduleStanding, collectScheduledPayment)),
    /** What an operator has pressed; each answers in a sentence what came of it. */
    pressPlan: (id: string, deed: OperatorDeed) => carryOut(sql, () => pressPlan(sql, id, deed, realNow())),
    pressScheduledPayment: (id: string, deed: OperatorDeed) =>
      carryOut(sql, () => pressScheduledPayment(sql, id, deed, realNow())),
  };
}
