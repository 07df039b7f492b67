import { addDays, dateIn } from '../../domain/calendar.ts';
import { inMoney } from '../../domain/currencies.ts';
import { type Html, html } from '../../platform/html.ts';
import { webPage } from '../../platform/web-page.ts';
import type { NamedLine, StatementDocument } from '../../services/reports/statement.ts';
import { paperStyle } from './paper.ts';

const inWords: Readonly<Record<NamedLine['type'], string>> = {
  owed_before: 'Owed before',
  charged: 'Charged',
  waived: 'Waived',
  collected: 'Paid',
  refunded: 'Refunded',
  returned: 'Taken back by the bank',
  owed: 'Owed',
};

/** Renders a statement for printing: who gives it, for whom and for when, the totals, and the lines between them. */
export function statementDocument(statement: StatementDocument): string {
  const { biller, customer, from, to, timeZone, totals, lines, livemode } = statement;
  const name = biller.display_name ?? biller.name;
  const title = `Statement of ${customer.name}`;
  const [first, end] = [dateIn(from, timeZone), dateIn(to, timeZone)];
  const hasTax = totals.some(({ tax }) => tax !== 0) || lines.some(({ tax }) => tax !== null && tax !== 0);
  const body = html`<main>
<h1>${title}</h1>
${livemode ? null : html`<p><strong>Sandbox:</strong> this is a test. No money was taken.</p>\n`}
${facts([
  ['From', name],
  ['Address', biller.address],
  ['Tax id', biller.tax_id],
  ['For', customer.name],
  ['Reference', customer.reference],
  ['First day', first],
  ['Last day', end > first ? addDays(end, -1) : end],
])}
${totals.map(
  ({ currency, tax, ...sums }) => html`<h2>${currency}</h2>
${facts([
  ['Owed before', inMoney(sums.owed_before, currency)],
  ['Charged', inMoney(sums.charged, currency)],
  ['Waived', sums.waived === 0 ? null : inMoney(sums.waived, currency)],
  ['Paid', inMoney(sums.collected, currency)],
  ['Refunded', sums.refunded === 0 ? null : inMoney(sums.refunded, currency)],
  ['Taken back by the bank', sums.returned === 0 ? null : inMoney(sums.returned, currency)],
  ['Owed', inMoney(sums.owed, currency)],
  ['Tax in what was paid', hasTax ? inMoney(tax, currency) : null],
])}
`,
)}<h2>Lines</h2>
${linesOf(lines, hasTax)}
</main>`;
  return webPage({ lang: 'en', title, style: paperStyle, body });
}

/** A table of names and values. A value that is null is left out. */
function facts(rows: readonly (readonly [name: string, value: string | null])[]): Html {
  const known = rows.filter(([, value]) => value !== null);
  return html`<table>
${known.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</table>`;
}

function linesOf(lines: readonly NamedLine[], hasTax: boolean): Html {
  if (lines.length === 0) return html`<p>Nothing was charged and nothing was paid.</p>`;
  const tax = ({ tax: amount, currency }: NamedLine) =>
    html`<td class="sum">${amount === null ? '' : inMoney(amount, currency)}</td>`;
  return html`<table>
<thead><tr><th>Date</th><th>What</th><th>For</th><th class="sum">Amount</th>${hasTax ? html`<th class="sum">Tax in it</th>` : null}<th class="sum">Owed</th></tr></thead>
<tbody>
${lines.map(
  (
    line,
  ) => html`<tr><td>${line.date}</td><td>${inWords[line.type]}</td><td>${line.name ?? ''}</td><td class="sum">${inMoney(line.amount, line.currency)}</td>${hasTax ? tax(line) : null}<td class="sum">${inMoney(line.owed, line.currency)}</td></tr>
`,
)}</tbody></table>`;
}
