import { listTimelineEvents } from '../../db/workbench.ts';
import { type Html, html } from '../../platform/html.ts';
import { listCustomers } from '../../services/customers/customers.ts';
import { listTestClocks, type TestClockDetails } from '../../services/test-clocks/test-clocks.ts';
import { alert } from '../account/plain-pages.ts';
import { happenedList } from './clock-page.ts';
import { time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

const eventsListed = 10;
const customersListed = 10;

/** The first page: the clocks of the account, the form of a new one, and what happened last. */
export async function showOverview({ sql, context, canSkipTime, formField }: WorkbenchRequest): Promise<Answer> {
  const [clocks, events, customers] = await Promise.all([
    listTestClocks(sql, context, { limit: 20 }),
    listTimelineEvents(sql, context, {}, eventsListed),
    listCustomers(sql, context, { limit: customersListed }),
  ]);
  const shown = clocks.rows.slice(0, clocks.limit);
  return {
    status: 200,
    title: 'Clocks',
    state: `${shown.map(({ id, status, frozen_time }) => `${id}${status}${frozen_time.getTime()}`)} ${events[0]?.sequence ?? 0} ${events[0]?.pending ?? 0}`,
    main: html`<h1>Clocks</h1>
${canSkipTime() === false ? alert('The Temporal server of this service cannot skip time, so no clock can move.') : null}
${shown.length === 0 ? html`<p>A test clock is time that you move. Create one, put customers on it, and see what a month does in a second.</p>` : html`<ul class="clocks">${shown.map(clockCard)}</ul>`}
<section class="card" id="new"><h2>New clock</h2>
<form method="post" action="clocks" class="row">${formField('clocks')}
<div class="field"><label for="name">Name</label><input id="name" name="name" maxlength="255" placeholder="Renewals"></div>
<div class="field"><label for="frozen_time">Its time, UTC</label>
<input type="datetime-local" id="frozen_time" name="frozen_time" step="1" required value="${context.now.toISOString().slice(0, 10)}T09:00:00"></div>
<button>Create</button></form></section>
<div class="columns even">
<section class="card"><h2>Latest events</h2>${happenedList(events, '')}<p><a href="events">Every event</a></p></section>
<section class="card"><h2>Customers in real time</h2>
${
  customers.rows.length === 0
    ? html`<p class="faint">None. Customers of a clock are on the clock’s page.</p>`
    : html`<ul class="plain">${customers.rows
        .slice(0, customersListed)
        .map(({ id, name }) => html`<li><a href="customers/${id}">${name}</a> <code>${id}</code></li>`)}</ul>`
}</section>
</div>`,
  };
}

function clockCard(clock: TestClockDetails): Html {
  const { id, name, status, frozen_time, webhook_deliveries, failed_to_present: failed } = clock;
  const { pending } = webhook_deliveries;
  return html`<li class="card"><a href="clocks/${id}">${name ?? 'Clock'}</a> <span class="pill ${status}">${status}</span>
<strong>${time(frozen_time)}</strong> <code>${id}</code>${
    pending + failed === 0
      ? null
      : html` <small class="hooks ${failed > 0 ? 'failed' : 'pending'}">webhooks: ${pending} pending, ${failed} failed</small>`
  }</li>
`;
}
