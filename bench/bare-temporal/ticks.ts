import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Pool } from '../../src/db/connection.ts';
import { realNow } from '../../src/domain/real-time.ts';
import { inParallel, range } from '../bench.ts';
import { startChild, stopChild } from '../child.ts';
import { type DueRun, followCourse, NotAllHeld } from '../due-course.ts';
import type { Copy } from '../service.ts';

const taskQueue = 'bench-ticks';

export type TickKind = 'tickByActivity' | 'tickByLocalActivity';

/** Bare workflows on the server of the copy, with a worker process of their own. */
export interface BareTemporal {
  /** Lets so many workflows, each with a timer, fall due at one instant, and follows how their rows come in. */
  run(kind: TickKind, count: number, leadMs: number): Promise<DueRun>;
  stop(): Promise<void>;
}

/** Starts the worker and makes the table for the rows. */
export async function startBareTemporal(copy: Copy, temporal: Client, sql: Pool): Promise<BareTemporal> {
  await sql`create table if not exists bench_ticks (id text primary key)`;
  const { temporalAddress, databaseUrl } = copy;
  const args = [temporalAddress, temporal.options.namespace, taskQueue, databaseUrl];
  const worker: ChildProcess = await startChild('./bare-temporal/worker.ts', { args });

  return {
    async run(kind, count, leadMs) {
      const begun = performance.now();
      const prefix = `${kind}/${randomUUID()}/`;
      const dueAt = Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000;
      await inParallel(range(count), 40, async (index) => {
        const id = `${prefix}${index}`;
        await temporal.workflow.start(kind, { taskQueue, workflowId: id, args: [id, dueAt] });
      });
      // The last ones must have had their first task too, which starts their timer.
      if (realNow().getTime() > dueAt - 1500) throw new NotAllHeld(`${count} bare workflows were not started in time`);
      const preparedMs = performance.now() - begun;
      const course = await followCourse(dueAt, count, async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::integer as count from bench_ticks where id like ${`${prefix}%`}`;
        return row?.count ?? 0;
      });
      return { course, preparedMs };
    },
    async stop() {
      await stopChild(worker);
      await sql`drop table bench_ticks`;
    },
  };
}
