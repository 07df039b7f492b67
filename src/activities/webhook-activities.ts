import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { IssuedBy } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { emit } from '../platform/telemetry.ts';
import { operator } from '../services/accounts/audit.ts';
import { attemptDelivery, type DeliveryDeps } from '../services/webhooks/attempt.ts';
import { giveUpDelivery, noteDeliveryRetry } from '../services/webhooks/operator-commands.ts';
import { EndpointBusy } from '../services/webhooks/sender.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** What the workflow of a delivery does. A repeated attempt that was recorded before is not made again. */
export function createWebhookActivities({ sql, ...deps }: DeliveryDeps & { sql: Pool }) {
  return {
    /**
     * See `attemptDelivery`. An endpoint that is busy is come back to, which costs no attempt: soon at first, and more and
     * more seldom, so that ten thousand deliveries to one that hangs are no load.
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
          nextRetryDelay: backOff(activityInfo().attempt, deps.random()),
        });
      }
    },
    /** Both answer in a sentence what came of it; runs of an earlier version do not say who has asked. */
    giveUpWebhookDelivery: (id: string, by: IssuedBy | null = null) =>
      giveUpDelivery(sql, id, deps.now(), operator(by)),
    noteWebhookRetry: (id: string, by: IssuedBy | null) =>
      noteDeliveryRetry(sql, id, { by: operator(by), now: deps.now() }),
  };
}

/** Milliseconds after the `refusals`-th refusal in a row: a second, two, four, up to half a minute, give or take a half. */
function backOff(refusals: number, random: number): number {
  return Math.round(Math.min(30_000, 1000 * 2 ** (refusals - 1)) * (0.5 + random));
}
