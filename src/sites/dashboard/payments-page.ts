import { intentFilterOf } from '../../api/http/payment-filter.ts';
import type { PaymentTotals } from '../../db/payment-totals.ts';
import { currencies } from '../../domain/currencies.ts';
import { methodTypes } from '../../domain/surcharges/means.ts';
import { type Html, html } from '../../platform/html.ts';
import { listPayments, type PaymentList, sumAllPayments } from '../../services/dashboard/payment-list.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { purposeInWords } from './payment-page.ts';
import { filterTyped, readSearch } from './payment-search.ts';
import { amount, dayOf, errorInWords, statusPill, statusWords } from './words.ts';

const path = 'payments';

/** The payments of an account that pass a filter: their sums by currency, and 50 on a page. */
export async function showPayments(request: DashboardRequest): Promise<Answer> {
  const { sql, context, reportSlots, query: address, base, may } = request;
  const { sum, typed } = withoutSum(address);
  const query = readSearch(typed, context);
  const filter = intentFilterOf(query);
  const list = await listPayments(sql, context, filter, query);
  const totals = list.totals ?? (sum ? await sumAllPayments(sql, context, reportSlots, filter, query) : null);
  const filtered = filterTyped(typed);
  return {
    status: 200,
    title: 'Payments',
    main: html`<div class="title"><h1>Payments</h1>${may('download') ? html`<p><a href="${base}payments.csv?${filtered}">Download as CSV</a></p>` : null}</div>
${searchForm(typed, base)}
${context.livemode || query.test_clock !== 'none' ? null : html`<p class="faint">What is on test clocks is left out.</p>`}
<section class="card" id="totals"><h2>Totals</h2>${
      totals === null
        ? html`<p>There are more than 100,000 payments. <a href="${base}${path}?${filterTyped(typed, { sum: 'all' })}">Add them all up</a>; it takes a few seconds.</p>`
        : totalsTable(totals)
    }</section>
<section class="card" id="payments"><h2>List</h2>${list.payments.length === 0 ? html`<p role="status">No payments.</p>` : table(list, base, context)}
${
  list.next === null
    ? null
    : html`<p><a href="${base}${path}?${filterTyped(typed, { starting_after: list.next })}" rel="next">Next page</a></p>`
}</section>`,
  };
}

/** `sum=all` belongs to this page alone. */
function withoutSum(address: URLSearchParams): { sum: boolean; typed: URLSearchParams } {
  const typed = new URLSearchParams(address);
  typed.delete('sum');
  return { sum: address.get('sum') === 'all', typed };
}

function totalsTable(totals: readonly PaymentTotals[]): Html {
  if (totals.length === 0) return html`<p class="faint">Nothing.</p>`;
  const columns = ['amount', 'surcharge', 'total', 'refunded', 'returned', 'net_collected'] as const;
  return html`<table class="cards"><thead><tr><th scope="col">Currency</th><th scope="col" class="number">Payments</th><th scope="col" class="number">Amount</th><th scope="col" class="number">Surcharge</th><th scope="col" class="number">Total</th><th scope="col" class="number">Refunded</th><th scope="col" class="number">Taken back</th><th scope="col" class="number">You hold</th></tr></thead>
<tbody>${totals.map(
    (
      sums,
    ) => html`<tr><th scope="row">${sums.currency}</th><td class="number" data-label="Payments">${sums.payments}</td>
${columns.map((column) => html`<td class="number" data-label="${labels[column]}">${amount(sums[column], sums.currency)}</td>`)}</tr>
`,
  )}</tbody></table>`;
}

const labels = {
  amount: 'Amount',
  surcharge: 'Surcharge',
  total: 'Total',
  refunded: 'Refunded',
  returned: 'Taken back',
  net_collected: 'You hold',
} as const;

function table({ payments }: PaymentList, base: string, context: RequestContext): Html {
  return html`<table class="cards"><thead><tr><th scope="col">Payment</th><th scope="col">Status</th><th scope="col">Customer</th><th scope="col">For</th><th scope="col">By</th><th scope="col">Collected</th><th scope="col">Created</th></tr></thead>
<tbody>${payments.map(({ payment, customer, method, purpose }) => {
    const why = payment.status === 'failed' || payment.status === 'returned' ? errorInWords(payment) : '';
    return html`<tr><td><a href="${base}payments/${payment.id}">${amount(payment.total_amount, payment.currency)}</a></td>
<td data-label="Status">${statusPill(payment)} ${why}</td>
<td data-label="Customer">${customer === null ? null : html`<a href="${base}customers/${customer.id}">${customer.name}</a>${customer.test_clock_id === null ? null : ' (on a test clock)'}`}</td>
<td data-label="For">${purposeInWords(purpose, base)}</td>
<td data-label="By">${method === null ? null : methodInWords(method)}</td>
<td data-label="Collected">${payment.collected_at === null ? null : dayOf(payment.collected_at, context)}</td>
<td data-label="Created">${dayOf(payment.created_at, context)}</td></tr>
`;
  })}</tbody></table>`;
}

const methodsInWords: Readonly<Record<(typeof methodTypes)[number], string>> = {
  card: 'Card',
  au_becs_debit: 'Bank debit',
  klarna: 'Klarna',
  pay_id: 'PayID',
  paypal: 'PayPal',
};

function searchForm(typed: URLSearchParams, base: string): Html {
  const field = (name: string, label: string, type = 'text', more = html``) =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${typed.get(name) ?? ''}"${more}></div>`;
  const date = (name: string, label: string) => field(name, label, /T/.test(typed.get(name) ?? '') ? 'text' : 'date');
  const statuses = Object.entries(statusWords).map(([value, { words }]) => ({ value, label: words }));
  const methods = methodTypes.map((value) => ({ value, label: methodsInWords[value] }));
  const known = currencies.map((value) => ({ value, label: value }));
  return html`<form method="get" action="${base}${path}" class="card filters" aria-label="Filter">
${choice('status', 'Status', statuses, typed)}${choice('payment_method_type', 'Method', methods, typed)}
${field('amount', 'Total, such as 49.00', 'text', html` inputmode="decimal" maxlength="40"`)}${choice('currency', 'Currency', known, typed)}
${date('collected_from', 'Collected from')}${date('collected_to', 'Collected to')}
${date('created_from', 'Created from')}${date('created_to', 'Created to')}
${field('customer_id', 'Customer, by id', 'text', html` maxlength="100"`)}${field('for', 'Plan, subscription or link, by id', 'text', html` maxlength="100"`)}
${hiddenFields(typed)}<div><button>Show</button> <a href="${base}${path}">Show all</a></div></form>`;
}

function choice(
  name: string,
  label: string,
  options: readonly { value: string; label: string }[],
  typed: URLSearchParams,
): Html {
  const chosen = typed.get(name);
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">Any</option>${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === chosen ? html` selected` : null}>${option.label}</option>`,
  )}</select></div>`;
}

/** Filters of an address that the form has no field for: they stay. */
function hiddenFields(typed: URLSearchParams): Html[] {
  const others = [
    'payment_plan_id',
    'subscription_id',
    'payment_link_id',
    'test_clock',
    'total_amount',
    'updated_from',
    'updated_to',
  ];
  return others.flatMap((name) => {
    const value = typed.get(name) ?? '';
    return value === '' ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
}
