import type { WebhookAttemptRow } from '../../db/webhook-deliveries.ts';
import { listTimelineEvents } from '../../db/workbench.ts';
import { isId } from '../../domain/ids.ts';
import { type Html, html } from '../../platform/html.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { safeLines } from '../../platform/terminal.ts';
import { getEventWithDeliveries } from '../../services/workbench/timeline.ts';
import { happenedList } from './clock-page.ts';
import { inWords, lookOf, shortTime, time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

const eventsListed = 50;

type Deliveries = Awaited<ReturnType<typeof getEventWithDeliveries>>['deliveries'];

/** The events of the account or of a clock, newest first, with their deliveries. */
export async function showEvents({ sql, context, query }: WorkbenchRequest): Promise<Answer> {
  const clock = query.get('clock');
  const before = query.get('before') ?? '';
  const filter = {
    testClock: clock !== null && isId('test_clock', clock) ? clock : undefined,
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
  };
  const found = await listTimelineEvents(sql, context, filter, eventsListed + 1);
  const events = found.slice(0, eventsListed);
  const last = events.at(-1);
  const ofClock = filter.testClock === undefined ? '' : `clock=${filter.testClock}&`;
  return {
    status: 200,
    title: 'Events',
    state: `${events.map(({ sequence, pending, failed }) => `${sequence}.${pending}.${failed}`).slice(0, 20)}`,
    main: html`<h1>Events</h1>
<p>${filter.testClock === undefined ? 'All of the account' : html`Of <a href="clocks/${filter.testClock}">this clock</a>`}, newest first. With scripts, new ones appear automatically.
To receive them on your laptop: <code>payments listen --forward URL</code></p>
<section class="card">${happenedList(events, '')}</section>
${found.length > events.length && last !== undefined ? html`<p><a href="events?${ofClock}before=${last.sequence}">Older events</a></p>` : null}`,
  };
}

/** One event: what it says, its webhooks, each attempt, and what the receiver responded. */
export async function showEvent({ sql, context, id, up, formField }: WorkbenchRequest): Promise<Answer> {
  const { event, deliveries } = await getEventWithDeliveries(sql, context, id);
  const {
    event_type: type,
    data,
    created_at: at,
    recorded_at,
    customer_id,
    customer_name,
    test_clock_id,
    subject_id,
    sequence,
  } = event;
  const facts: [string, Html | string][] = [
    ['Happened', html`${time(at)} UTC${test_clock_id === null ? '' : ', the clock’s time'}`],
    ['Recorded', html`${time(recorded_at)} UTC, real time`],
    ['About', html`<code>${subject_id}</code>`],
    ...(customer_name === null
      ? []
      : [
          ['Customer', html`<a href="${up}customers/${customer_id}">${customer_name}</a>, with the whole history`] as [
            string,
            Html,
          ],
        ]),
    ...(test_clock_id === null
      ? []
      : [['Clock', html`<a href="${up}clocks/${test_clock_id}">${test_clock_id}</a>`] as [string, Html]]),
    ['Event', html`<code>${event.id}</code>, number ${sequence}`],
  ];
  return {
    status: 200,
    title: type,
    state: deliveries.map(({ status, attempt_count }) => `${status}${attempt_count}`).join(),
    main: html`<h1><svg class="${lookOf(type)}" width="20" height="20" aria-hidden="true"><use href="#${lookOf(type)}" x="10" y="10"/></svg> ${inWords(type, data)}</h1>
<p><code>${type}</code></p>
<section class="card"><dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>
<section class="card" id="webhooks"><h2>Webhooks</h2>
${deliveries.length === 0 ? html`<p class="faint">No endpoint was subscribed to it.</p>` : deliveries.map((delivery) => shownDelivery(delivery, up, formField(`deliveries/${delivery.id}/retry`)))}</section>
<section class="card"><h2>Data</h2><pre tabindex="0" aria-label="The data of the event">${safeLines(JSON.stringify(data, null, 2))}</pre></section>`,
  };
}

function shownDelivery(
  { id, url, status, attempts, next_attempt_at, failure_reason }: Deliveries[number],
  up: string,
  formField: Html,
): Html {
  return html`<article><h3><span class="pill ${status}">${status}</span> ${withoutSecrets(url)}</h3>
${status === 'pending' && next_attempt_at !== null ? html`<p>The next attempt is due at ${next_attempt_at.toISOString().slice(11, 19)} UTC.</p>` : null}
${failure_reason === null ? null : html`<p>${failure_reason}</p>`}
${
  attempts.length === 0
    ? html`<p class="faint">No attempt yet.</p>`
    : html`<table><thead><tr><th scope="col">Try</th><th scope="col">When</th><th scope="col">Result</th><th scope="col">Took</th></tr></thead>
<tbody>${attempts.map(shownAttempt)}</tbody></table>`
}
<form method="post" action="${up}deliveries/${id}/retry">${formField}<button class="other">Send it again</button></form></article>`;
}

function shownAttempt({ number, at, status_code, error, duration_ms, response_excerpt }: WebhookAttemptRow): Html {
  const result = status_code === null ? withoutSecrets(error ?? 'no response') : String(status_code);
  const answer =
    response_excerpt === null || response_excerpt === ''
      ? null
      : html`<pre tabindex="0" aria-label="What the receiver responded">${response_excerpt}</pre>`;
  return html`<tr><td>${number}</td><td><time datetime="${at.toISOString()}">${shortTime(at).slice(0, 11)} ${at.toISOString().slice(11, 19)}</time></td><td>${result}${answer}</td><td>${duration_ms} ms</td></tr>`;
}
