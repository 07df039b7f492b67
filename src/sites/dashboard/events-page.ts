import { compileQuery } from '../../api/validation/query.ts';
import { html } from '../../platform/html.ts';
import { page } from '../../resources/common.ts';
import { EventQuery, presentEvent } from '../../resources/event.ts';
import { listEvents } from '../../services/events.ts';
import type { Answer } from '../account/account-request.ts';
import { inWords } from '../workbench/words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amountOfEvent, moment } from './words.ts';

const perPage = 50;

/** The events of the account in words, newest first. It shows no data of them: links in there can be used to pay. */
export async function showEvents({ sql, context, base, query: typed }: DashboardRequest): Promise<Answer> {
  const sent = new URLSearchParams([...typed].filter(([, value]) => value.trim() !== ''));
  if (!sent.has('limit')) sent.set('limit', String(perPage));
  const query = compileQuery(EventQuery)(sent.toString()) as EventQuery;
  const { data: shown, has_more: hasMore } = page(await listEvents(sql, context, query), (row) => row);
  const last = shown.at(-1);
  sent.set('starting_after', last?.id ?? '');
  return {
    status: 200,
    title: 'Events',
    main: html`<h1>Events</h1>
<form method="get" action="${base}events" class="card filters"><div class="field"><label for="event_type">Type, such as payment_intent.failed</label><input id="event_type" name="event_type" maxlength="100" value="${typed.get('event_type') ?? ''}"></div>
<div class="field"><label for="customer_id">Customer, by id</label><input id="customer_id" name="customer_id" maxlength="100" value="${typed.get('customer_id') ?? ''}"></div>
<div class="field"><label for="object_id">About, by id</label><input id="object_id" name="object_id" maxlength="100" value="${typed.get('object_id') ?? ''}"></div>
<div><button>Show</button> <a href="${base}webhooks">Webhooks</a></div></form>
<section class="card" id="events"><h2>Newest first</h2>${shown.length === 0 ? html`<p role="status">No events.</p>` : null}<ul class="plain">${shown.map(
      (row) => {
        const { event_type: type, data } = presentEvent(row);
        const words = inWords(type, data as Record<string, unknown>, amountOfEvent);
        const customer = row.customer_id;
        return html`<li>${moment(row.created_at, context)}: ${customer === null ? words : html`<a href="${base}customers/${customer}">${words}</a>`}${row.test_clock_id === null ? null : ' (on a test clock)'} <code>${type}</code></li>
`;
      },
    )}</ul>
${hasMore ? html`<p><a href="${base}events?${sent.toString()}" rel="next">Older</a></p>` : null}</section>`,
  };
}
