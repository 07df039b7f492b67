import { Gauge, type Registry } from 'prom-client';
import { countDunning } from '../../operations/overview-queries.ts';
import { sampleBacklogs, sampleConnections } from '../../operations/samples.ts';
import type { WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import { findFullDatabase, fullDatabase } from '../../operations/stuck/database.ts';
import { stuckDefinitions } from '../../operations/stuck/definitions.ts';
import { countStuck } from '../../operations/stuck/find-stuck.ts';
import { countStuckWorkflows, workflowDefinitions } from '../../operations/stuck/workflows.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import { type Repetition, repeat } from '../../platform/repeat.ts';
import { secondsBetween } from '../../platform/telemetry.ts';

const everyMs = 30_000;

/**
 * Reads every thirty seconds what only the databases know: backlogs, what is stuck, connections. Every worker does so
 * and shows the same figures: aggregate them over workers with `max`, not `sum`. Figures that could not be read are not
 * shown.
 */
export function startSampling(registry: Registry, sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  const gauges = createGauges(registry);
  forgetDatabase(gauges);
  const onError = (err: unknown, source?: string) =>
    logger.warn({ err, source }, 'figures for the metrics could not be read; trying again');

  async function attempt(source: string, sample: () => Promise<void>): Promise<void> {
    try {
      await sample();
      gauges.sampledAt.set({ source }, realNow().getTime() / 1000);
    } catch (error) {
      if (source === 'database') forgetDatabase(gauges);
      onError(error, source);
    }
  }

  return repeat(
    async () => {
      const now = realNow();
      await Promise.all([
        attempt('database', () => sampleDatabase(gauges, sql, now)),
        attempt('temporal', () => sampleTemporal(gauges, sql, sides, now)),
      ]);
    },
    { everyMs, onError },
  );
}

type Gauges = ReturnType<typeof createGauges>;

function createGauges(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
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
  const deliveries = new Gauge({
    name: 'payments_webhook_deliveries_pending',
    help: 'Deliveries that are not delivered nor given up: due now, or waiting for their next attempt',
    labelNames: ['when'] as const,
    registers,
  });
  const dunning = new Gauge({
    name: 'payments_plans_in_dunning',
    help: 'Plans with a failed payment: retrying, or suspended for it; real time only',
    labelNames: ['state'] as const,
    registers,
  });
  const connections = new Gauge({
    name: 'payments_db_connections',
    help: 'Connections to the database as the server sees them, by pool (api, worker, other …) and state, over all processes',
    labelNames: ['pool', 'state'] as const,
    registers,
  });
  const stuck = new Gauge({
    name: 'payments_stuck',
    help: 'What is stuck, by kind: what `npm run --silent ops -- stuck` lists',
    labelNames: ['kind'] as const,
    registers,
  });
  const sampledAt = new Gauge({
    name: 'payments_sampled_timestamp_seconds',
    help: 'When the figures of the whole service were last read, by where from: database, temporal',
    labelNames: ['source'] as const,
    registers,
  });
  return { outboxEntries, oldestOutboxEntry, oldestDue, deliveries, dunning, connections, stuck, sampledAt };
}

/** Unknown figures are removed: a zero would mean that all is well. */
function forgetDatabase(gauges: Gauges): void {
  for (const gauge of [gauges.outboxEntries, gauges.oldestOutboxEntry, gauges.oldestDue]) gauge.remove();
  for (const gauge of [gauges.deliveries, gauges.dunning, gauges.connections]) gauge.reset();
  for (const { kind } of [...stuckDefinitions, fullDatabase]) gauges.stuck.remove({ kind });
}

async function sampleDatabase(gauges: Gauges, sql: Pool, now: Date): Promise<void> {
  const [backlogs, dunning, connections, stuck, full] = await Promise.all([
    sampleBacklogs(sql, now),
    countDunning(sql, null),
    sampleConnections(sql),
    countStuck(sql, stuckDefinitions, now),
    findFullDatabase(sql),
  ]);
  gauges.outboxEntries.set(backlogs.outbox_entries);
  gauges.oldestOutboxEntry.set(ageOf(backlogs.oldest_outbox_entry_at, now));
  gauges.oldestDue.set(ageOf(backlogs.oldest_due_at, now));
  gauges.deliveries.set({ when: 'due' }, backlogs.deliveries_due);
  gauges.deliveries.set({ when: 'later' }, backlogs.deliveries - backlogs.deliveries_due);
  gauges.dunning.set({ state: 'retrying' }, dunning.retrying);
  gauges.dunning.set({ state: 'suspended' }, dunning.suspended);
  gauges.connections.reset();
  for (const { pool, state, count } of connections) gauges.connections.set({ pool, state }, count);
  for (const [kind, count] of [...stuck, [full.kind, full.count] as const]) gauges.stuck.set({ kind }, count);
}

async function sampleTemporal({ stuck }: Gauges, sql: Pool, sides: WorkflowSides, now: Date): Promise<void> {
  const counts = await countStuckWorkflows(sql, sides, now);
  for (const { kind } of workflowDefinitions) {
    const count = counts.get(kind);
    if (count === undefined) stuck.remove({ kind });
    else stuck.set({ kind }, count);
  }
}

function ageOf(since: Date | null, now: Date): number {
  return since === null ? 0 : secondsBetween(since, now);
}
