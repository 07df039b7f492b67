import { type Html, html } from '../../platform/html.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { type DeliveryDetails, getDeliveryDetails } from '../../services/dashboard/webhooks.ts';
import { InvalidState } from '../../services/errors.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { apiRoute } from '../account/api-route.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { resultOf } from './webhooks-page.ts';
import { facts, moment } from './words.ts';

const retryDelivery = apiRoute('retryWebhookDelivery');

const statuses = {
  pending: { words: 'on its way', look: 'wait' },
  delivered: { words: 'delivered', look: 'good' },
  failed: { words: 'not delivered', look: 'bad' },
} as const;

/** A delivery of an event: each try, what came back, and who has sent it again. */
export async function showDelivery({ sql, context, scopes, id, base, may }: DashboardRequest): Promise<Answer> {
  const { delivery, endpoint, done } = await getDeliveryDetails(sql, context, id, scopes);
  const { words, look } = statuses[delivery.status];
  return {
    status: 200,
    title: delivery.event_type,
    main: html`<div class="title"><h1>${delivery.event_type}</h1><p><span class="pill ${look}">${words}</span> ${delivery.failure_reason}</p></div>
${may('send_webhook') && endpoint?.status === 'enabled' ? html`<p class="actions"><a href="${base}webhooks/${delivery.id}/send">Send again</a></p>` : null}
<section class="card" id="facts">${facts([
      [
        'To',
        endpoint === null
          ? 'an endpoint that is deleted'
          : html`<a href="${base}webhooks#${endpoint.id}">${withoutSecrets(endpoint.url)}</a>`,
      ],
      ['Event', html`<code>${delivery.event_id}</code>`],
      ['Since', moment(delivery.created_at, context)],
      ['Next try', delivery.next_attempt_at === null ? null : moment(delivery.next_attempt_at, context)],
    ])}</section>
<section class="card" id="attempts"><h2>Tries</h2>${attemptList(delivery, context)}</section>
${done.length === 0 ? null : html`<section class="card" id="done"><h2>Done here</h2><ul class="plain">${done.map(({ at, actor_id: person }) => html`<li>${moment(at, context)}: Sent again by <strong>${person}</strong></li>\n`)}</ul></section>`}`,
  };
}

function attemptList({ attempts }: DeliveryDetails['delivery'], context: RequestContext): Html {
  if (attempts.length === 0) return html`<p class="faint">None yet.</p>`;
  return html`<ul class="plain">${attempts.map(
    (attempt) => html`<li>${moment(attempt.at, context)}: ${resultOf(attempt)}, after ${attempt.duration_ms} ms</li>
`,
  )}</ul>`;
}

/** The page before a delivery is sent again. */
export async function askSend({ sql, context, scopes, id, base, formField }: DashboardRequest): Promise<Answer> {
  const { delivery, endpoint } = await getDeliveryDetails(sql, context, id, scopes);
  if (endpoint === null) throw new InvalidState('The endpoint is deleted. Nothing can be sent to it.');
  if (endpoint.status === 'disabled') throw new InvalidState('The endpoint is disabled. Enable it first.');
  const path = `webhooks/${delivery.id}/send`;
  const what =
    delivery.status === 'pending'
      ? 'It is tried now, without waiting for the next try.'
      : 'It is sent now, and tried again like a new one if it does not arrive.';
  const twice =
    delivery.status === 'delivered' ? ' The receiver has it already, and knows it by its id if it keeps them.' : '';
  return {
    status: 200,
    title: 'Send again',
    main: html`<h1>Send ${delivery.event_type} again?</h1>
<p>To ${withoutSecrets(endpoint.url)}. ${what}${twice}</p>
<form method="post" action="${base}${path}">${formField(path)}
<button>Send again</button> <a href="${base}webhooks/${delivery.id}">Do nothing</a></form>`,
  };
}

/** Sends a delivery again, as the API does. */
export async function send({ sql, context, scopes, id, perform }: DashboardRequest): Promise<Answer> {
  const { delivery } = await getDeliveryDetails(sql, context, id, scopes);
  await perform({
    route: retryDelivery,
    params: { webhook_delivery_id: delivery.id },
    audit: { action: 'webhook_delivery.sent_again', subjectId: delivery.id, changes: {} },
  });
  return { goTo: `webhooks/${delivery.id}` };
}
