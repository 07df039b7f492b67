import { ApplicationFailure } from '@temporalio/common';
import type { Pool } from '../db/connection.ts';
import { attemptDelivery, type DeliveryDeps, giveUpDelivery } from '../services/webhook-delivery.ts';
import { OriginBusy } from '../services/webhook-sender.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** What the workflow of a delivery does. A repeated attempt that was recorded before is not made again. */
export function createWebhookActivities({ sql, ...deps }: DeliveryDeps & { sql: Pool }) {
  return {
    /** See `attemptDelivery`. A receiver that is busy is come back to in a moment, which costs no attempt. */
    async attemptWebhookDelivery(id: string, after: number | null) {
      try {
        return await attemptDelivery(sql, deps, id, after);
      } catch (error) {
        if (!(error instanceof OriginBusy)) throw error;
        throw ApplicationFailure.create({
          type: 'OriginBusy',
          message: error.message,
          nextRetryDelay: Math.round(500 + 1000 * deps.random()),
        });
      }
    },
    giveUpWebhookDelivery: (id: string) => giveUpDelivery(sql, id, deps.now()),
  };
}
