import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { IssuedBy } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { emit } from '../platform/telemetry.ts';
import { operator } from '../services/accounts/audit.ts';
import { attemptDelivery, type DeliveryDeps } from '../services/webhooks/attempt.ts';
import { giveUpDelivery, noteDeliveryRetry } from '../services/webhooks/operator-commands.ts';
import { EndpointBusy } from '../services/webhooks/sender.ts';
import { throwRefusal } from './failures.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** The activities of a delivery's workflow. An attempt that is already recorded is not made again. */
export function createWebhookActivities({ sql, ...deps }: DeliveryDeps & { sql: Pool }) {
  return {
    /**
     * See `attemptDelivery`. If the endpoint is busy, Temporal retries later, which does not count as an attempt.
     */
    async attemptWebhookDelivery(id: string, after: number | null) {
      try {
        return await attemptDelivery(sql, deps, id, after);
      } catch (error) {
        if (!(error instanceof EndpointBusy)) throw error;
        emit({ kind: 'delivery refused' });
        throw ApplicationFailure.create({
          type: 'EndpointBusy',
          message: error.message,
          nextRetryDelay: error.retryAfterMs(activityInfo().attempt, deps.random()),
        });
      }
    },
    /**
     * Both return a sentence about the result, or fail as `CommandRefused`. Runs of an earlier version do not send who
     * issued the command.
     */
    giveUpWebhookDelivery: (id: string, by: IssuedBy | null = null) =>
      giveUpDelivery(sql, id, deps.now(), operator(by)).catch(throwRefusal),
    noteWebhookRetry: (id: string, by: IssuedBy | null) =>
      noteDeliveryRetry(sql, id, { by: operator(by), now: deps.now() }).catch(throwRefusal),
  };
}
