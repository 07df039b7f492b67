import { netCollected } from '../domain/net-collected.ts';
import { abnIn, inGroups } from '../domain/tax/abn.ts';
import type { MinorUnits } from '../domain/units.ts';
import { day, moment } from '../domain/words/dates.ts';
import { money } from '../domain/words/money.ts';
import { type Html, html, isolated } from '../platform/html.ts';
import { findReceipt, type Receipt } from '../services/pages/payment-pages.ts';
import { rows } from './layout.ts';
import { type Answer, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { amountRows, methodInWords, purposeRows, statement } from './payment-words.ts';
import { notFound } from './plain-pages.ts';

async function show(request: PageRequest): Promise<Answer> {
  const { deps, token, locale } = request;
  const receipt = await findReceipt(deps.sql, deps.vault, token, payerOf(request));
  if (receipt === null) return notFound;
  const title = receipt.isTaxInvoice ? 'Tax invoice' : 'Receipt';
  return { status: 200, title, payee: receipt.payee, main: content(receipt, locale) };
}

function content(receipt: Receipt, locale: string) {
  const { intent, payee, purpose, lines, method, collectedAt, isTaxInvoice, buyer } = receipt;
  const abn = isTaxInvoice ? abnIn(payee.tax_id ?? '') : null;
  const { currency, total_amount: total, total_refunded_amount: refunded, total_returned_amount: returned } = intent;
  const kept = netCollected(intent);
  return html`<p class="amount">${money(total, currency, locale)}</p>
${rows([
  ['Number', receiptNumber(intent.id)],
  ['Paid to', payee.name],
  ['ABN', abn && inGroups(abn)],
  ['Paid by', isTaxInvoice ? buyer : null],
  ...purposeRows(purpose),
  ['Date', moment(collectedAt, payee.timeZone)],
  ['Paid with', method === null ? null : methodInWords(method)],
  ['On your statement', intent.statement_descriptor],
  ...amountRows(intent, locale),
])}
${statement(lines, intent, locale, isTaxInvoice ? 1 : 2)}
${refundsOf(receipt, locale)}
${returned === 0 ? null : html`<h2>Taken back by the bank</h2>${rows([['Returned', money(-returned, currency, locale)]])}`}
${refunded + returned === 0 ? null : html`<p>Paid after that: <strong>${money(Math.max(0, kept), currency, locale)}</strong></p>`}
<p class="faint screen">To save this receipt, print the page or save it as PDF.</p>`;
}

/**
 * The refunds of a payment. Those of a tax invoice are adjustment notes: each says how much the price and the tax fall,
 * and what the price is after it. Source: A New Tax System (Goods and Services Tax) Adjustment Note Information
 * Requirements Determination 2022 (https://www.legislation.gov.au/F2022L01272), and GSTR 2013/2.
 */
function refundsOf({ intent, payee, refunds, isTaxInvoice }: Receipt, locale: string): Html | null {
  if (refunds.length === 0) return null;
  const { currency, total_amount: total, tax_basis: tax } = intent;
  const sum = (amount: MinorUnits) => money(amount, currency, locale);
  let price = total;
  const pairs = refunds.flatMap(({ amount, tax_amount: taxGiven, updated_at, is_since_lost }): [string, Html][] => {
    const before = price;
    // One before a dispute that was lost is no part of what was collected again.
    if (is_since_lost) price -= amount;
    const refund: [string, Html] = ['Refund', html`${day(updated_at, payee.timeZone)} ${sum(-amount)}`];
    if (tax === null || taxGiven === 0) return [refund];
    const given: [string, Html] = [`${isolated(tax.label)} in this refund`, sum(-taxGiven)];
    return isTaxInvoice && is_since_lost
      ? [refund, given, ['Price', html`from ${sum(before)} to ${sum(price)}`]]
      : [refund, given];
  });
  const isNote = isTaxInvoice && refunds.some(({ tax_amount: taxGiven }) => taxGiven > 0);
  return html`<h2>${isNote ? 'Adjustment note: refunds' : 'Refunds'}</h2>
${rows(pairs)}`;
}

/** A number that a person can read out: the end of the payment's id, which a biller's programmer can search for. */
function receiptNumber(intentId: string): string {
  return intentId.slice(-10);
}

export const receiptRoutes: PageRoute[] = [{ method: 'GET', path: '/receipt/:token', handle: show }];
