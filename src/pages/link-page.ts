import { setTimeout as pause } from 'node:timers/promises';
import type { OfferColumns, PaymentLinkRow } from '../db/payment-links.ts';
import type { MethodFacts } from '../domain/surcharges/means.ts';
import { deadline } from '../domain/words/dates.ts';
import { inWords, money } from '../domain/words/money.ts';
import { type Html, html } from '../platform/html.ts';
import type { LinkState } from '../services/links/availability.ts';
import { findLink, type LinkForPayer, type Price, priceFor } from '../services/links/public-tokens.ts';
import { startSession } from '../services/links/session-start.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import { type Payee, payeeOf } from '../services/pages/paying.ts';
import { payerContext } from '../services/request-context.ts';
import { type ComingPayments, comingPayments, type NamedSubject } from '../services/subjects/coming-payments.ts';
import { cameBackWords, endedPage, notOpenYet, refusalPage } from './ended-pages.ts';
import { postedVersion, signature } from './forms.ts';
import { alert, rows } from './layout.ts';
import { possibleMethods, waysOf } from './offered-methods.ts';
import { type Answer, type Page, type PageRequest, type PageRoute, type PagesDeps, payerOf } from './page-request.ts';
import { notFound, oneMoment, staleForm, tooMany } from './plain-pages.ts';
import { inParagraphs, termsOf } from './terms.ts';

const action = 'start';

/** The form of a token. What differs is no token, and needs no look into the database. */
export const tokenPattern = /^[0-9A-Za-z]{32}$/;

interface Linked {
  found: LinkForPayer;
  payee: Payee;
  /** What is taken once a session of the link is completed. */
  coming: ComingPayments | null;
}

async function find(request: PageRequest): Promise<Linked | null> {
  const { deps, token, now } = request;
  const found = tokenPattern.test(token) ? await findLink(deps.sql, token, now) : null;
  if (found === null) return null;
  const [payee, coming] = await Promise.all([
    payeeOf(deps.sql, found.biller, found.link.livemode),
    found.state === 'open' ? comingOf(request, found.link, found, null) : null,
  ]);
  return { found: { ...found, price: leastPrice(deps, found) }, payee, coming };
}

/** The lowest price among the ways to pay that the link offers. */
function leastPrice(deps: PagesDeps, found: LinkForPayer): Price | null {
  return pricesOf(deps, found).toSorted((a, b) => a.totalAmount - b.totalAmount)[0] ?? found.price;
}

function pricesOf(deps: PagesDeps, found: LinkForPayer): Price[] {
  const methods = [...possibleMethods(waysOf(deps, found.link)).values()].flat();
  return methods.flatMap((method) => priceFor(found, found.link.amount, method) ?? []);
}

/** Says that the surcharge depends on the way to pay, if it does. */
function surchargeNote({ deps, locale }: PageRequest, found: LinkForPayer): Html | null {
  const most = pricesOf(deps, found).toSorted((a, b) => b.surchargeAmount - a.surchargeAmount)[0];
  if (most === undefined || most.surchargeAmount === found.price?.surchargeAmount) return null;
  const sum = inWords(most.surchargeAmount, most.currency, locale);
  return html`<p>Some payment methods carry a surcharge of up to ${sum}. You see it before you pay.</p>`;
}

/** Returns what is taken once a link or session is completed, by the plan or subscription that it names. */
export function comingOf(
  request: PageRequest,
  offer: NamedSubject & { livemode: boolean },
  { biller, customer, at }: Pick<LinkForPayer, 'biller' | 'customer' | 'at'>,
  method: MethodFacts | null,
): Promise<ComingPayments | null> {
  const { context, payer } = payerAs(request, offer, { biller, customer, at }, method);
  return comingPayments(request.deps.sql, context, offer, payer);
}

/** Returns a payer as the services see one. */
export function payerAs(
  request: PageRequest,
  { livemode }: { livemode: boolean },
  { biller, customer, at }: Pick<LinkForPayer, 'biller' | 'customer' | 'at'>,
  method: MethodFacts | null,
) {
  const paysFees = customer?.fee_preferences?.customer_pays_transaction_fees ?? false;
  return { context: payerContext(biller, livemode, payerOf(request)), payer: { at, paysFees, method } };
}

async function show(request: PageRequest): Promise<Answer> {
  const linked = await find(request);
  return linked === null ? notFound : (closedPage(request, linked) ?? offer(request, linked));
}

/** Makes or finds the session in which the payer pays. */
async function start(request: PageRequest): Promise<Answer> {
  const { deps, token, address } = request;
  const linked = await find(request);
  if (linked === null) return notFound;
  const closed = closedPage(request, linked);
  if (closed !== null) return closed;
  const here = `/pay/${token}`;
  if (postedVersion(request, action) === null) return staleForm(linked.payee, here);
  const use = await countUse(deps.sql, deps.vault, pageLimits.starts, addressSubject(address));
  if (!use.isAllowed) return tooMany(linked.payee, pageLimits.starts.spanSeconds);
  const started = await startSession(deps.sql, deps.vault, token, payerOf(request));
  if (started.kind === 'started') return { goTo: `/checkout/${started.token}` };
  if (started.kind === 'invalid') throw new Error('a start has no fields that could be invalid');
  return started.kind === 'ended' ? endedPage(linked.payee, started.state) : refusalPage(linked.payee, here, started);
}

