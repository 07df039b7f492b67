import { collectDefaultMetrics, Registry } from 'prom-client';
import type { CompletedRequest, RequestWatch } from '../../api/http/deps.ts';
import type { WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { countTelemetry } from './count-events.ts';
import { probeDatabase } from './database-probe.ts';
import { startSampling } from './sampling.ts';
import { serveMetrics } from './server.ts';
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts';
import { sdkMetrics } from './temporal-sdk.ts';

export interface MetricsOptions {
  port: number;
  host: string;
  sql: Pool;
  /** How many connections the pool may have. */
  poolMax: number;
  /** Set in the worker, which also samples the databases and shows the SDK's metrics. Null in API and pages. */
  worker: { sides: WorkflowSides; figures: Pool } | null;
  logger: Logger;
}

/** The metrics of a process, counted and served. */
export interface RunningMetrics {
  readonly port: number;
  /** For the API. */
  readonly requests: RequestWatch;
  /** For the pages for payers. */
  readonly pages: RequestWatch;
  close(): Promise<void>;
}

/**
 * Counts the work of this process from now on, and serves the metrics. @throws an Error that names the port, when the
 * port is taken.
 */
export async function startMetrics({
  port,
  host,
  sql,
  poolMax,
  worker,
  logger,
}: MetricsOptions): Promise<RunningMetrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createServiceMetrics(registry);
  const stopCounting = countTelemetry(metrics);
  probeDatabase(registry, sql, poolMax);
  const server = await serveMetrics(registry, { port, host, ...(worker === null ? {} : { more: sdkMetrics(port) }) });
  const sampling = worker === null ? null : startSampling(registry, worker.figures, worker.sides, logger);
  logger.info({ port: server.port, host }, 'metrics are served at /metrics');
  return {
    port: server.port,
    requests: countRequests(metrics),
    pages: countPages(metrics),
    async close() {
      stopCounting();
      await sampling?.close();
      await server.close();
    },
  };
}

/** Counts the requests for pages: how long each has taken, by route and status. */
export function countPages(metrics: ServiceMetrics): RequestWatch {
  return {
    begun() {},
    completed({ route, method, status, seconds }: CompletedRequest) {
      metrics.pageSeconds.observe({ route: route ?? 'none', method: route === null ? 'any' : method, status }, seconds);
    },
  };
}

/** Counts the API's requests: how many are under way, and how long each has taken, by route and status. */
export function countRequests(metrics: ServiceMetrics): RequestWatch {
  return {
    begun: () => metrics.requestsUnderWay.inc(),
    completed({ route, method, status, seconds }: CompletedRequest) {
      metrics.requestsUnderWay.dec();
      metrics.requestSeconds.observe(
        { route: route ?? 'none', method: route === null ? 'any' : method, status },
        seconds,
      );
    },
  };
}
