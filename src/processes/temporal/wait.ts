import { setTimeout as pause } from 'node:timers/promises';
import { retentionOf } from '../../operations/sides/retention.ts';
import { grpcDetailsOf, grpcStatusOf } from '../../platform/grpc-status.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OpenSide } from './sides.ts';

const askAgainMs = 500;
const logEveryMs = 10_000;

/** Temporal responds but refuses this configuration. An operator has to change it. */
export class TemporalRefusal extends Error {
  override name = 'TemporalRefusal';
}

/**
 * Waits until Temporal responds for the namespace. Logs every ten seconds what it waits for, and a warning if the
 * namespace keeps ended workflows too shortly.
 * @throws TemporalRefusal when Temporal refuses the credentials or has no such namespace; the reason of `signal` when
 * it aborts.
 */
export async function untilTemporalIsReachable(side: OpenSide, logger: Logger, signal: AbortSignal): Promise<void> {
  const { temporal, server, livemode } = side;
  const { address, namespace } = server;
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      const shortRetention = retentionOf(side, await temporal.workflowService.describeNamespace({ namespace }));
      if (shortRetention !== null) logger.warn({ address, namespace }, shortRetention);
      if (loggedAt > Number.NEGATIVE_INFINITY) logger.info({ address }, 'Temporal responds');
      return;
    } catch (error) {
      signal.throwIfAborted();
      const refusal = refusalOf(error, server, livemode === false ? 'SANDBOX_' : '');
      if (refusal !== null) throw new TemporalRefusal(refusal, { cause: error });
      if (performance.now() - loggedAt >= logEveryMs) {
        logger.warn(
          { address, namespace, reason: grpcDetailsOf(error) },
          'waiting for Temporal, which cannot be reached',
        );
        loggedAt = performance.now();
      }
    }
    await pause(askAgainMs, undefined, { signal });
  }
}

/** What is wrong with the configuration, for an operator. Null for an error that may pass on its own. */
function refusalOf(error: unknown, { address, namespace }: OpenSide['server'], prefix: string): string | null {
  switch (grpcStatusOf(error)) {
    case 'NOT_FOUND':
      return `Temporal at ${address} has no namespace "${namespace}". Make it, or set ${prefix}TEMPORAL_NAMESPACE to one that exists.`;
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
      return (
        `Temporal at ${address} refuses access to the namespace "${namespace}" (${grpcDetailsOf(error)}). ` +
        `Check ${['API_KEY', 'TLS', 'NAMESPACE'].map((name) => `${prefix}TEMPORAL_${name}`).join(', ')}.`
      );
    default:
      return null;
  }
}