/** The page of a link that cannot be paid now, or null. */
function closedPage({ deps, token }: PageRequest, { found, payee }: Linked): Page | null {
  const { link, state } = found;
  if (state === 'advancing') return oneMoment(payee, `/pay/${token}`);
  if (state !== 'open') return endedPage(payee, endOfLink(link, state), link.mode === 'setup');
  const hasNoWay = waysOf(deps, link).types.length === 0 || (link.livemode && deps.processors.live === null);
  return hasNoWay ? notOpenYet(payee) : null;
}

/** What has ended a link that is in this state, as `endedPage` takes it. */
export function endOfLink({ status_reason: reason }: Pick<PaymentLinkRow, 'status_reason'>, state: LinkState): string {
  return state === 'expired' && reason === 'payment_returned' ? reason : state;
}

function offer(request: PageRequest, { found, payee, coming }: Linked): Page {
  const { link, price } = found;
  const terms = termsOf({ offer: link, price, coming }, payee, request.locale);
  const isSetup = link.mode === 'setup';
  return {
    status: 200,
    title: link.name,
    payee,
    watched: { url: `/pay/${request.token}/state`, is: found.state },
    main: html`${found.cameBack ? alert(`${cameBackWords(payee)} You can pay it again here.`) : null}
${link.description === null ? null : html`<p>${link.description}</p>`}
${isSetup ? html`<p>Save a payment method for ${payee.name}.</p>` : amountOf(price, link, request.locale)}
${isSetup ? null : surchargeNote(request, found)}
${inParagraphs(terms)}
${link.expires_at === null ? null : html`<p>Open until ${deadline(link.expires_at, payee.timeZone)}.</p>`}
<form method="post" action="/pay/${request.token}">
${signature(request, action)}
<button>${isSetup ? 'Continue' : 'Continue to payment'}</button>
</form>
${link.cancel_url === null ? null : html`<p><a class="button other" href="${link.cancel_url}">Not now</a></p>`}`,
  };
}

type AmountTerms = Pick<OfferColumns, 'amount_min' | 'amount_max' | 'currency'>;

/** What is to be paid: the total, with the surcharge and the tax in it, or the range to choose from. */
export function amountOf(price: Price | null, offer: AmountTerms, locale: string): Html {
  if (price !== null) {
    const { amount, surchargeAmount, totalAmount, currency, tax } = price;
    return html`<p class="amount">${money(totalAmount, currency, locale)}</p>
${
  surchargeAmount === 0
    ? null
    : rows([
        ['Amount', money(amount, currency, locale)],
        ['Surcharge for this payment method', money(surchargeAmount, currency, locale)],
        ['Total', money(totalAmount, currency, locale)],
      ])
}${tax === null ? null : html`<p class="faint">Includes ${tax.label} ${money(tax.amount, currency, locale)}</p>`}`;
  }
  const { amount_min: min, amount_max: max, currency } = offer;
  if (min === null || max === null || currency === null) return html``;
  return html`<p>You choose the amount, from ${money(min, currency, locale)} to ${money(max, currency, locale)}.</p>`;
}

/** The state of a link, for the script of its page. */
async function state(request: PageRequest): Promise<Answer> {
  const read = async () => {
    const { deps, token, now } = request;
    const found = tokenPattern.test(token) ? await findLink(deps.sql, token, now) : null;
    return found?.state ?? null;
  };
  return stateAnswer(request, read);
}

/** How often a waiting request looks again, in milliseconds. */
const lookMs = 1_000;

/**
 * So many requests may wait in this process, and so many of them for one page; a further one gets its response at once.
 * So one page cannot take the places of all payers.
 */
const mostWaiting = 200;
const mostOfOnePage = 20;
/** The token of the page of each request that waits. */
const waiting: string[] = [];

/** Responds with a state as JSON. With `Prefer: wait` it waits until the state has changed, or the client has gone. */
export async function stateAnswer(
  { waitMs, token, gone }: PageRequest,
  read: () => Promise<string | null>,
): Promise<Answer> {
  const before = await read();
  if (before === null) return notFound;
  let now: string | null = before;
  const ofPage = waiting.filter((other) => other === token).length;
  if (waitMs > 0 && waiting.length < mostWaiting && ofPage < mostOfOnePage) {
    waiting.push(token);
    try {
      for (let left = waitMs; left > 0 && now === before && !gone.aborted; left -= lookMs) {
        await pause(Math.min(left, lookMs), undefined, { signal: gone }).catch(() => {});
        if (!gone.aborted) now = await read();
      }
    } finally {
      waiting.splice(waiting.indexOf(token), 1);
    }
  }
  if (now === null) return notFound;
  return { status: 200, body: JSON.stringify({ status: now }), type: 'application/json; charset=utf-8' };
}

export const linkRoutes: PageRoute[] = [
  { method: 'GET', path: '/pay/:token', handle: show },
  { method: 'POST', path: '/pay/:token', handle: start },
  { method: 'GET', path: '/pay/:token/state', handle: state },
];
