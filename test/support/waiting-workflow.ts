import type { Client } from '@temporalio/client';
import { eventually } from '../../lab/eventually.ts';

/**
 * Resolves with the history of a workflow that has done what is due and waits for its next date. Before that, a step of
 * it may be under way, which goes on even if the workflow is terminated.
 */
export function waitsForItsDate({ workflow }: Client, workflowId: string) {
  const handle = workflow.getHandle(workflowId);
  return eventually(`${workflowId} waits for its date`, async () => {
    const history = await handle.fetchHistory().catch(() => null);
    return history?.events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) && history;
  });
}
