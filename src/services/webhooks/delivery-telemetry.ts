import type { DeliveryToMake, WebhookDeliveryRow } from '../../db/webhook-deliveries.ts';
import { workflowIdOf } from '../../messages/workflow-types.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { DeliveryAttempted } from '../telemetry.ts';
import type { WebhookResponse } from './sender.ts';

/**
 * Returns the telemetry event for a recorded attempt. `error` is null if the receiver accepted the event.
 * `workflowId` is that of the batch that made the attempt, if the delivery's own workflow has not.
 */
export function attemptTelemetry(
  { id, event, ...delivery }: DeliveryToMake,
  made: { attempt: number; response: WebhookResponse; error: string | null },
  recorded: WebhookDeliveryRow,
  now: RealInstant,
  workflowId = workflowIdOf('webhookDelivery', id),
): DeliveryAttempted {
  const { attempt, response, error } = made;
  return {
    kind: 'delivery attempted',
    billerId: delivery.biller_id,
    livemode: delivery.livemode,
    testClockId: event.test_clock_id,
    deliveryId: id,
    workflowId,
    endpointId: delivery.endpoint_id,
    eventId: event.id,
    eventType: event.event_type,
    subjectId: event.subject_id,
    ...ownersOf(event),
    requestId: event.request_id,
    attempt,
    outcome: error === null ? 'delivered' : recorded.status === 'pending' ? 'retrying' : 'failed',
    statusCode: response.kind === 'responded' ? response.statusCode : null,
    error,
    seconds: response.durationMs / 1000,
    lagSeconds: error === null ? secondsBetween(event.recorded_at, now) : null,
  };
}

/**
 * Returns the plan and the subscription of a payment's event: the first `payment_plan_id` and `subscription_id` in its
 * JSON are the payment's own, before any metadata. A regular expression is enough, since nothing else here needs the
 * parsed body.
 */
function ownersOf({ event_type: type, data }: { event_type: string; data: string }) {
  if (!type.startsWith('payment_intent.')) return { paymentPlanId: null, subscriptionId: null };
  return {
    paymentPlanId: /"payment_plan_id":(?:null|"(pp_[0-9A-Za-z]{32})")/.exec(data)?.[1] ?? null,
    subscriptionId: /"subscription_id":(?:null|"(sub_[0-9A-Za-z]{32})")/.exec(data)?.[1] ?? null,
  };
}
