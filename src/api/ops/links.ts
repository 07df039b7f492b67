import type { Mode } from '../../operations/overview.ts';
import type { WebUi } from '../http/deps.ts';

/**
 * Returns the links from the figures to lists of workflows in the Web UI. They are null if its address is not
 * configured.
 */
export function linksTo(webUi: WebUi | null, mode: Mode) {
  const workflows = (query: string): string | null =>
    webUi === null
      ? null
      : `${webUi.url}/namespaces/${encodeURIComponent(webUi.namespace)}/workflows?query=${encodeURIComponent(query)}`;
  /** Former runs of a workflow are listed for days, with the attributes that they had at their end. */
  const running = (query: string) => workflows(`${query} AND ExecutionStatus="Running"`);
  const ofMode = (query: string) => running(mode === null ? query : `${query} AND Livemode=${mode}`);
  return {
    workflow: (id: string) => workflows(`WorkflowId="${id}"`),
    /** Plans due on this day (UTC). */
    dueOn: (date: string) =>
      ofMode(`WorkflowType="paymentPlan" AND NextDueAt BETWEEN "${date}T00:00:00Z" AND "${date}T23:59:59Z"`),
    retrying: () => ofMode('WorkflowType="paymentPlan" AND PlanState="active" AND FailedAttempts>0'),
    suspended: () => ofMode('WorkflowType="paymentPlan" AND PlanState="suspended"'),
    advancing: () => running('WorkflowType="testClock" AND ClockStatus="advancing"'),
    deliveriesTo: (endpointId: string) => running(`WorkflowType="webhookDelivery" AND EndpointId="${endpointId}"`),
  };
}

export type Links = ReturnType<typeof linksTo>;

/** The API's lists of the same objects. They need a biller's key. */
export const apiPaths = {
  failures: '/api/v1/events?event_type=payment_intent.failed',
  collected: '/api/v1/events?event_type=payment_intent.succeeded',
  deliveries: (endpointId: string) => `/api/v1/webhook_endpoints/${endpointId}/deliveries`,
  clock: (id: string) => `/api/v1/test_helpers/test_clocks/${id}`,
};
