import { type Html, html } from '../platform/html.ts';
import { InvalidState, ProcessorUnavailable } from '../services/errors.ts';
import {
  answerChallenge,
  askAboutChallenge,
  type ChallengePage,
  findChallenge,
  leaveChallenge,
} from '../services/pages/payment-pages.ts';
import { proofName } from '../services/pages/signatures.ts';
import { postedVersion, proofOf, signature, withProof } from './forms.ts';
import { alert, rows } from './layout.ts';
import { type Answer, type Page, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { amountRows, reasonOf } from './payment-words.ts';
import { badForm, notFound, notKnownYet, oneMoment, staleForm } from './plain-pages.ts';

const action = 'challenge';

async function show(request: PageRequest): Promise<Answer> {
  const { deps, token } = request;
  const found = await findChallenge(deps.sql, deps.vault, token, payerOf(request));
  if (found === null) return notFound;
  if (found.intent.livemode) return showLive(request, found);
  return found.intent.status === 'requires_action' ? question(request, found) : ended(request, found);
}

/**
 * The way to the processor's page, and back from it: in a checkout session, to the page of the session, which leads
 * here as long as the challenge is open. The processor tells what the payer did there, and nothing that stands in the
 * URL.
 */
async function showLive(request: PageRequest, found: ChallengePage): Promise<Answer> {
  const { deps, token } = request;
  const { intent, payee } = found;
  if (intent.status !== 'requires_action') return endedLive(request, found);
  const here = `/challenge/${token}${proofOf(request)}`;
  try {
    const url = await askAboutChallenge(deps.sql, deps.processors, found);
    if (url !== null) return wayToBank(request, found, url);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    deps.logger.info({ err: error.cause, payment_intent_id: intent.id }, 'the processor did not tell a challenge');
    return notKnownYet(payee, here);
  }
  const after = await findChallenge(deps.sql, deps.vault, token, payerOf(request));
  if (after === null) return notFound;
  return after.intent.status === 'requires_action' ? notKnownYet(payee, here) : endedLive(request, after);
}

function endedLive(request: PageRequest, found: ChallengePage): Answer {
  const { session } = found;
  // A session that has ended says nothing about a payment that was made without it.
  const isThere = session !== null && session.status !== 'expired';
  return isThere ? { goTo: pageOfSession(request, session) } : ended(request, found);
}

function wayToBank(request: PageRequest, { intent, payee, session }: ChallengePage, url: string): Page {
  const { locale, query, token } = request;
  const proof = query.get(proofName);
  return {
    status: 200,
    title: 'Confirm this payment',
    payee,
    main: html`<p>Your bank asks you to confirm this payment. You come back here afterwards.</p>
${rows([['Pay to', payee.name], ...amountRows(intent, locale)])}
${onward(url, 'Go on to your bank', null)}
${session === null ? onward(intent.return_url, 'Leave without deciding', 'other') : null}
${
  session === null || !session.opensAgain
    ? null
    : html`<form method="post" action="/challenge/${token}">
${signature(request, action, String(intent.attempt_count))}
${proof === null ? null : html`<input type="hidden" name="${proofName}" value="${proof}">`}
<button class="other" name="answer" value="another_card">Pay with another card</button>
</form>`
}`,
  };
}

/** Ends the challenge of a live payment at the processor, so that its payer can pay in another way in the session. */
async function payWithAnotherCard(request: PageRequest, found: ChallengePage): Promise<Answer> {
  const { deps, token, form } = request;
  const { intent, payee, session } = found;
  const here = `/challenge/${token}${proofOf(request)}`;
  if (form.get('answer') !== 'another_card' || session === null) return { goTo: here };
  const version = postedVersion(request, action);
  // A form of an earlier attempt gives up no later one.
  if (version !== String(intent.attempt_count)) return staleForm(payee, here);
  if (intent.status !== 'requires_action' || !session.opensAgain) return { goTo: here };
  try {
    await leaveChallenge(deps.sql, deps.processors, found);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    deps.logger.info({ err: error.cause, payment_intent_id: intent.id }, 'the processor did not end a challenge');
    return notKnownYet(payee, here);
  }
  return { goTo: here };
}

/** Completes the challenge. If no challenge waits, the page shows the state of the payment. */
async function answer(request: PageRequest): Promise<Answer> {
  const { deps, token, form } = request;
  const found = await findChallenge(deps.sql, deps.vault, token, payerOf(request));
  if (found === null) return notFound;
  const here = `/challenge/${token}`;
  // In live mode the bank's page has the question.
  if (found.intent.livemode) return payWithAnotherCard(request, found);
  const version = postedVersion(request, action);
  // A challenge of an earlier attempt: the payer has seen another one since.
  if (version === null) return staleForm(found.payee, here);
  const given = form.get('answer');
  if (given !== 'approve' && given !== 'decline') return badForm;
  if (found.intent.status !== 'requires_action') return { goTo: `${here}${proofOf(request)}` };
  if (version !== String(found.intent.attempt_count)) return staleForm(found.payee, here);
  try {
    await answerChallenge(deps.sql, found, given);
  } catch (error) {
    if (!(error instanceof InvalidState)) throw error;
    if (error.code === 'test_clock_advancing') return oneMoment(found.payee, here);
    return { goTo: `${here}${proofOf(request)}` };
  }
  if (found.session === null) return { goTo: here };
  const { token: sessionToken, submissions } = found.session;
  return { goTo: `/checkout/${sessionToken}${withProof(deps.vault, sessionToken, submissions)}` };
}

/** What the bank of a payer would ask. */
function question(request: PageRequest, { intent, payee, session }: ChallengePage): Page {
  const proof = request.query.get(proofName);
  return {
    status: 200,
    title: 'Confirm this payment',
    payee,
    main: html`<p>This page stands in for your bank’s page. It asks you to confirm the payment.</p>
${rows([['Pay to', payee.name], ...amountRows(intent, request.locale)])}
<form method="post" action="/challenge/${request.token}">
${signature(request, action, String(intent.attempt_count))}
${proof === null ? null : html`<input type="hidden" name="${proofName}" value="${proof}">`}
<button name="answer" value="approve">Approve</button>
<button class="other" name="answer" value="decline">Decline</button>
</form>
${onward(wayBack(request, { intent, session }), 'Leave without deciding', 'other')}`,
  };
}

/** For a payer who opens the page again, and for anyone else who has the URL of the session. */
function ended(request: PageRequest, { intent, payee, session }: ChallengePage): Page {
  const { status, last_error_code: code } = intent;
  const isPaid = status === 'succeeded' || status === 'returned';
  return {
    status: 200,
    title: isPaid ? 'The payment was approved' : 'There is nothing to confirm',
    payee,
    main: html`${isPaid ? html`<p class="good">The payment to ${payee.name} was made.</p>` : null}
${status === 'failed' ? alert(reasonOf(code)) : null}
${status === 'canceled' ? html`<p>The payment was canceled. Nothing was taken.</p>` : null}
${onward(wayBack(request, { intent, session }), 'Continue', null) ?? html`<p>You can close this page.</p>`}`,
  };
}

/** Where the payer goes on: in the session, or at the biller. */
function wayBack(request: PageRequest, { intent, session }: Pick<ChallengePage, 'intent' | 'session'>): string | null {
  return session === null ? intent.return_url : pageOfSession(request, session);
}

function pageOfSession(request: PageRequest, { token }: NonNullable<ChallengePage['session']>): string {
  return `/checkout/${token}${proofOf(request)}`;
}

/** The way back to the biller. A key of the biller has set its address. A link, because a form may not leave. */
function onward(url: string | null, words: string, style: 'other' | null): Html | null {
  if (url === null) return null;
  return html`<p><a class="${style === null ? 'button' : `button ${style}`}" href="${url}">${words}</a></p>`;
}

export const challengeRoutes: PageRoute[] = [
  { method: 'GET', path: '/challenge/:token', handle: show },
  { method: 'POST', path: '/challenge/:token', handle: answer },
];
