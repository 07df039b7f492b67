import { html } from '../platform/html.ts';
import type { Payee } from '../services/pages/paying.ts';
import { alert } from './layout.ts';
import type { Page } from './page-request.ts';

/** For every address that opens nothing: the same bytes, whatever was wrong with it. */
export const notFound: Page = {
  status: 404,
  title: 'This page does not exist',
  payee: null,
  main: html`<p>The address may be incomplete, or no longer in use. Open the link again from the message that you got,
or ask the business that sent it.</p>`,
};

/** The form was shown too long ago, or is not one of ours. */
export function staleForm(payee: Payee, path: string): Page {
  return {
    status: 400,
    title: 'This page was open for too long',
    payee,
    main: html`${alert('Nothing was paid.')}<p><a class="button" href="${path}">Begin again</a></p>`,
  };
}

/** A field has what may be the number of a card. It must not reach the service, so nothing of the form is kept. */
export const cardNumberRefused: Page = {
  status: 400,
  title: 'Do not enter a card number here',
  payee: null,
  main: html`${alert('Nothing was stored, forwarded or paid.')}<p>One of the fields seems to contain a card number.
Go back and remove it.</p>`,
};

export const badForm: Page = {
  status: 400,
  title: 'The form could not be read',
  payee: null,
  main: html`<p>Nothing was paid. Go back and try again.</p>`,
};

export const formTooLarge: Page = {
  status: 413,
  title: 'The text is too long',
  payee: null,
  main: html`<p>Nothing was paid. Go back and shorten the text.</p>`,
};

/** Another site has sent the payer's browser here with a form. */
export const foreignForm: Page = {
  status: 403,
  title: 'This came from another site',
  payee: null,
  main: html`<p>Nothing was paid. Open the link from the message that you got, and pay there.</p>`,
};

export const wrongMethod: Page = {
  status: 405,
  title: 'This cannot be done here',
  payee: null,
  main: html`<p>Go back and try again.</p>`,
};

/** Too many uses in a short time. */
export function tooMany(payee: Payee | null, seconds: number): Page {
  return {
    status: 429,
    title: 'Please try later',
    payee,
    main: html`${alert('There were too many attempts in a short time. Nothing was paid.')}
<p>Wait ${seconds < 120 ? 'a minute' : `${Math.ceil(seconds / 60)} minutes`}, then try again.</p>`,
    headers: { 'Retry-After': String(seconds) },
  };
}

/** The clock of a test customer is moving. */
export function oneMoment(payee: Payee, path: string): Page {
  return {
    status: 422,
    title: 'One moment',
    payee,
    main: html`<p>This is a test with a clock, and the clock is moving at the moment. Nothing was paid.</p>
<p><a class="button" href="${path}">Try again</a></p>`,
    headers: { Refresh: '2' },
  };
}

/** The processor has not said what became of a challenge. The page asks again. */
export function notKnownYet(payee: Payee, path: string): Page {
  return {
    status: 200,
    title: 'One moment',
    payee,
    main: html`<p>We do not know yet what your bank has decided. This page asks again in a few seconds. You will not be
charged twice.</p>
<p><a class="button" href="${path}">Ask again</a></p>`,
    headers: { Refresh: '5' },
  };
}

export const unavailable: Page = {
  status: 503,
  title: 'We will be back in a moment',
  payee: null,
  main: html`<p>The page cannot be shown at the moment. Wait a few seconds, then load it again. If you were paying, you will
not be charged twice.</p>`,
  headers: { 'Retry-After': '2' },
};

/** Shows the id by which an operator finds the cause. */
export function failed(requestId: string): Page {
  return {
    status: 500,
    title: 'Something went wrong on our side',
    payee: null,
    main: html`<p>Load the page again to see whether your payment was made. You will not be charged twice.</p>
<p class="faint">If you ask for help, give this id: ${requestId}</p>`,
  };
}
