import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';

/** Outages are retried without limit. Errors that retries do not fix are thrown as `EffectFailed`. */
export const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * For a step that only uses the database, or the sandbox's processor in it. It runs in the worker that has the workflow
 * task.
 */
export const inProcess: LocalActivityOptions = { startToCloseTimeout: '1 minute', retry };

/** How long an attempt or a batch may take, and its summary. After that, the worker counts as dead. */
export type WebhookOptions = Required<Pick<ActivityOptions, 'startToCloseTimeout' | 'summary'>> &
  Pick<ActivityOptions, 'heartbeatTimeout'>;

/**
 * Returns the activities of webhooks, on the webhooks' own task queue. They are retried for as long as it takes: a
 * failure never comes from the receiver, only from our side.
 */
export function webhookActivities(options: WebhookOptions): WebhookActivities {
  return proxyActivities<WebhookActivities>({
    ...options,
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });
}
