import type { Pool } from '../db/connection.ts';
import { realNow } from '../domain/real-time.ts';
import type { Standing } from '../domain/standing.ts';
import type { Processors } from '../processors/processor.ts';
import { collectDuePayment } from '../services/plan-collection.ts';
import { collectScheduledPayment } from '../services/scheduled-payments.ts';
import { planStanding, scheduleStanding } from '../services/standings.ts';
import { carryOut } from './failures.ts';

export interface CollectionDeps {
  sql: Pool;
  processors: Processors;
}

export type CollectionActivities = ReturnType<typeof createCollectionActivities>;

type Read = (sql: Pool, id: string) => Promise<Standing>;
type Collect = (sql: Pool, processors: Processors, id: string, time: { at: Date; now: Date }) => Promise<void>;

/** What the workflows of plans and scheduled payments do; each may be repeated at any time. */
export function createCollectionActivities({ sql, processors }: CollectionDeps) {
  /** Collects what is due at `at` (epoch ms, the workflow's time), one payment at most, and tells what comes next. */
  async function collect(id: string, at: number, read: Read, act: Collect): Promise<Standing> {
    const standing = await read(sql, id);
    const { clockTime, clockLimit } = standing;
    // The workflow remembers a later time than the database, which was restored: it is to go back first.
    if (clockLimit !== null && at > clockLimit) return standing;
    const now = realNow();
    const instant = new Date(Math.max(at, clockTime ?? now.getTime()));
    await act(sql, processors, id, { at: instant, now });
    return read(sql, id);
  }

  return {
    readPlan: (id: string) => carryOut(() => planStanding(sql, id)),
    collectPlan: (id: string, at: number) => carryOut(() => collect(id, at, planStanding, collectDuePayment)),
    readScheduledPayment: (id: string) => carryOut(() => scheduleStanding(sql, id)),
    collectScheduledPayment: (id: string, at: number) =>
      carryOut(() => collect(id, at, scheduleStanding, collectScheduledPayment)),
  };
}
