import { ServiceError, type WorkflowExecutionDescription, WorkflowUpdateFailedError } from '@temporalio/client';
import { describeCallFailure, grpcStatusOf } from '../platform/grpc-status.ts';
import { realNow } from '../platform/real-time.ts';
import type { WorkflowSide } from './sides/workflow-sides.ts';
import { failingStep } from './stuck/explain.ts';
import { describePaused, pausedSteps } from './stuck/paused.ts';
import { opsCommand } from './stuck/reading/ops-command.ts';
import { findMissingWorkers } from './stuck/workflows.ts';

/** How long to wait for a response, in milliseconds. A running worker responds within milliseconds. */
export const commandTimeoutMs = 15_000;

/** Returns why a command could not be sent or was refused, in sentences for the operator. */
export function explain(error: unknown): string {
  if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? error.message;
  if (isLate(error)) return `The workflow did not respond within ${commandTimeoutMs / 1000} seconds.`;
  // The server's response for a workflow that no worker has ever run.
  if (grpcStatusOfCall(error) === 'FAILED_PRECONDITION') {
    return 'No worker has picked up this workflow yet. Start a worker: ops stuck says whether one is missing (worker_missing). Then send the command again.';
  }
  return `${describeCallFailure('Temporal', error)}. Check it, then send the command again: that is safe.`;
}

/**
 * The same for a command that was sent to the workflow of an object. If the workflow did not do it, Temporal is asked
 * for the reason: a paused step, a step that fails, or no worker.
 */
export async function explainUnsent(
  side: WorkflowSide,
  id: string,
  workflowId: string,
  error: unknown,
): Promise<string> {
  const wasRefused = error instanceof WorkflowUpdateFailedError;
  if (!wasRefused && !isLate(error)) return explain(error);
  const description = await side.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
  const paused = description === null ? [] : pausedSteps(description);
  if (paused.length > 0) {
    return `${wasRefused ? `${explain(error)} The reason: ` : 'The workflow does nothing: '}${describePaused(paused)}. Run ${opsCommand('unpause', id)}.`;
  }
  return wasRefused ? explain(error) : `${explain(error)} ${await reasonOfSilence(side, description)}`;
}

async function reasonOfSilence(side: WorkflowSide, description: WorkflowExecutionDescription | null): Promise<string> {
  const missing = await findMissingWorkers(side, realNow()).catch(() => null);
  const [worker] = missing?.found ?? [];
  if (worker !== undefined) return `${sentence(worker.why)} ${worker.remedy} Then send the command again.`;
  const failing = description === null ? null : failingStep(description);
  if (failing !== null) return `${sentence(failing)} Fix the cause. The workflow takes the command after that.`;
  return 'Workers poll its task queue: it is busy, or the worker that has it hangs or has just ended. Look at its page in the Web UI, then send the command again: that is safe.';
}

function isLate(error: unknown): boolean {
  const status = grpcStatusOfCall(error);
  return (
    status === 'DEADLINE_EXCEEDED' ||
    status === 'CANCELLED' ||
    (error instanceof Error && error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError')
  );
}

function grpcStatusOfCall(error: unknown) {
  return grpcStatusOf(error instanceof ServiceError ? error.cause : error);
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
