import type { TelemetryOptions } from '@temporalio/worker';
import type { MoreMetrics } from './server.ts';

const timeoutMs = 2_000;

/** The native part of the SDK has its own listener: on loopback, at the port after that of the worker's metrics. */
export function portOfSdk(metricsPort: number): number {
  return metricsPort + 1;
}

/** Names and units as Prometheus wants them: `_total`, `_seconds`. */
export function sdkTelemetry(metricsPort: number): Required<Pick<TelemetryOptions, 'metrics'>> {
  return {
    metrics: {
      prometheus: {
        bindAddress: `127.0.0.1:${portOfSdk(metricsPort)}`,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
      },
    },
  };
}

/**
 * The SDK's metrics, read from its listener, so that a worker is one target for a scraper. Empty while the listener
 * does not respond.
 */
export function sdkMetrics(metricsPort: number): MoreMetrics {
  const url = `http://127.0.0.1:${portOfSdk(metricsPort)}/metrics`;
  return async () => {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      return answer.ok ? await answer.text() : '';
    } catch {
      return '';
    }
  };
}
