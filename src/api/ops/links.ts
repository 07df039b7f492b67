import type { Mode } from '../../operations/overview.ts';
import type { WebUi } from '../http/route.ts';

/** What the figures of a mode link to: lists of workflows in the Web UI; null where nobody has said where it is. */
export function linksTo(webUi: WebUi | null, mode: Mode) {
  const workflows = (query: string): string | null =>
    webUi === null
      ? null
      : `${webUi.url}/namespaces/${encodeURIComponent(webUi.namespace)}/workflows?query=${encodeURIComponent(query)}`;
  const ofMode = (query: string) => workflows(mode === null ? query : `${query} AND Livemode=${mode}`);
  return {
    workflow: (id: string) => workflows(`WorkflowId="${id}"`),
    /** Plans that are due in this day, from `date` at 00:00 UTC. */
    dueOn: (date: string) =>
      ofMode(`WorkflowType="paymentPlan" AND NextDueAt BETWEEN "${date}T00:00:00Z" AND "${date}T23:59:59Z"`),
    retrying: () => ofMode('WorkflowType="paymentPlan" AND PlanState="active" AND FailedAttempts>0'),
    suspended: () => ofMode('WorkflowType="paymentPlan" AND PlanState="suspended"'),
    advancing: () => workflows('WorkflowType="testClock" AND ClockStatus="advancing"'),
    deliveriesTo: (endpointId: string) =>
      workflows(`WorkflowType="webhookDelivery" AND EndpointId="${endpointId}" AND ExecutionStatus="Running"`),
  };
}

export type Links = ReturnType<typeof linksTo>;

/** The API's own list of the same, for which a biller's key is needed. */
export const apiPaths = {
  failures: '/api/v1/events?event_type=payment_intent.failed',
  collected: '/api/v1/events?event_type=payment_intent.succeeded',
  deliveries: (endpointId: string) => `/api/v1/webhook_endpoints/${endpointId}/deliveries`,
  clock: (id: string) => `/api/v1/test_helpers/test_clocks/${id}`,
};
