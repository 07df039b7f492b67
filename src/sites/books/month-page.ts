import type { MonthRow } from '../../db/ledger-months.ts';
import { inMoney } from '../../domain/currencies.ts';
import type { BalanceTransactionType } from '../../domain/ledger/balance-transactions.ts';
import { type Html, html } from '../../platform/html.ts';
import type { Month } from '../../services/ledger/month.ts';

/** What a type of movement is to a person. */
const movementsInWords: Readonly<Record<BalanceTransactionType, string>> = {
  payment: 'Payments',
  refund: 'Refunds',
  return: 'Debits that came back',
  adjustment: 'Fees given back',
  payout: 'Payouts',
  payout_failure: 'Payouts that failed',
  dispute: 'Disputes',
  dispute_reversal: 'Disputes that were won',
};

/** Returns `February 2027` for `2027-02`. */
export function monthInWords(month: string): string {
  const format = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

/** Where the links of the page lead. */
export interface BooksLinks {
  month(name: string): string;
  /** The rows of a month in a currency, of one type or of all. */
  rows(month: string, currency: string, type: BalanceTransactionType | null): string;
}

/**
 * Writes a month of the books: what there was, what has moved, what there is. Each figure leads to its rows. `whose` is
 * the sentence that says whose books they are.
 */
export function monthOfBooks(month: Month, links: BooksLinks, whose: Html | string): Html {
  const { from, to, before, after, currencies, completeUpTo } = month;
  return html`<div class="title"><h1>The books of ${monthInWords(month.month)}</h1>
<nav aria-label="Months"><a href="${links.month(before)}">${monthInWords(before)}</a> <a href="${links.month(after)}">${monthInWords(after)}</a></nav></div>
<p>${whose} From ${from} on and before ${to}, in the time zone of the account. Complete up to event ${completeUpTo}.</p>
${
  currencies.length === 0
    ? html`<section class="card"><p>No money has moved yet. A payment is here within a second of its success.</p></section>`
    : currencies.map((row) => ofCurrency(row, month, links))
}
<p class="faint">Every row has an id, and the API has the same rows (<a href="/docs/guides/17-close-a-month">guide</a>).</p>`;
}

function ofCurrency({ currency, opening, closing, movements }: MonthRow, month: Month, links: BooksLinks): Html {
  const money = (amount: number) => html`<td class="number">${inMoney(amount, currency)}</td>`;
  const present = month.present.find((balance) => balance.currency === currency);
  const now =
    present === undefined
      ? null
      : html`<p>At present: ${inMoney(present.available, currency)} available, ${inMoney(present.pending, currency)} pending,
${inMoney(present.in_flight, currency)} with the bank${present.held === 0 ? '' : `, ${inMoney(present.held, currency)} under dispute`}${
          present.credit === 0 ? '' : html`; subscriptions owe back ${inMoney(present.credit, currency)} of credit`
        }.</p>`;
  return html`<section class="card" id="${currency}" aria-label="${currency}"><h2>${currency}</h2>
<table class="cards"><caption>What was taken and is not paid out: before the month, in it, after it.</caption>
<thead><tr><th scope="col">Movement</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Gross</th>
<th scope="col" class="number">Fees</th><th scope="col" class="number">Net</th></tr></thead>
<tbody><tr><th scope="row">At the beginning</th><td></td><td></td><td></td>${money(opening)}</tr>
${movements.map(
  ({ type, count, gross, fee, net }) => html`<tr><th scope="row">${movementsInWords[type]}</th>
<td class="number" data-label="Rows"><a href="${links.rows(month.month, currency, type)}">${count}</a></td>
<td class="number" data-label="Gross">${inMoney(gross, currency)}</td>
<td class="number" data-label="Fees">${inMoney(fee, currency)}</td>
<td class="number" data-label="Net">${inMoney(net, currency)}</td></tr>
`,
)}<tr><th scope="row">At the end</th><td class="number" data-label="Rows"><a href="${links.rows(month.month, currency, null)}">all</a></td>
<td></td><td></td>${money(closing)}</tr></tbody></table>
${now}</section>
`;
}
