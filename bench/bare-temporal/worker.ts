// A worker that has nothing of the service in it: what Temporal itself takes for a timer and an activity.
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';

export type TickActivities = ReturnType<typeof createTickActivities>;

function createTickActivities(sql: Pool) {
  return {
    /** One row: the least that a due date could cost the database. */
    async insertTick(id: string): Promise<void> {
      await sql`insert into bench_ticks (id) values (${id}) on conflict do nothing`;
    },
  };
}

/** What the worker is started with, as its arguments. */
const [address = '', namespace = '', taskQueue = '', databaseUrl = ''] = process.argv.slice(2);

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const connection = await NativeConnection.connect({ address });
const sql = openPool(databaseUrl, { max: 40, name: 'bench worker' });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: createTickActivities(sql),
  // As those of the service's own worker, so that the comparison is about the work.
  maxConcurrentWorkflowTaskExecutions: 100,
  maxConcurrentLocalActivityExecutions: 30,
  maxConcurrentActivityTaskExecutions: 100,
  maxCachedWorkflows: 2000,
});
const end = () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
};
process.on('SIGTERM', end);
process.on('disconnect', end);
const running = worker.run();
process.send?.('ready');
await running;
await connection.close();
await sql.end();
process.exit(0);
