import type { Client } from '@temporalio/client';
import type { ServiceCopy } from '../../lab/service.ts';
import { percentile } from '../../lab/statistics.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { footprints, openFiles, recordedProcesses } from '../processes.ts';
import type { ProcessorUse } from '../processor-use.ts';
import type { BenchReceiver } from '../receiver.ts';
import type { Load } from './load.ts';

/**
 * What was seen at one moment, or since the moment before; by the names of `measures`. Null: it cannot be measured
 * here.
 */
export type Sample = { minute: number } & Record<Measure, number | null>;

/** In this order in the file; what each is called and counted in. */
export const measures = {
  api_mb: 'API: resident, MB',
  worker_mb: 'worker: resident, MB',
  temporal_mb: 'Temporal: resident, MB',
  postgres_mb: 'PostgreSQL: own memory of all processes, MB',
  postgres_shared_mb: 'PostgreSQL: shared buffers in use and the like, MB',
  supervisor_mb: 'supervisor: resident, MB',
  api_files: 'API: open files and sockets',
  worker_files: 'worker: open files and sockets',
  connections: 'connections to PostgreSQL',
  outbox: 'outbox entries that wait',
  deliveries: 'deliveries that wait',
  workflows: 'open workflows',
  overdue: 'plans due for over 10 s',
  due_p50_ms: 'due instant to attempt, p50, ms',
  due_p99_ms: 'due instant to attempt, p99, ms',
  delivery_p50_ms: 'event to its arrival, p50, ms',
  delivery_p99_ms: 'event to its arrival, p99, ms',
  request_p50_ms: 'request, p50, ms',
  request_p99_ms: 'request, p99, ms',
  advance_s: 'advance of a week, 4 plans, s',
  requests: 'requests in the span',
  charges: 'payments of live plans in the span',
  arrivals: 'webhooks in the span',
  rows: 'rows in all tables (estimate)',
  database_mb: 'PostgreSQL: the database on disk, MB',
  our_cores: 'cores in use by the run',
  other_cores: 'cores in use by others',
  load_average: 'load average',
} as const;

export type Measure = keyof typeof measures;

interface Sources {
  copy: ServiceCopy;
  sql: Pool;
  temporal: Client;
  load: Load;
  receiver: BenchReceiver;
  processorUse: () => Promise<ProcessorUse>;
}

const overdueMs = 10_000;

/** Returns a function that takes one sample after the other. */
export function openSampler({ copy, sql, temporal, load, receiver, processorUse }: Sources): () => Promise<Sample> {
  const begun = performance.now();
  const known = new Set<string>();

  return async () => {
    const arrived = [...receiver.arrivals].filter(([id]) => !known.has(id));
    for (const [id] of arrived) known.add(id);
    const [observed, parts, processes, counts, delivery, { count: workflows }, use] = [
      await load.take(),
      await memoryOf(copy),
      await recordedProcesses(copy.dataDir),
      await countRows(sql),
      await deliveryLags(sql, arrived),
      await temporal.workflow.count("ExecutionStatus = 'Running'"),
      await processorUse(),
    ];
    const pidOf = (part: string) => [...processes].find(([, name]) => name === part)?.[0] ?? 0;
    return {
      minute: Math.round((performance.now() - begun) / 600) / 100,
      ...parts,
      api_files: await openFiles(pidOf('api')),
      worker_files: await openFiles(pidOf('worker')),
      ...counts,
      workflows,
      overdue: load.plans.overdue(overdueMs),
      due_p50_ms: share(observed.dueLags, 0.5),
      due_p99_ms: share(observed.dueLags, 0.99),
      delivery_p50_ms: share(delivery, 0.5),
      delivery_p99_ms: share(delivery, 0.99),
      request_p50_ms: share(observed.requests, 0.5),
      request_p99_ms: share(observed.requests, 0.99),
      advance_s: share(observed.advances, 0.5),
      requests: observed.requests.length,
      charges: observed.dueLags.length,
      arrivals: arrived.length,
      our_cores: use.ours,
      other_cores: use.others,
      load_average: use.load_average,
    };
  };
}

async function memoryOf(copy: ServiceCopy) {
  const found = await footprints(copy.pid, (await recordedProcesses(copy.dataDir)).set(copy.pid, 'supervisor'));
  const of = (part: string) => found.find((footprint) => footprint.part === part);
  const { pss = null, own = null } = of('postgres') ?? {};
  return {
    api_mb: rounded(of('api')?.rss),
    worker_mb: rounded(of('worker')?.rss),
    temporal_mb: rounded(of('temporal')?.rss),
    postgres_mb: rounded(own),
    postgres_shared_mb: pss === null || own === null ? null : rounded(pss - own),
    supervisor_mb: rounded(of('supervisor')?.rss),
  };
}

async function countRows(sql: Pool) {
  const [row] = await sql<Record<'connections' | 'outbox' | 'deliveries' | 'rows' | 'database_mb', number>[]>`
    select
      (select count(*)::integer from pg_stat_activity where datname = current_database()
        and application_name like 'payments%') as connections,
      (select count(*)::integer from workflow_intents) as outbox,
      (select count(*)::integer from webhook_deliveries where status = 'pending') as deliveries,
      (select sum(n_live_tup)::integer from pg_stat_user_tables) as rows,
      round(pg_database_size(current_database()) / 1e6)::integer as database_mb`;
  if (row === undefined) throw new Error('PostgreSQL counted nothing');
  return row;
}

/** Milliseconds from the recording of each event to its arrival at the receiver. */
async function deliveryLags(sql: Pool, arrived: [id: string, at: number][]): Promise<number[]> {
  const events = await sql<{ id: string; recorded_at: Date }[]>`
    select id, recorded_at from events where id = any(${arrived.map(([id]) => id)}::text[])`;
  const recorded = new Map(events.map(({ id, recorded_at }) => [id, recorded_at.getTime()]));
  return arrived.flatMap(([id, at]) => {
    const from = recorded.get(id);
    return from === undefined ? [] : [performance.timeOrigin + at - from];
  });
}

function share(values: readonly number[], part: number): number | null {
  return values.length === 0 ? null : rounded(percentile(values, part));
}

function rounded(value: number | null | undefined): number | null {
  return value == null ? null : value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
