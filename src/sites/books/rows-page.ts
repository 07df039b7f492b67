import type { BalanceTransactionRow } from '../../db/balance.ts';
import { inMoney } from '../../domain/currencies.ts';
import { type Html, html, isolated } from '../../platform/html.ts';

/** Where the links of the rows lead. Null: there is no page of a customer. */
export interface RowsLinks {
  month: string;
  older: string | null;
  customer: ((id: string) => string) | null;
}

/** Writes rows of the books, newest first: what moved, for whom, what it cost, and what remains. */
export function rowsOfBooks(title: string, rows: readonly BalanceTransactionRow[], links: RowsLinks): Html {
  return html`<h1>${title}</h1>
<p><a href="${links.month}">The month</a></p>
<section class="card">${
    rows.length === 0
      ? html`<p>No rows.</p>`
      : html`<table class="cards"><caption>Newest first; instants are in UTC.</caption>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Whose</th><th scope="col">Available on</th>
<th scope="col" class="number">Gross</th><th scope="col" class="number">Fee</th><th scope="col" class="number">Net</th></tr></thead>
<tbody>${rows.map((row) => shownRow(row, links))}</tbody></table>`
  }</section>
${links.older === null ? null : html`<p><a href="${links.older}">Older rows</a></p>`}`;
}

function shownRow(row: BalanceTransactionRow, { customer }: RowsLinks): Html {
  const { id, type, currency, gross, fee, net, source, description, customer_id: who, available_on: day } = row;
  const at = row.created_at.toISOString();
  const shownCustomer = who === null || customer === null ? html`${who}` : html`<a href="${customer(who)}">${who}</a>`;
  return html`<tr id="${id}"><th scope="row"><time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></th>
<td data-label="What">${type.replaceAll('_', ' ')} <code>${source}</code>${description === null ? null : html` ${isolated(description)}`}</td>
<td data-label="Whose">${shownCustomer}</td><td data-label="Available on">${day ?? 'not told'}</td>
<td class="number" data-label="Gross">${inMoney(gross, currency)}</td>
<td class="number" data-label="Fee">${inMoney(fee, currency)}</td>
<td class="number" data-label="Net">${inMoney(net, currency)}</td></tr>
`;
}
