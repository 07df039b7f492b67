import type { AttemptedDelivery } from '../../db/webhook-deliveries.ts';
import type { DisabledReason } from '../../db/webhook-endpoints.ts';
import { type Html, html } from '../../platform/html.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { type EndpointHealth, endpointHealth } from '../../services/dashboard/webhooks.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { moment } from './words.ts';

/** The endpoints of webhooks: how each does, and what it has not received. */
export async function showWebhooks({ sql, context, scopes, base }: DashboardRequest): Promise<Answer> {
  const endpoints = await endpointHealth(sql, context, scopes);
  return {
    status: 200,
    title: 'Webhooks',
    main: html`<h1>Webhooks</h1>
<p><a href="${base}events">All events</a></p>
${endpoints.length === 0 ? html`<p>There is no endpoint. Events are recorded, and sent nowhere.</p>` : endpoints.map((each) => endpointCard(each, base, context))}`,
  };
}

function endpointCard(health: EndpointHealth, base: string, context: RequestContext): Html {
  const { endpoint, pending, failed } = health;
  return html`<section class="card" id="${endpoint.id}"><h2>${withoutSecrets(endpoint.url)}</h2>
${endpoint.description === null ? null : html`<p>${endpoint.description}</p>`}
<p>${healthInWords(health, context)}</p>
<p class="faint">Subscribes to ${endpoint.event_types.join(', ')}. <code>${endpoint.id}</code></p>
${failed.length === 0 ? null : html`<h3>Not delivered</h3>${deliveryList(failed, base, context)}`}
${pending.length === 0 ? null : html`<h3>On their way</h3>${deliveryList(pending, base, context)}`}</section>`;
}

const disabledBecause: Readonly<Record<DisabledReason, string>> = {
  requested: 'you have asked for it',
  gone: 'the receiver returned 410, which says that it is gone',
  failing: 'everything has failed for five days',
};

/** How an endpoint does, in sentences: whether it receives, what it got last, and what waits. */
function healthInWords({ endpoint, delivered, pending }: EndpointHealth, context: RequestContext): Html {
  if (endpoint.status === 'disabled') {
    const why = disabledBecause[endpoint.disabled_reason ?? 'requested'];
    return html`<span class="pill bad">disabled</span> Nothing is sent to it: ${why}.`;
  }
  const last = delivered?.attempts.at(-1) ?? null;
  const received =
    delivered === null || last === null
      ? html`Nothing has arrived yet.`
      : html`The newest that arrived is ${delivered.event_type}, on ${moment(last.at, context)}.`;
  const tried = pending.filter(({ attempts }) => attempts.length > 0);
  const failing = tried.flatMap(({ attempts }) => attempts.at(-1) ?? []).toSorted((a, b) => +b.at - +a.at)[0] ?? null;
  const verified =
    endpoint.livemode && endpoint.verified_at === null
      ? html` It is not verified: nothing can be replayed to it before it returns the challenge of a ping.`
      : null;
  if (failing === null || (last !== null && last.at > failing.at)) {
    const look = delivered === null ? '' : 'good';
    return html`<span class="pill ${look}">enabled</span> ${received}${verified}`;
  }
  return html`<span class="pill bad">fails</span> ${received} The last try, on ${moment(failing.at, context)}, failed: ${resultOf(failing)}. ${
    tried.length === 1 ? 'One delivery waits' : html`${tried.length} deliveries wait`
  } for the next try.${verified}`;
}

function deliveryList(deliveries: readonly AttemptedDelivery[], base: string, context: RequestContext): Html {
  return html`<table class="cards"><thead><tr><th scope="col">Event</th><th scope="col">Since</th><th scope="col">Last try</th><th scope="col">Next</th></tr></thead>
<tbody>${deliveries.map((delivery) => {
    const last = delivery.attempts.at(-1);
    return html`<tr><td><a href="${base}webhooks/${delivery.id}">${delivery.event_type}</a></td>
<td data-label="Since">${moment(delivery.created_at, context)}</td>
<td data-label="Last try">${last === undefined ? 'none yet' : resultOf(last)}</td>
<td data-label="Next">${delivery.next_attempt_at === null ? (delivery.failure_reason ?? '') : moment(delivery.next_attempt_at, context)}</td></tr>
`;
  })}</tbody></table>`;
}

/** What came back: the status, and why it failed. */
export function resultOf({
  status_code: status,
  error,
}: Pick<AttemptedDelivery['attempts'][number], 'status_code' | 'error'>): string {
  if (error === null) return `received, ${status ?? 'without a status'}`;
  return status === null ? withoutSecrets(error) : `${status}, ${withoutSecrets(error)}`;
}
