import type { HistoryCursor, HistoryGroup } from '../../db/dashboard-customer.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import {
  type CustomerNow,
  customerHistory,
  getCustomerNow,
  type HistoryLine,
} from '../../services/dashboard/customer.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { methodInWords } from '../account/method-in-words.ts';
import { happenedInWords } from '../workbench/words.ts';
import { nowInSentences } from './customer-now.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amount, amountOfEvent, date, dayOf, moment, statePill } from './words.ts';

/** The groups by which a history can be narrowed: the value in the address, and what people read. */
const groups: readonly { value: HistoryGroup; label: string }[] = [
  { value: 'payment_intent', label: 'Payments' },
  { value: 'refund', label: 'Refunds' },
  { value: 'payment_plan', label: 'Plans' },
  { value: 'subscription', label: 'Subscriptions' },
  { value: 'mandate', label: 'Mandates' },
  { value: 'payment_link', label: 'Links' },
];

/** A customer: what is now, in sentences; what it has; and what happened, 50 a page. */
export async function showCustomer(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, base, query } = request;
  const now = await getCustomerNow(sql, context, id);
  const { customer } = now;
  const group = groups.find(({ value }) => value === query.get('group'))?.value ?? null;
  const { lines, next } = await customerHistory(sql, context, customer, { group, before: cursorIn(query) });
  const path = `${base}customers/${customer.id}`;
  const facts = [customer.email, customer.reference].flatMap((fact) => (fact === null ? [] : [isolated(fact)]));
  return {
    status: 200,
    title: isolated(customer.name),
    main: html`<div class="title"><h1>${customer.name}</h1><p><span class="pill">${customer.deleted_at === null ? customer.status : 'deleted'}</span>${
      customer.test_clock_id === null
        ? null
        : html` <span class="pill wait">on a test clock</span> Now is ${moment(now.now, context)}.`
    }</p></div>
<p>${facts.join(' · ')} <code>${customer.id}</code></p>
<section class="card now" id="now"><h2>Now</h2>
${nowInSentences({ now, base, context })}</section>
<section class="card" id="has"><h2>What they have</h2>${possessions(now, base, context)}</section>
<section class="card" id="history"><h2>History</h2>
<form method="get" action="${path}#history" class="find"><label for="group">Only</label>
<select id="group" name="group"><option value="">Everything</option>${groups.map(({ value, label }) =>
      value === group
        ? html`<option value="${value}" selected>${label}</option>`
        : html`<option value="${value}">${label}</option>`,
    )}</select><button class="other">Show</button></form>
${history(lines, base, context)}
${next === null ? null : html`<p><a href="${path}?${queryOf(group, next)}#history">Older</a></p>`}</section>`,
  };
}

function possessions(
  { customer, plans, subscriptions, links, mandates, methods }: CustomerNow,
  base: string,
  context: RequestContext,
): Html {
  const lines = [
    ...plans.map(
      ({ plan, next }) =>
        html`<a href="${base}plans/${plan.id}">${plan.name}</a>, a plan, ${statePill(plan.state, plan.state_reason)}${next === null ? null : html`, next on ${date(next.dueDate)}`}`,
    ),
    ...subscriptions.map(
      ({ subscription, next }) =>
        html`<a href="${base}subscriptions/${subscription.id}">${subscription.name}</a>, a subscription, ${statePill(subscription.state, subscription.state_reason)}${next === null ? null : html`, next on ${date(next.start)}`}`,
    ),
    ...links.map(
      (link) =>
        html`${link.name}, a link${link.amount === null || link.currency === null ? null : html` over ${amount(link.amount, link.currency)}`}, ${statePill(link.status, link.status_reason)}${link.expires_at === null ? null : html`, until ${dayOf(link.expires_at, context)}`} <code>${link.id}</code>`,
    ),
    ...mandates.map((mandate) => html`A mandate, ${statePill(mandate.status, null)} <code>${mandate.id}</code>`),
    ...methods.map(
      (method) =>
        html`${methodInWords(method)}${method.id === customer.default_payment_method_id ? ', the default' : null} <code>${method.id}</code>`,
    ),
  ];
  if (lines.length === 0) return html`<p class="faint">No method, plan, subscription, link or mandate.</p>`;
  return html`<ul class="plain">${lines.map((line) => html`<li>${line}</li>\n`)}</ul>`;
}

function history(lines: readonly HistoryLine[], base: string, context: RequestContext): Html {
  if (lines.length === 0) return html`<p class="faint">Nothing.</p>`;
  return html`<ul class="plain">${lines.map(({ event, person }) => {
    const words = happenedInWords(event, amountOfEvent);
    const { payment_intent_id: payment } = event;
    return html`<li>${moment(event.created_at, context)}: ${payment === null ? words : html`<a href="${base}payments/${payment}">${words}</a>`}${person === null ? null : html` by <strong>${person}</strong>`}</li>
`;
  })}</ul>`;
}

function cursorIn(query: URLSearchParams): HistoryCursor | null {
  const [before = '', number = ''] = [query.get('before') ?? '', query.get('number') ?? ''];
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z$/.test(before) || !/^\d{1,15}$/.test(number)) return null;
  const at = new Date(before);
  return Number.isNaN(at.getTime()) ? null : { at, sequence: Number(number) };
}

function queryOf(group: HistoryGroup | null, { at, sequence }: HistoryCursor): string {
  return new URLSearchParams({ group: group ?? '', before: at.toISOString(), number: String(sequence) }).toString();
}
