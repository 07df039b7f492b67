import { idFields } from '../../domain/id-fields.ts';
import type { Id } from '../../domain/ids.ts';
import { workflowIdOf, workflowIdOfOwner } from '../../messages/workflow-types.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type AdvanceEnded,
  type ChargeCompleted,
  type ChargeOpened,
  type DeliveryAttempted,
  type RefundCompleted,
  subscribe,
} from '../../services/telemetry.ts';

/**
 * Logs telemetry events: a line for each charge, refund, delivery attempt and advance. A line carries the same ids as
 * the lines of requests, of the dispatcher and of Temporal. Returns a function that stops it.
 */
export function logTelemetry(logger: Logger): () => void {
  // Lines consist only of the members below. Searching them for secrets would cost more than writing them.
  const log = logger.child({}, { redact: [] });
  return subscribe((seen) => {
    if (seen.kind === 'charge completed') log.info(completed(seen), 'charge completed');
    else if (seen.kind === 'delivery attempted') log.info(attempted(seen), 'delivery attempted');
    else if (seen.kind === 'refund completed') log.info(refunded(seen), 'refund completed');
    else if (seen.kind === 'advance ended') log.info(advanced(seen), 'advance ended');
    else if (seen.kind === 'charge opened' && log.isLevelEnabled('debug')) log.debug(opened(seen), 'charge opened');
  });
}

function owner(seen: { billerId: Id<'biller'>; livemode: boolean; testClockId: string | null }) {
  return { biller_id: seen.billerId, livemode: seen.livemode, test_clock_id: seen.testClockId ?? undefined };
}

function payment(seen: ChargeOpened | ChargeCompleted) {
  const { source, paymentIntentId, paymentPlanId, subscriptionId } = seen;
  return {
    payment_plan_id: paymentPlanId ?? undefined,
    subscription_id: subscriptionId ?? undefined,
    payment_intent_id: paymentIntentId,
    workflow_id: workflowOf(seen),
    source,
  };
}

/** The workflow that made the charge. The API itself makes a confirm. */
function workflowOf({ source, ...ids }: ChargeOpened | ChargeCompleted): string | undefined {
  if (source === 'confirm') return undefined;
  const owner = { payment_plan_id: ids.paymentPlanId, subscription_id: ids.subscriptionId };
  return workflowIdOfOwner(owner) ?? workflowIdOf('scheduledPayment', ids.paymentIntentId);
}

function opened(seen: ChargeOpened) {
  return { ...payment(seen), ...owner(seen), lag_s: seen.lagSeconds ?? undefined };
}

function completed(seen: ChargeCompleted) {
  return {
    ...payment(seen),
    attempt_id: seen.attemptId,
    attempt: seen.attempt,
    by_payer: seen.byPayer || undefined,
    outcome: seen.outcome,
    code: seen.code ?? undefined,
    ...events(seen.eventIds),
    request_id: seen.requestId ?? undefined,
    ...owner(seen),
  };
}

/** There is usually one event; a payment that ends its plan has two. */
function events(ids: readonly string[]) {
  return ids.length > 1 ? { event_id: ids[0], event_ids: ids } : { event_id: ids[0] };
}

function refunded(seen: RefundCompleted) {
  return {
    refund_id: seen.refundId,
    payment_intent_id: seen.paymentIntentId,
    outcome: seen.outcome,
    ...events(seen.eventIds),
    request_id: seen.requestId ?? undefined,
    ...owner(seen),
  };
}

function attempted(seen: DeliveryAttempted) {
  return {
    delivery_id: seen.deliveryId,
    endpoint_id: seen.endpointId,
    event_id: seen.eventId,
    event_type: seen.eventType,
    payment_plan_id: seen.paymentPlanId ?? undefined,
    subscription_id: seen.subscriptionId ?? undefined,
    ...idFields(seen.subjectId),
    workflow_id: seen.workflowId,
    attempt: seen.attempt,
    outcome: seen.outcome,
    status_code: seen.statusCode ?? undefined,
    error: seen.error ?? undefined,
    ms: Math.round(seen.seconds * 1000),
    lag_s: seen.lagSeconds ?? undefined,
    request_id: seen.requestId ?? undefined,
    ...owner(seen),
  };
}

function advanced(seen: AdvanceEnded) {
  return {
    test_clock_id: seen.testClockId,
    workflow_id: workflowIdOf('testClock', seen.testClockId),
    outcome: seen.outcome,
    ms: Math.round(seen.seconds * 1000),
    request_id: seen.requestId ?? undefined,
    biller_id: seen.billerId,
  };
}
