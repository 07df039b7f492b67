import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { inParallel, range } from '../../lab/parallel.ts';
import type { ServiceCopy } from '../../lab/service.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startChild, stopChild } from '../child.ts';
import { type DueCourse, type DueRun, followCourse, NotAllTimersSet } from '../due-course.ts';

const taskQueue = 'bench-ticks';

/** Something that goes on while a course is followed, such as a look at memory. */
export type Watched = (follow: () => Promise<DueCourse>) => Promise<DueCourse>;

export type TickKind = 'tickByActivity' | 'tickByLocalActivity';

/** Bare workflows on the server of the copy, with a worker process of their own. */
export interface BareTemporal {
  /** The process id of the worker. */
  pid: number;
  /**
   * Lets so many workflows, each with a timer, fall due at one instant, and follows how their rows come in; `watched`
   * is around what is measured.
   */
  run(kind: TickKind, count: number, leadMs: number, watched?: Watched): Promise<DueRun>;
  /** Starts some that are due at once, to see how many milliseconds the start of one takes while others run. */
  millisecondsEach(count: number): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the worker and makes the table for the rows. */
export async function startBareTemporal(copy: ServiceCopy, temporal: Client, sql: Pool): Promise<BareTemporal> {
  await sql`create table if not exists bench_ticks (id text collate "C" primary key)`;
  const { temporalAddress, databaseUrl } = copy;
  const args = [temporalAddress, temporal.options.namespace, taskQueue, databaseUrl];
  const worker: ChildProcess = await startChild('./bare-temporal/worker.ts', { args });

  return {
    pid: worker.pid ?? 0,
    async run(kind, count, leadMs, watched = (follow) => follow()) {
      const begun = performance.now();
      const prefix = `${kind}/${randomUUID()}/`;
      const dueAt = Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000;
      await inParallel(range(count), 40, async (index) => {
        const id = `${prefix}${index}`;
        await temporal.workflow.start(kind, { taskQueue, workflowId: id, args: [id, dueAt] });
      });
      // The last ones must have had their first task too, which starts their timer.
      if (realNow().getTime() > dueAt - 1500)
        throw new NotAllTimersSet(`${count} bare workflows were not started in time`);
      const preparedMs = performance.now() - begun;
      const done = async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::integer as count from bench_ticks where id >= ${prefix} and id < ${`${prefix}~`}`;
        return row?.count ?? 0;
      };
      const course = await watched(() => followCourse(dueAt, count, done));
      return { course, preparedMs };
    },
    async millisecondsEach(count) {
      const begun = performance.now();
      await inParallel(range(count), 40, async (index) => {
        const id = `trial/${randomUUID()}/${index}`;
        await temporal.workflow.start('tickByLocalActivity', { taskQueue, workflowId: id, args: [id, 0] });
      });
      return (performance.now() - begun) / count;
    },
    async stop() {
      await stopChild(worker);
      await sql`drop table bench_ticks`;
    },
  };
}
