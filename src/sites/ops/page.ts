import type { Overview, OverviewDay } from '../../operations/overview.ts';
import type { StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import { type Html, html } from '../../platform/html.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { barOfSites, sitePage } from '../look/page.ts';
import { booksForm } from './books-page.ts';
import { searchForm } from './found-page.ts';
import { apiPaths, type Links } from './links.ts';
import { instant, linked } from './parts.ts';
import { style } from './style.ts';

const refreshSeconds = 60;
const stuckShownOfEach = 10;

/** All data of the operators' page. */
export interface OpsSnapshot {
  overview: Overview;
  stuck: StuckReport[];
}

/** Renders the page as plain HTML without scripts. Every figure is given as text. */
export function page({ overview, stuck }: OpsSnapshot, links: Links, isHere: boolean): string {
  const main = html`<div class="title"><h1>Operations</h1>
<nav aria-label="Mode">${modes(overview.mode)}</nav></div>
<p class="faint">At ${instant(overview.at)}, read again every ${refreshSeconds} seconds. Days are in UTC. All billers; plans on test
clocks are left out. <a href="/ops.json${queryOf(overview.mode)}">The same as JSON</a></p>
${searchForm('', overview.mode)}${viewsNav(links)}
${stuckSection(stuck, links)}
${daysSection(overview, links)}
${failuresSection(overview)}
${dunningSection(overview, links)}
${deliveriesSection(overview, links)}
${advancesSection(overview, links)}
${booksForm}`;
  return sitePage({ title: titleOf(stuck), style, refreshSeconds, bar: barOfSites(isHere), main });
}

function titleOf(stuck: StuckReport[]): string {
  const count = countOf(stuck);
  return count === 0 ? 'Nothing is stuck: payments' : `${count} stuck: payments`;
}

function modes(current: Overview['mode']): Html[] {
  return (['all', 'live', 'sandbox'] as const).map((mode) =>
    mode === current
      ? html`<strong aria-current="page">${mode}</strong> `
      : html`<a href="/ops${queryOf(mode)}">${mode}</a> `,
  );
}

/** Opened once, each list is also among the saved views of the Web UI. */
function viewsNav(links: Links): Html | null {
  const views = links.views();
  if (views.length === 0) return null;
  return html`<nav aria-label="Lists of workflows">Workflows: ${views.map(({ name, href }) => html`<a href="${href}">${name}</a> `)}</nav>
`;
}

function queryOf(mode: Overview['mode']): string {
  return mode === 'all' ? '' : `?mode=${mode}`;
}

function stuckSection(reports: StuckReport[], links: Links): Html {
  const stuck = reports.filter(({ count }) => count > 0);
  return html`<section class="card" aria-labelledby="stuck">
<h2 id="stuck">Stuck: ${countOf(reports)}</h2>
${stuck.length === 0 ? html`<p>Nothing is stuck.</p>` : stuck.map((report) => stuckKind(report, links))}
</section>`;
}

function stuckKind({ kind, meaning, count, found }: StuckReport, links: Links): Html {
  const shown = found.slice(0, stuckShownOfEach);
  return html`<details id="${kind}">
<summary><strong>${kind}: ${count}</strong> ${meaning}</summary>
<dl>${shown.map(
    ({ subject_id, workflow_id, livemode, since, why, remedy }) => html`
<dt>${linked(subject_id ?? 'the service', workflow_id === null ? null : links.workflow(workflow_id, livemode))}</dt>
<dd>${since === null ? null : html`Since ${instant(since)}: `}${withoutSecrets(why)}</dd>
<dd class="faint">${remedy}</dd>`,
  )}
</dl>
${count > shown.length ? html`<p class="faint">${count - shown.length} more: npm run --silent ops -- stuck --kind ${kind}</p>` : null}
</details>
`;
}

/** A part that PostgreSQL did not give in time: what is stuck says why. */
function unread(id: string, title: string): Html {
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p>This could not be read: see what is stuck, above.</p>
</section>`;
}

function daysSection({ days }: Overview, links: Links): Html {
  if (days === null) return unread('days', 'Due and collected');
  const most = Math.max(1, ...days.map(({ due }) => due));
  return html`<section class="card" aria-labelledby="days">
<h2 id="days">Due and collected</h2>
<table>
<caption>Past days show what was tried, coming days what is due. The line shows how much is due.</caption>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">Due</th><th scope="col" class="number">Retries</th>
<th scope="col" class="number">Collected</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Open</th></tr></thead>
<tbody>${days.map((day) => dayRow(day, most, links))}
</tbody>
</table>
</section>`;
}

function dayRow(day: OverviewDay, most: number, links: Links): Html {
  const coming = day.is !== 'past';
  const tried = (count: number) => (day.is === 'coming' ? html`–` : html`${count}`);
  const width = Math.round((100 * day.due) / most);
  const weekday = new Date(`${day.date}T00:00:00Z`).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  return html`
<tr class="${day.is}"><th scope="row"><span class="date">${weekday} ${day.date.slice(5)}</span>${day.is === 'today' ? ' today' : ''}
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="1"/></svg></th>
<td class="number">${linked(day.due, coming ? links.dueOn(day.date) : null)}</td><td class="number">${day.retries}</td>
<td class="number">${day.is === 'coming' ? tried(0) : linked(day.collected, apiPaths.collected)}</td>
<td class="number">${day.is === 'coming' ? tried(0) : linked(day.failed, apiPaths.failures)}</td><td class="number">${tried(day.open)}</td></tr>`;
}

function failuresSection({ failures }: Overview): Html {
  if (failures === null) return unread('failures', 'Failures by code');
  return html`<section class="card" aria-labelledby="failures">
<h2 id="failures">Failures by code</h2>
${
  failures.length === 0
    ? html`<p>No attempt failed in the last seven days.</p>`
    : html`<table>
<caption>Attempts that failed in the last seven days and today.</caption>
<thead><tr><th scope="col">Code</th><th scope="col" class="number">Attempts</th></tr></thead>
<tbody>${failures.map(
        ({ code, count }) => html`
<tr><th scope="row"><code>${code}</code></th><td class="number">${linked(count, apiPaths.failures)}</td></tr>`,
      )}
</tbody>
</table>`
}
</section>`;
}

function dunningSection({ dunning, subscriptions: unpaid }: Overview, links: Links): Html {
  if (dunning === null || unpaid === null) return unread('dunning', 'Dunning in progress');
  const nextAt = (next: Date | null) => (next === null ? null : html`, the next at ${instant(next)}`);
  return html`<section class="card" aria-labelledby="dunning">
<h2 id="dunning">Dunning in progress</h2>
<ul>
<li>Plans waiting for a retry: ${linked(dunning.retrying, links.retrying())}${nextAt(dunning.next_retry_at)}</li>
<li>Plans suspended because a payment failed: ${linked(dunning.suspended, links.suspended())}</li>
<li>Subscriptions past due, waiting for a retry: ${linked(unpaid.retrying, links.pastDue())}${nextAt(unpaid.next_retry_at)}</li>
<li>Subscriptions paused because a payment failed: ${linked(unpaid.paused, links.paused())}</li>
</ul>
</section>`;
}

function deliveriesSection({ deliveries }: Overview, links: Links): Html {
  if (deliveries === null) return unread('deliveries', 'Deliveries by endpoint');
  const { count, endpoints } = deliveries;
  const rows = endpoints.map(
    (row) => html`
<tr><th scope="row"><a href="${apiPaths.deliveries(row.id)}">${row.id}</a></th>
<td data-label="Goes to">${row.origin}</td><td data-label="State">${stateOf(row)}</td>
<td class="number" data-label="Pending">${linked(row.pending, links.deliveriesTo(row.id, row.livemode))}</td>
<td class="number" data-label="Due now">${row.due}</td>
<td class="number" data-label="Delivered">${row.delivered}</td><td class="number" data-label="Failed">${row.failed}</td></tr>`,
  );
  return html`<section class="card" aria-labelledby="deliveries">
<h2 id="deliveries">Deliveries by endpoint</h2>
${
  count === 0
    ? html`<p>There are no webhook endpoints.</p>`
    : html`<table class="cards">
<caption>${count > rows.length ? `The ${rows.length} busiest of ${count} endpoints. ` : ''}Delivered and failed count events of the last day.</caption>
<thead><tr><th scope="col">Endpoint</th><th scope="col">Goes to</th><th scope="col">State</th><th scope="col" class="number">Pending</th>
<th scope="col" class="number">Due now</th><th scope="col" class="number">Delivered</th><th scope="col" class="number">Failed</th></tr></thead>
<tbody>${rows}
</tbody>
</table>`
}
</section>`;
}

function stateOf(endpoint: NonNullable<Overview['deliveries']>['endpoints'][number]): Html {
  const { status, disabled_reason, failing_since, last_error, next_at } = endpoint;
  if (status === 'disabled') return html`disabled (${disabled_reason})`;
  if (failing_since === null) return html`working`;
  const came = last_error === null ? null : html`: ${withoutSecrets(last_error)}`;
  const next = next_at === null ? null : html`; next attempt at ${instant(next_at)}`;
  return html`failing since ${instant(failing_since)}${came}${next}`;
}

function advancesSection({ advances }: Overview, links: Links): Html {
  if (advances === null) return unread('advances', 'Clocks advancing');
  const { count, clocks } = advances;
  const rows = clocks.map(
    ({ test_clock_id, since, target_time }) => html`
<li><a href="${links.workflow(`test-clock/${test_clock_id}`, false) ?? apiPaths.clock(test_clock_id)}">${test_clock_id}</a> to ${instant(target_time)}, since ${instant(since)}</li>`,
  );
  return html`<section class="card" aria-labelledby="advances">
<h2 id="advances">Clocks advancing: ${linked(count, links.advancing())}</h2>
${count === 0 ? html`<p>No test clock is advancing.</p>` : html`<ul>${rows}</ul>`}
</section>`;
}

function countOf(reports: StuckReport[]): number {
  return reports.reduce((total, { count }) => total + count, 0);
}
