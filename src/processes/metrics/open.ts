import type { Config } from '../config/config.ts';
import type { MetricsOptions, RunningMetrics } from './start.ts';

/**
 * Starts the metrics of a process, or returns null if none are configured. Their code is imported only when they are:
 * the start of the process stays short.
 */
export async function openMetrics(
  { metricsPort: port, metricsHost: host }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  options: Omit<MetricsOptions, 'port' | 'host'>,
): Promise<RunningMetrics | null> {
  return port === null ? null : (await import('./start.ts')).startMetrics({ port, host, ...options });
}
