import { activityInfo } from '@temporalio/activity';
import type { IssuedBy } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { operator } from '../services/accounts/audit.ts';
import { attemptDelivery, type DeliveryDeps } from '../services/webhooks/attempt.ts';
import { sendBatch } from '../services/webhooks/batch.ts';
import { giveUpDelivery, noteDeliveryRetry } from '../services/webhooks/operator-commands.ts';
import { throwRefusal, withHeartbeatToItsEnd } from './failures.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** The activities of the workflows of deliveries and batches. An attempt that is already recorded is not made again. */
export function createWebhookActivities({ sql, ...deps }: DeliveryDeps & { sql: Pool }) {
  return {
    /** See `attemptDelivery`. If the endpoint is busy, it says how long to wait; this does not count as an attempt. */
    attemptWebhookDelivery: (id: string, after: number | null) => attemptDelivery(sql, deps, id, after),
    /** See `sendBatch`. What is already recorded is not sent again. */
    sendWebhookBatch() {
      const workflowId = activityInfo().workflowExecution?.workflowId ?? '';
      return withHeartbeatToItsEnd(() => sendBatch(sql, deps, workflowId));
    },
    /** Both return a sentence about the result, or fail as `CommandRefused`. */
    giveUpWebhookDelivery: (id: string, by: IssuedBy | null) =>
      giveUpDelivery(sql, id, deps.now(), operator(by)).catch(throwRefusal),
    noteWebhookRetry: (id: string, by: IssuedBy | null) =>
      noteDeliveryRetry(sql, id, { by: operator(by), now: deps.now() }).catch(throwRefusal),
  };
}
