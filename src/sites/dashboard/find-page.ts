import type { CustomerRow } from '../../db/customers.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import { type Found, find, newestFailures, type PaymentHit } from '../../services/dashboard/find.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amount, dayOf, errorInWords, statusPill } from './words.ts';

const longestQuery = 255;

/** The first page: one field that finds, what it has found, and the newest failures. */
export async function showFind({ sql, context, base, query }: DashboardRequest): Promise<Answer> {
  const text = (query.get('q') ?? '').slice(0, longestQuery);
  const [found, failures] = await Promise.all([
    text.trim() === '' ? null : find(sql, context, text),
    newestFailures(sql, context),
  ]);
  return {
    status: 200,
    title: text === '' ? 'Find' : `${text} · Find`,
    main: html`<h1>Find</h1>
<form method="get" action="${base.slice(0, -1)}" class="find" role="search">
<label for="q">Id, e-mail address, reference, name, last four digits, amount, or reference on a statement</label>
<input id="q" name="q" type="search" maxlength="${longestQuery}" value="${text}"
 placeholder="Name, e-mail, reference, 4242, 49.00"><button>Find</button></form>
${found === null ? null : hits(found, base, context)}
<section class="card" id="failures"><h2>Newest failures</h2>
${failures.length === 0 ? html`<p class="faint">No payment has failed.</p>` : paymentList(failures, base, context)}</section>`,
  };
}

function hits({ customers, payments, isCut }: Found, base: string, context: RequestContext): Html {
  if (customers.length + payments.length === 0) {
    return html`<section class="card" id="found"><h2>Found</h2><p role="status">Nothing was found.</p></section>`;
  }
  return html`<section class="card" id="found"><h2>Found</h2>
${isCut ? html`<p role="status">There are more. Say more to find fewer.</p>` : null}
${customers.length === 0 ? null : html`<ul class="hits">${customers.map((customer) => customerCard(customer, base))}</ul>`}
${payments.length === 0 ? null : paymentList(payments, base, context)}</section>`;
}

function customerCard(customer: CustomerRow, base: string): Html {
  const { id, name, email, reference, status, test_clock_id: clock, deleted_at: deletedAt } = customer;
  const facts = [email, reference].flatMap((fact) => (fact === null ? [] : [isolated(fact)]));
  return html`<li><a href="${base}customers/${id}">${name}</a> <span class="pill">${deletedAt === null ? status : 'deleted'}</span>${
    clock === null ? null : html` <span class="pill wait">on a test clock</span>`
  }
<p>${facts.join(' · ')} <code>${id}</code></p></li>
`;
}

/** Payments as a list: what, how it stands and why, whose, and when. */
function paymentList(hitsOf: readonly PaymentHit[], base: string, context: RequestContext): Html {
  return html`<table class="cards"><thead><tr><th scope="col">Payment</th><th scope="col">Status</th><th scope="col">Customer</th><th scope="col">For</th><th scope="col">On</th></tr></thead>
<tbody>${hitsOf.map(({ payment, customer }) => {
    const why = payment.status === 'failed' || payment.status === 'returned' ? errorInWords(payment) : '';
    return html`<tr><td><a href="${base}payments/${payment.id}">${amount(payment.total_amount, payment.currency)}</a></td>
<td data-label="Status">${statusPill(payment)} ${why}</td>
<td data-label="Customer">${customer === null ? null : html`<a href="${base}customers/${payment.customer_id}">${customer.name}</a>${customer.test_clock_id === null ? null : ' (on a test clock)'}`}</td>
<td data-label="For">${payment.description}</td>
<td data-label="On">${dayOf(payment.updated_at, context)}</td></tr>
`;
  })}</tbody></table>`;
}
