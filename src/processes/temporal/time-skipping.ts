import { type Client, isGrpcServiceError } from '@temporalio/client';
import { grpcDetailsOf, grpcStatusOf } from '../../platform/grpc-status.ts';
import type { Logger } from '../../platform/logger.ts';
import { repeat } from '../../platform/repeat.ts';
import { timeSkippingNeeded } from '../../services/errors.ts';

/**
 * How many timers of a workflow the server skips before it switches skipping off, without an error. By default 200. The
 * server counts them over all advances and fresh runs of the workflow.
 */
const usualMaxSkips = 100_000;
const askAgainMs = 5_000;

/**
 * Lets the server skip the timers of a workflow whenever it is idle. The high-level client has no method for this. If
 * the server allows the same already, this changes nothing: it goes on counting. If it has reached `maxSkips`, it
 * begins to count anew.
 * @throws the gRPC error: NOT_FOUND when no such workflow runs.
 */
export async function allowTimeSkipping(
  temporal: Client,
  workflowId: string,
  maxSkips: number = usualMaxSkips,
): Promise<void> {
  await temporal.workflowService.updateWorkflowExecutionOptions({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId },
    updateMask: { paths: ['time_skipping_config'] },
    workflowExecutionOptions: { timeSkippingConfig: { enabled: true, maxSessionSkipCount: maxSkips } },
  });
}

/** Whether the gRPC error means that the server cannot skip time: it is too old, or skipping is not switched on. */
export function isSkippingRefused(error: unknown): boolean {
  if (!isGrpcServiceError(error)) return false;
  return grpcStatusOf(error) === 'UNIMPLEMENTED' || /time.?skipping/i.test(grpcDetailsOf(error));
}

/**
 * Finds out whether the server can skip a workflow's time. It asks for a workflow that does not exist: a server that
 * can skip returns NOT_FOUND, and one that cannot refuses before it looks.
 * @throws when the server is not reachable.
 */
export async function canSkipTime(temporal: Client): Promise<boolean> {
  try {
    await allowTimeSkipping(temporal, 'test-clock/probe-of-time-skipping');
    return true;
  } catch (error) {
    if (grpcStatusOf(error) === 'NOT_FOUND') return true;
    if (isSkippingRefused(error)) return false;
    throw error;
  }
}

/** What follows where the server cannot skip time. */
export const timeSkippingMissing = 'This server has no workflow time skipping. Clock endpoints return 503.';

/**
 * Finds out in the background whether the server can skip time, and logs a warning when it cannot. A server that is
 * away is asked again. Until it responds, `known` returns null and clock endpoints are not refused.
 */
export function watchTimeSkipping(temporal: Client, logger: Logger): { known: () => boolean | null; close(): void } {
  let canSkip: boolean | null = null;
  const asking = repeat(
    async () => {
      canSkip = await canSkipTime(temporal);
      // A server that can skip is not asked again. One that cannot may be reconfigured without a restart of the API.
      if (canSkip) return Number.POSITIVE_INFINITY;
      logger.warn(`${timeSkippingNeeded} ${timeSkippingMissing}`);
    },
    { everyMs: askAgainMs, onError: () => {} },
  );
  return { known: () => canSkip, close: () => void asking.close() };
}
