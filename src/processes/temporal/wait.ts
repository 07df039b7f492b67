import { setTimeout as pause } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { Logger } from '../../platform/logger.ts';
import type { Config } from '../config/config.ts';

/** gRPC status codes, as numbers, of refusals that waiting does not fix. */
const notFound = 5;
const permissionDenied = 7;
const unauthenticated = 16;

const askAgainMs = 500;
const reportEveryMs = 10_000;

/** Temporal responds but refuses this configuration. Somebody has to change it. */
export class TemporalRefusal extends Error {
  override name = 'TemporalRefusal';
}

/**
 * Waits until Temporal responds for the namespace. Logs every ten seconds what it waits for.
 * @throws TemporalRefusal when Temporal refuses the credentials or has no such namespace; the reason of `signal` when
 * it aborts.
 */
export async function untilTemporalIsReachable(
  temporal: Client,
  config: Pick<Config, 'temporalAddress' | 'temporalNamespace'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { temporalAddress: address, temporalNamespace: namespace } = config;
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      await temporal.workflowService.describeNamespace({ namespace });
      if (reportedAt > Number.NEGATIVE_INFINITY) logger.info({ address }, 'Temporal is reachable again');
      return;
    } catch (error) {
      signal.throwIfAborted();
      const refusal = refusalOf(error, address, namespace);
      if (refusal !== null) throw new TemporalRefusal(refusal, { cause: error });
      if (performance.now() - reportedAt >= reportEveryMs) {
        logger.warn({ address, namespace, reason: detailsOf(error) }, 'waiting for Temporal, which cannot be reached');
        reportedAt = performance.now();
      }
    }
    await pause(askAgainMs, undefined, { signal });
  }
}

/** What is wrong with the configuration, for an operator. Null for an error that may pass by itself. */
function refusalOf(error: unknown, address: string | null, namespace: string): string | null {
  if (!isGrpcServiceError(error)) return null;
  switch (Number(error.code)) {
    case notFound:
      return `Temporal at ${address} has no namespace "${namespace}". Create it, or set TEMPORAL_NAMESPACE to one that exists.`;
    case permissionDenied:
    case unauthenticated:
      return (
        `Temporal at ${address} refuses access to the namespace "${namespace}" (${detailsOf(error)}). ` +
        'Check TEMPORAL_API_KEY, TEMPORAL_TLS and TEMPORAL_NAMESPACE.'
      );
    default:
      return null;
  }
}

function detailsOf(error: unknown): string {
  if (isGrpcServiceError(error) && error.details) return error.details;
  return error instanceof Error ? error.message : String(error);
}
