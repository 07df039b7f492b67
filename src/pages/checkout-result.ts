import type { PaidSubject } from '../db/page-payments.ts';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import type { PaymentMethodRow } from '../db/payment-methods.ts';
import { type Html, html, isolated } from '../platform/html.ts';
import { stateOfLink } from '../services/links/availability.ts';
import type { SessionForPayer } from '../services/links/public-tokens.ts';
import { tokenOf } from '../services/links/tokens.ts';
import { pageTokenOf } from '../services/pages/page-urls.ts';
import type { Payee } from '../services/pages/paying.ts';
import type { Purchase } from '../services/pages/purchase.ts';
import { endedPage } from './ended-pages.ts';
import { rows } from './layout.ts';
import type { Page, PageRequest } from './page-request.ts';
import { amountRows, methodInWords, purposeRows, statement } from './payment-words.ts';
import { inQuotes } from './terms.ts';

/**
 * The same for all but the payer who has just paid: others have the URL too, such as the second holder of a link.
 * Nothing is shown of the payment, its payer or the way it was paid.
 */
export function resultForOthers(request: PageRequest, found: SessionForPayer, payee: Payee): Page {
  const { token } = request;
  const { session, intent, state } = found;
  if (state !== 'completed') {
    return {
      status: 200,
      title: 'This is already being paid',
      payee,
      watched: { url: `/checkout/${token}/state`, is: state },
      main: html`<p>You were not charged.</p><p>If you paid it, you do not need to do anything.</p>`,
    };
  }
  if (intent?.status === 'returned') {
    return {
      status: 410,
      title: 'The bank has taken this payment back',
      payee,
      main: html`${afterReturn(request, found, payee)}`,
    };
  }
  return endedPage(payee, 'completed', session.mode === 'setup');
}

/** What there is to do about a payment that came back: pay it again, if its link takes payments. */
function afterReturn(request: PageRequest, found: SessionForPayer, payee: Payee): Html {
  if (found.link?.max_payments === 1 && found.link.status === 'completed') {
    return html`<p>It has been paid again since. You do not need to do anything.</p>`;
  }
  const openAgain = openLinkOf(request, found);
  return html`<p>${payee.name} no longer has the money. If you have a question, ask ${payee.name}.</p>
${openAgain === null ? null : html`<p><a class="button" href="${openAgain}">Pay again</a></p>`}`;
}

/** Returns the path of the link of a session, or null if the link takes no payments, or there is none. */
export function openLinkOf({ deps }: PageRequest, { link, at }: SessionForPayer): string | null {
  if (link === null || stateOfLink(link, at) !== 'open') return null;
  return `/pay/${tokenOf(deps.vault, 'payment_link_tokens', link)}`;
}

/** While the payer is at the bank. It may be the payer who has come another way. */
export function bankForOthers(url: string, payee: Payee): Page {
  return {
    status: 200,
    title: 'This is already being paid',
    payee,
    main: html`<p>You were not charged.</p><p>If you are the payer, your bank needs you to confirm the payment.</p>
<p><a class="button" href="${url}">Go to your bank</a></p>`,
  };
}

/** What has come of a session: its payment and the way to pay, each or null, and what it was for. */
export interface SessionResult {
  intent: PaymentIntentRow | null;
  method: PaymentMethodRow | null;
  purchase: Purchase;
  /** What the method pays now, if the payer has made it the default. */
  paidByUsual: readonly PaidSubject[];
}

/** What the payer who has made it sees of a session: paid, saved, or under way. */
export function resultPage(
  request: PageRequest,
  found: SessionForPayer,
  payee: Payee,
  { intent, method, purchase, paidByUsual }: SessionResult,
): Page {
  const { session, state } = found;
  const methodRow: [string, string | null] = ['With', method === null ? null : methodInWords(method)];
  const about = [...purposeRows(purchase), methodRow, ...keptForRows(purchase)];
  if (state !== 'completed') {
    return {
      status: 200,
      title: 'Your payment is being processed',
      payee,
      watched: { url: `/checkout/${request.token}/state`, is: state },
      main: html`<p>You do not need to do anything. You can close this page.</p>
${rows([...about, ...(intent === null ? [] : amountRows(intent, request.locale)), ['Result expected by', intent?.expected_result_date ?? null]])}`,
    };
  }
  if (intent?.status === 'returned') {
    return {
      status: 200,
      title: 'Your bank has taken this payment back',
      payee,
      main: html`${afterReturn(request, found, payee)}
${rows([...about, ...amountRows(intent, request.locale)])}
${receiptOf(request, intent)}`,
    };
  }
  const isSetup = session.mode === 'setup';
  return {
    status: 200,
    title: isSetup ? 'Your details were saved' : 'Thank you for your payment',
    payee,
    main: html`<p class="good">${isSetup ? `${isolated(payee.name)} can use them from now on.` : `You have paid ${isolated(payee.name)}.`}</p>
${session.made_default ? html`<p>This is now your usual payment method with ${payee.name}.${paidByUsual.length === 0 ? null : ` It pays ${inQuotes(paidByUsual)}.`}</p>` : null}
${rows([...about, ...(intent === null ? [] : amountRows(intent, request.locale))])}
${intent === null ? null : statement(purchase.lines, intent, request.locale)}
${intent?.status === 'succeeded' ? receiptOf(request, intent) : null}
${onward(session.success_url, session.id)}`,
  };
}

/** What the way to pay is kept for: a plan, or a subscription with its items. */
function keptForRows({ keptFor, name }: Purchase): [string, string | null][] {
  if (keptFor === null) return [];
  const items = keptFor.items.map((item) =>
    item.quantity === 1 ? isolated(item.name) : `${item.quantity} × ${isolated(item.name)}`,
  );
  const included = items.join(', ');
  return [
    ['Kept for', keptFor.name === name ? null : keptFor.name],
    ['Includes', included === '' || included === isolated(keptFor.name) ? null : included],
  ];
}

function receiptOf({ deps }: PageRequest, { id }: PaymentIntentRow): Html {
  return html`<p><a class="button other" href="/receipt/${pageTokenOf(deps.vault, 'receipt', id)}">Show the receipt</a></p>`;
}

/** The way back to the biller. A link, because a form of ours may not lead to another site. */
function onward(url: string | null, sessionId: string): Html {
  if (url === null) return html`<p>You can close this page.</p>`;
  return html`<p><a class="button" href="${url.replaceAll('{CHECKOUT_SESSION_ID}', sessionId)}">Continue</a></p>`;
}
