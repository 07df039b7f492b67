import type { WebUi, WebUis } from '../../api/http/deps.ts';
import type { Mode } from '../../operations/overview.ts';

/** The path of this service that leads to the page of a workflow in the Web UI. */
export const workflowPath = '/ops/workflow';

const planQueries = {
  retrying: 'WorkflowType="paymentPlan" AND PlanState="active" AND FailedAttempts>0',
  suspended: 'WorkflowType="paymentPlan" AND PlanState="suspended"',
};
const subscriptionQueries = {
  pastDue: 'WorkflowType="subscription" AND PlanState="past_due"',
  paused: 'WorkflowType="subscription" AND PlanState="paused (payment_failed)"',
};
const clocksAdvancing = 'WorkflowType="testClock" AND ClockStatus="advancing"';

/**
 * Returns the links from the figures to lists of workflows in the Web UI, and to the pages of workflows. They are null
 * if its address is not configured. A list of both modes is null as well if each has its own Temporal.
 */
export function linksTo(webUis: WebUis, mode: Mode) {
  const workflows = (query: string, livemode: Mode): string | null => {
    const webUi = webUiOf(webUis, livemode);
    return webUi === null ? null : `${workflowsOf(webUi)}?query=${encodeURIComponent(query)}`;
  };
  /** Former runs of a workflow are listed for days, with the attributes that they had at their end. */
  const running = (query: string, livemode: Mode) => workflows(`${query} AND ExecutionStatus="Running"`, livemode);
  const ofMode = (query: string) => running(mode === null ? query : `${query} AND Livemode=${mode}`, mode);
  /**
   * The lists that an operator comes back to. The Web UI keeps a list that is opened with `savedQuery` among its saved
   * views, under that name.
   */
  const views: readonly { name: string; query: string }[] = [
    { name: 'Stalled', query: 'Stalled=true' },
    { name: 'Plans between retries', query: planQueries.retrying },
    { name: 'Suspended plans', query: planQueries.suspended },
    { name: 'Subscriptions past due', query: subscriptionQueries.pastDue },
    { name: 'Clocks that advance', query: clocksAdvancing },
    {
      name: 'Failing deliveries',
      query: 'WorkflowType="webhookDelivery" AND DeliveryState="pending" AND FailedAttempts>0',
    },
  ];
  return {
    views: (): { name: string; href: string }[] =>
      views.flatMap(({ name, query }) => {
        const href = ofMode(query);
        return href === null ? [] : [{ name, href: `${href}&savedQuery=${encodeURIComponent(name)}` }];
      }),
    /** The page that a workflow writes about itself, by way of `workflowPath`. */
    workflow: (id: string, livemode: Mode) => {
      if (webUiOf(webUis, livemode) === null) return null;
      const named = livemode === null ? '' : `&mode=${livemode ? 'live' : 'sandbox'}`;
      return `${workflowPath}?id=${encodeURIComponent(id)}${named}`;
    },
    /** Plans due on this day (UTC). */
    dueOn: (date: string) =>
      ofMode(`WorkflowType="paymentPlan" AND NextDueAt BETWEEN "${date}T00:00:00Z" AND "${date}T23:59:59Z"`),
    retrying: () => ofMode(planQueries.retrying),
    suspended: () => ofMode(planQueries.suspended),
    pastDue: () => ofMode(subscriptionQueries.pastDue),
    paused: () => ofMode(subscriptionQueries.paused),
    advancing: () => running(clocksAdvancing, false),
    deliveriesTo: (endpointId: string, livemode: boolean) => running(`EndpointId="${endpointId}"`, livemode),
  };
}

/**
 * Returns the address of the page that a workflow writes about itself: the tab with its current details. Without a run
 * it is the list of the workflows with this id.
 */
export function pageOfRun(webUi: WebUi, workflowId: string, runId: string | null): string {
  if (runId === null) return `${workflowsOf(webUi)}?query=${encodeURIComponent(`WorkflowId="${workflowId}"`)}`;
  return `${workflowsOf(webUi)}/${encodeURIComponent(workflowId)}/${encodeURIComponent(runId)}/user-metadata`;
}

/** Returns the Web UI of a mode, and for both modes (null) the one that they share. */
export function webUiOf({ live, sandbox }: WebUis, mode: Mode): WebUi | null {
  if (mode === null) return live === sandbox ? live : null;
  return mode ? live : sandbox;
}

function workflowsOf({ url, namespace }: WebUi): string {
  return `${url}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}

export type Links = ReturnType<typeof linksTo>;

/** The API's lists of the same objects. They need a biller's key. */
export const apiPaths = {
  failures: '/api/v1/events?event_type=payment_intent.failed',
  collected: '/api/v1/events?event_type=payment_intent.succeeded',
  deliveries: (endpointId: string) => `/api/v1/webhook_endpoints/${endpointId}/deliveries`,
  clock: (id: string) => `/api/v1/test_helpers/test_clocks/${id}`,
};
