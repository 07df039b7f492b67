// The pages of links and sessions that have ended, or that cannot go on just now: each end has its own words.
import { html, isolated } from '../platform/html.ts';
import type { SubmissionRefusal } from '../services/links/submission.ts';
import type { Payee } from '../services/pages/paying.ts';
import { alert } from './layout.ts';
import type { Page } from './page-request.ts';
import { notFound, oneMoment, staleForm } from './plain-pages.ts';

/** Title and words for what has ended a link or a session. */
const ends: Readonly<Record<string, readonly [title: string, words: string]>> = {
  completed: ['This has already been paid', 'You were not charged. If you paid it before, you were not charged again.'],
  expired: ['This link has expired', 'It no longer accepts payments.'],
  deactivated: ['This link is no longer in use', 'It was withdrawn and no longer accepts payments.'],
  payment_returned: [
    'This link has expired',
    'A payment made here has come back from the bank. The link no longer accepts payments.',
  ],
  time: ['This page has expired', 'If you came from a link, open the link again.'],
  requested: ['This payment was canceled', 'This page no longer accepts payments.'],
  too_many_attempts: [
    'Too many attempts',
    'You were not charged. To protect cardholders, this page accepts no further attempts.',
  ],
  customer_deleted: ['This link is no longer in use', 'It was withdrawn and no longer accepts payments.'],
};

/**
 * Returns the page of a link or session that has ended. `end` is its state or, if there is one, its reason, such as
 * `link_expired`.
 */
export function endedPage(payee: Payee, end: string, isSetup = false): Page {
  const name = end.replace(/^link_/, '');
  const [title, words] = ends[name] ?? ['This page has ended', 'It no longer accepts payments.'];
  return {
    status: 410,
    title: name === 'completed' && isSetup ? 'Already saved' : title,
    payee,
    main: html`<p>${name === 'completed' && isSetup ? 'Your payment details have already been saved.' : words}</p>
<p>If you have a question, ask ${payee.name}.</p>`,
  };
}

/** Says that a payment came back. */
export function cameBackWords(payee: Payee): string {
  return `A payment made here has come back from the bank, so ${isolated(payee.name)} does not have the money.`;
}

/** The page of a session that ended because its link was completed. A payment came back, and the link is open again. */
export function reopenedPage(payee: Payee, linkUrl: string): Page {
  return {
    status: 410,
    title: 'This page has expired',
    payee,
    main: html`<p>${cameBackWords(payee)} You can pay again.</p>
<p><a class="button" href="${linkUrl}">Pay again</a></p>`,
  };
}

/** In live mode without a processor: nothing is created, and nothing can be paid. */
export function notOpenYet(payee: Payee): Page {
  return {
    status: 503,
    title: 'Payments are not open yet',
    payee,
    main: html`${alert('Nothing was paid.')}<p>${payee.name} cannot accept payments here at the moment. Try again later.</p>`,
    headers: { 'Retry-After': '300' },
  };
}

/** Another payer is making the last payment that the link takes, or this payment is being made by another page. */
function busy(payee: Payee, here: string, reason: 'last_payment' | 'processing' | 'unclear'): Page {
  const words = {
    processing: 'This payment is already under way, perhaps on another page. You were not charged for this attempt.',
    last_payment: 'Another payer is making the last payment that this link accepts. You were not charged.',
    unclear: 'Your payment is under way. You will not be charged twice.',
  }[reason];
  return {
    status: 409,
    title: 'One moment',
    payee,
    main: html`<p>${words}</p><p><a class="button" href="${here}">Check again</a></p>`,
    headers: { Refresh: `5; url=${here}` },
  };
}

/** Returns the page that tells a payer why they get no further. `here` is where they can begin again. */
export function refusalPage(
  payee: Payee,
  here: string,
  refusal: Exclude<SubmissionRefusal, { kind: 'invalid' }>,
): Page {
  switch (refusal.kind) {
    case 'unknown':
      return notFound;
    case 'ended':
      return endedPage(payee, refusal.reason ?? refusal.state);
    case 'stale':
      return staleForm(payee, here);
    case 'unavailable':
      return notOpenYet(payee);
    case 'busy':
      return refusal.reason === 'advancing' ? oneMoment(payee, here) : busy(payee, here, refusal.reason);
    case 'unclear':
      return busy(payee, here, 'unclear');
  }
}
