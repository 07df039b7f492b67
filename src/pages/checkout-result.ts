import type { PaymentIntentRow } from '../db/payment-intents.ts';
import type { PaymentMethodRow } from '../db/payment-methods.ts';
import { type Html, html } from '../platform/html.ts';
import type { SessionForPayer } from '../services/links/public-tokens.ts';
import { pageTokenOf } from '../services/pages/page-urls.ts';
import type { Payee } from '../services/pages/paying.ts';
import { rows } from './layout.ts';
import { amountRows, methodInWords } from './payment-words.ts';
import type { Page, Visit } from './visit.ts';

/** What has become of a session: paid, saved, or under way. */
export function resultPage(
  visit: Visit,
  { session, state }: SessionForPayer,
  payee: Payee,
  { intent, method }: { intent: PaymentIntentRow | null; method: PaymentMethodRow | null },
): Page {
  const methodRow: [string, string | null] = ['With', method === null ? null : methodInWords(method)];
  if (state === 'processing') {
    return {
      status: 200,
      title: 'Your payment is on its way',
      payee,
      watched: { url: `/checkout/${visit.token}/state`, is: state },
      main: html`<p>You need not do anything, and you need not keep this page open.</p>
${rows([methodRow, ...(intent === null ? [] : amountRows(intent, visit.locale)), ['Result expected by', intent?.expected_result_date ?? null]])}`,
    };
  }
  if (intent?.status === 'returned') {
    return {
      status: 200,
      title: 'Your bank has taken this payment back',
      payee,
      main: html`<p>${payee.name} does not have the money any more. If you have a question, ask ${payee.name}.</p>
${rows([methodRow, ...amountRows(intent, visit.locale)])}
${receiptOf(visit, intent)}`,
    };
  }
  const isSetup = session.mode === 'setup';
  return {
    status: 200,
    title: isSetup ? 'Your details were saved' : 'Thank you for your payment',
    payee,
    main: html`<p class="good">${isSetup ? `${payee.name} can use them from now on.` : `You have paid ${payee.name}.`}</p>
${rows([methodRow, ...(intent === null ? [] : amountRows(intent, visit.locale))])}
${intent?.status === 'succeeded' ? receiptOf(visit, intent) : null}
${onward(session.success_url, session.id)}`,
  };
}

function receiptOf({ deps }: Visit, { id }: PaymentIntentRow): Html {
  return html`<p><a class="button other" href="/receipt/${pageTokenOf(deps.vault, 'receipt', id)}">Show the receipt</a></p>`;
}

/** The way back to the biller. A link, because a form of ours may not lead to another site. */
function onward(url: string | null, sessionId: string): Html {
  if (url === null) return html`<p>You can close this page.</p>`;
  return html`<p><a class="button" href="${url.replaceAll('{CHECKOUT_SESSION_ID}', sessionId)}">Continue</a></p>`;
}
