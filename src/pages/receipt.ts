import { netCollected } from '../domain/net-collected.ts';
import { day, moment } from '../domain/words/dates.ts';
import { money } from '../domain/words/money.ts';
import { html } from '../platform/html.ts';
import { findReceipt, type Receipt } from '../services/pages/payment-pages.ts';
import { rows } from './layout.ts';
import { type Answer, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { amountRows, methodInWords, purposeRows, statement } from './payment-words.ts';
import { notFound } from './plain-pages.ts';

async function show(request: PageRequest): Promise<Answer> {
  const { deps, token, locale } = request;
  const receipt = await findReceipt(deps.sql, deps.vault, token, payerOf(request));
  if (receipt === null) return notFound;
  return { status: 200, title: 'Receipt', payee: receipt.payee, main: content(receipt, locale) };
}

function content({ intent, payee, purpose, lines, method, collectedAt, refunds }: Receipt, locale: string) {
  const { currency, total_amount: total, total_refunded_amount: refunded, total_returned_amount: returned } = intent;
  const kept = netCollected(intent);
  return html`<p class="amount">${money(total, currency, locale)}</p>
${rows([
  ['Number', receiptNumber(intent.id)],
  ['Paid to', payee.name],
  ...purposeRows(purpose),
  ['Date', moment(collectedAt, payee.timeZone)],
  ['Paid with', method === null ? null : methodInWords(method)],
  ['On your statement', intent.statement_descriptor],
  ...amountRows(intent, locale),
])}
${statement(lines, currency, locale)}
${
  refunds.length === 0
    ? null
    : html`<h2>Refunds</h2>
${rows(refunds.map(({ amount, updated_at }) => [`Refund`, html`${day(updated_at, payee.timeZone)} ${money(-amount, currency, locale)}`]))}`
}
${returned === 0 ? null : html`<h2>Taken back by the bank</h2>${rows([['Returned', money(-returned, currency, locale)]])}`}
${refunded + returned === 0 ? null : html`<p>Paid after that: <strong>${money(Math.max(0, kept), currency, locale)}</strong></p>`}
<p class="faint screen">To save this receipt, print the page or save it as PDF.</p>`;
}

/** A number that a person can read out: the end of the payment's id, which a biller's programmer can search for. */
function receiptNumber(intentId: string): string {
  return intentId.slice(-10);
}

export const receiptRoutes: PageRoute[] = [{ method: 'GET', path: '/receipt/:token', handle: show }];
