import { customerInstant } from '../../domain/instants.ts';
import { type Html, html } from '../../platform/html.ts';
import { type OpenDebt, type OpenFailures, openFailures } from '../../services/dashboard/open-failures.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amount, date, dayOf, errorInWords, moment } from './words.ts';

/** The morning list: what failed and is tried again, what needs a person, and what is halted and owes. */
export async function showFailures({ sql, context, reportSlots, base }: DashboardRequest): Promise<Answer> {
  const open = await openFailures(sql, context, reportSlots);
  const list = (debts: readonly OpenDebt[]) => debts.map((debt) => debtLine(debt, base, context));
  return {
    status: 200,
    title: 'Failed and due',
    main: html`<h1>Failed and due</h1>
${context.livemode ? null : html`<p class="faint">What is on test clocks is left out.</p>`}
${open.isCut ? html`<p role="status">More is owed than is shown here. The aging report has all of it.</p>` : null}
${section('retried', 'Tried again on its own', list(open.retried))}
${section('waiting', 'Needs a person', [...list(open.waiting), ...singles(open, base, context)])}
${section('halted', 'Suspended or paused, and owes', list(open.halted))}
<p><a href="${base}payments?status=failed">All payments that failed</a></p>`,
  };
}

function section(id: string, title: string, lines: readonly Html[]): Html {
  return html`<section class="card" id="${id}"><h2>${title}</h2>
${lines.length === 0 ? html`<p class="faint">Nothing.</p>` : html`<ul class="plain">${lines.map((line) => html`<li>${line}</li>\n`)}</ul>`}</section>`;
}

/** Who owes how much since when, for what, why, and what happens next. */
function debtLine({ debt, failure }: OpenDebt, base: string, context: RequestContext): Html {
  const what = whatIsOwedFor(debt, base);
  const state = debt.state === null ? null : html` <span class="pill">${debt.state.replaceAll('_', ' ')}</span>`;
  const why =
    failure === null
      ? null
      : html`; the <a href="${base}payments/${failure.id}">last payment</a> failed (${errorInWords(failure)})`;
  const next = debt.next_attempt_at;
  const then =
    next === null
      ? html`. Nothing tries it again on its own.`
      : html`. Tried again on ${moment(customerInstant(next), context)}.`;
  return html`<a href="${base}customers/${debt.customer_id}">${debt.customer_name}</a> owes ${amount(debt.owed, debt.currency)} for ${what}${state}, since ${date(debt.late_since)}${why}${then}`;
}

function whatIsOwedFor({ type, id, name }: OpenDebt['debt'], base: string): Html {
  if (type === 'payment_plan') return html`<a href="${base}plans/${id}">${name ?? id}</a>`;
  if (type === 'subscription') return html`<a href="${base}subscriptions/${id}">${name ?? id}</a>`;
  return html`<a href="${base}payments/${id}">a single payment</a>`;
}

function singles({ single }: OpenFailures, base: string, context: RequestContext): Html[] {
  return single.map(({ payment, customer }) => {
    const who =
      customer === null ? 'No customer' : html`<a href="${base}customers/${customer.id}">${customer.name}</a>`;
    const what = html`<a href="${base}payments/${payment.id}">${amount(payment.total_amount, payment.currency)}</a>`;
    const of = payment.description === null ? null : html` for ${payment.description}`;
    return html`${who}: ${what}${of} failed on ${dayOf(payment.updated_at, context)} (${errorInWords(payment)}). Nothing tries it again on its own.`;
  });
}
