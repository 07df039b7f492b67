import { setTimeout as pause } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { Logger } from '../platform/logger.ts';
import { timeSkippingNeeded } from '../services/errors.ts';

/** More skips than any advance needs; the server's own default of 200 would end a long one in silence. */
const maxSessionSkipCount = 100_000;

const notFound = 5;
const unimplemented = 12;

const askAgainMilliseconds = 5_000;

/**
 * Lets the server skip over the timers of a workflow whenever it is idle, with a fresh budget of skips. The high-level
 * client has no method for it.
 * @throws the gRPC error: NOT_FOUND when no such workflow runs.
 */
export async function allowTimeSkipping(temporal: Client, workflowId: string): Promise<void> {
  await temporal.workflowService.updateWorkflowExecutionOptions({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId },
    updateMask: { paths: ['time_skipping_config'] },
    workflowExecutionOptions: { timeSkippingConfig: { enabled: true, maxSessionSkipCount } },
  });
}

/** Whether the gRPC error says that no such workflow runs. */
export function isNotFound(error: unknown): boolean {
  return isGrpcServiceError(error) && Number(error.code) === notFound;
}

/** Whether the gRPC error says that the server cannot skip time: too old, far too old, or not switched on. */
export function isSkippingRefused(error: unknown): boolean {
  if (!isGrpcServiceError(error)) return false;
  return Number(error.code) === unimplemented || /time.?skipping/i.test(error.details ?? error.message);
}

/**
 * Asks the server whether it can skip a workflow's time, by asking it for a workflow that does not exist: a server that
 * can misses the workflow, one that cannot refuses before it looks.
 * @throws when the server does not answer.
 */
export async function canSkipTime(temporal: Client): Promise<boolean> {
  try {
    await allowTimeSkipping(temporal, 'test-clock/probe-of-time-skipping');
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isSkippingRefused(error)) return false;
    throw error;
  }
}

/**
 * Finds out in the background whether the server can skip time, and says so in the log when it cannot. A server that is
 * away is asked again; until it has answered nobody knows, and clocks are not refused.
 */
export function watchTimeSkipping(temporal: Client, logger: Logger): { known: () => boolean | null; close(): void } {
  const stopping = new AbortController();
  let answer: boolean | null = null;
  async function ask(): Promise<void> {
    while (!stopping.signal.aborted) {
      answer = await canSkipTime(temporal).catch(() => answer);
      if (answer === false) logger.warn(`${timeSkippingNeeded} This server has it not: clock endpoints answer 503.`);
      // A server that can is asked no more; one that cannot may be mended without restarting the API.
      if (answer === true) return;
      await pause(askAgainMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  void ask();
  return { known: () => answer, close: () => stopping.abort() };
}
