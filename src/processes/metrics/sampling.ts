import { Gauge, type Registry } from 'prom-client';
import { countDunning } from '../../operations/overview-queries.ts';
import { sampleBacklogs, sampleConnections } from '../../operations/samples.ts';
import type { WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import { findFullDatabase } from '../../operations/stuck/database.ts';
import { rowKinds, sessionKinds } from '../../operations/stuck/kinds.ts';
import { readBounded } from '../../operations/stuck/reading/bounded-reading.ts';
import { countStuck, notReadable } from '../../operations/stuck/reading/find-stuck.ts';
import { findRefusedWrites } from '../../operations/stuck/refused-writes.ts';
import { countStuckWorkflows } from '../../operations/stuck/workflows.ts';
import { all } from '../../platform/all-settled.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { type Repetition, repeat } from '../../platform/repeat.ts';
import { secondsBetween } from '../../platform/telemetry.ts';

const everyMs = 30_000;

/**
 * Reads every thirty seconds what only the databases know: backlogs, what is stuck, connections. Every worker does so
 * and shows the same figures: aggregate them over workers with `max`, not `sum`. A figure that cannot be read keeps its
 * last value, and `payments_figures_age_seconds` says how old that is. Before it was read for the first time, it is not
 * shown. `sql` is a pool of its own: that of the process may be used up.
 */
export function startSampling(registry: Registry, sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  const gauges = createGauges(registry);
  hideUnread(gauges);
  const onError = (err: unknown, source?: string) =>
    logger.warn({ err, source }, 'figures for the metrics could not be read; trying again');

  async function attempt(source: string, sample: () => Promise<void>): Promise<void> {
    try {
      await sample();
      gauges.sampledAt.set({ source }, realNow().getTime() / 1000);
    } catch (error) {
      onError(error, source);
    }
  }

  return repeat(
    async () => {
      await Promise.all([
        // Ages are by the clock of PostgreSQL, which all processes share.
        attempt('database', async () => sampleDatabase(gauges, sql, await databaseNow(sql))),
        attempt('temporal', () => sampleTemporal(gauges, sql, sides, realNow())),
      ]);
    },
    { everyMs, onError },
  );
}

type Gauges = ReturnType<typeof createGauges>;

function createGauges(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const outboxEntries = gauge(
    'payments_workflow_intents_waiting',
    'Outbox entries that are not dispatched to Temporal',
  );
  const oldestOutboxEntry = gauge(
    'payments_workflow_intents_oldest_seconds',
    'Age of the oldest of these outbox entries; 0 if there is none',
  );
  const oldestDue = gauge(
    'payments_oldest_due_seconds',
    'How long the payment, retry or scheduled payment that has been due longest was not attempted; real time only, 0 for none',
  );
  const deliveries = gauge(
    'payments_webhook_deliveries_pending',
    'Deliveries that are not delivered nor given up: due now, or waiting for their next attempt',
    'when',
  );
  const dunning = gauge(
    'payments_plans_in_dunning',
    'Plans with a failed payment: retrying, or suspended for it; real time only',
    'state',
  );
  const connections = gauge(
    'payments_db_connections',
    'Connections to the database as the server sees them, by pool (api, worker, other …) and state, over all processes',
    'pool',
    'state',
  );
  const stuck = gauge('payments_stuck', 'What is stuck, by kind: what `npm run --silent ops -- stuck` lists', 'kind');
  const sampledAt = gauge(
    'payments_sampled_timestamp_seconds',
    'When the figures of the whole service were last read, by where from: database, temporal',
    'source',
  );
  /** When each figure was last read, on the monotonic clock. */
  const readAt = new Map<string, number>();
  new Gauge({
    name: 'payments_figures_age_seconds',
    help: 'How long ago a figure of the whole service was read: a kind of payments_stuck, or the name of another metric',
    labelNames: ['figure'] as const,
    registers,
    collect() {
      for (const [figure, at] of readAt) this.set({ figure }, (performance.now() - at) / 1000);
    },
  });
  const wasRead = (figure: string) => readAt.set(figure, performance.now());
  return { wasRead, outboxEntries, oldestOutboxEntry, oldestDue, deliveries, dunning, connections, stuck, sampledAt };
}

/** A gauge begins with zero, which would mean that all is well. */
function hideUnread({ outboxEntries, oldestOutboxEntry, oldestDue }: Gauges): void {
  for (const gauge of [outboxEntries, oldestOutboxEntry, oldestDue]) gauge.remove();
}

/** Figures that are read together. */
type Part = (sql: Pool, now: RealInstant) => Promise<void>;

function partsOfDatabase(gauges: Gauges): Part[] {
  const { wasRead, outboxEntries, oldestOutboxEntry, oldestDue, deliveries, dunning, connections, stuck } = gauges;
  return [
    async (sql, now) => {
      const backlogs = await readBounded(sql, (tx) => sampleBacklogs(tx, now));
      outboxEntries.set(backlogs.outbox_entries);
      oldestOutboxEntry.set(ageOf(backlogs.oldest_outbox_entry_at, now));
      oldestDue.set(ageOf(backlogs.oldest_due_at, now));
      deliveries.set({ when: 'due' }, backlogs.deliveries_due);
      deliveries.set({ when: 'later' }, backlogs.deliveries - backlogs.deliveries_due);
      for (const name of ['payments_workflow_intents_waiting', 'payments_oldest_due_seconds']) wasRead(name);
      wasRead('payments_webhook_deliveries_pending');
    },
    async (sql) => {
      const { retrying, suspended } = await readBounded(sql, (tx) => countDunning(tx, null));
      dunning.set({ state: 'retrying' }, retrying);
      dunning.set({ state: 'suspended' }, suspended);
      wasRead('payments_plans_in_dunning');
    },
    async (sql) => {
      const sampled = await sampleConnections(sql);
      connections.reset();
      for (const { pool, state, count } of sampled) connections.set({ pool, state }, count);
      wasRead('payments_db_connections');
    },
    async (sql, now) => {
      const counts = await countStuck(sql, [...sessionKinds, ...rowKinds], now);
      for (const [kind, count] of counts) {
        stuck.set({ kind }, count);
        wasRead(kind);
      }
      const unread = counts.get(notReadable.kind) ?? 0;
      if (unread > 0) throw new Error(`${unread} kinds of what is stuck could not be read: their tables are locked`);
    },
    ...[findFullDatabase, findRefusedWrites].map((find) => async (sql: Pool) => {
      const { kind, count } = await find(sql);
      stuck.set({ kind }, count);
      wasRead(kind);
    }),
  ];
}

/**
 * Reads each part separately, so that a lock on one table ages only what is read from it.
 * @throws the first failure. The figures then count as old: part of them is.
 */
async function sampleDatabase(gauges: Gauges, sql: Pool, now: RealInstant): Promise<void> {
  await all(partsOfDatabase(gauges).map((part) => part(sql, now)));
}

async function sampleTemporal(
  { stuck, wasRead }: Gauges,
  sql: Pool,
  sides: WorkflowSides,
  now: RealInstant,
): Promise<void> {
  for (const [kind, count] of await countStuckWorkflows(sql, sides, now)) {
    stuck.set({ kind }, count);
    wasRead(kind);
  }
}

function ageOf(since: RealInstant | null, now: RealInstant): number {
  return since === null ? 0 : secondsBetween(since, now);
}
