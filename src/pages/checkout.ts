import { setupPlaceOf } from '../db/card-setups.ts';
import type { MinorUnits } from '../domain/units.ts';
import { inWords, readsTwoWays } from '../domain/words/money.ts';
import { html } from '../platform/html.ts';
import { stateOfLink } from '../services/links/availability.ts';
import {
  findSession,
  type Price,
  paymentOfSession,
  priceFor,
  type SessionForPayer,
} from '../services/links/public-tokens.ts';
import { hasOpenedLastAttempt, paySession } from '../services/links/session-payment.ts';
import { hasSavedMethod, saveSessionMethod } from '../services/links/session-setup.ts';
import type { Submission } from '../services/links/submission.ts';
import { throttleLink } from '../services/links/throttling.ts';
import { addressSubject, countAttempt, countUse, pageLimits } from '../services/pages/page-limits.ts';
import { pageTokenOf } from '../services/pages/page-urls.ts';
import type { Payee } from '../services/pages/paying.ts';
import { paidByUsual, purchaseOf } from '../services/pages/purchase.ts';
import { isPayer, proofName } from '../services/pages/signatures.ts';
import { chargeHook, linkedSubjects } from '../services/subjects/charge-hook.ts';
import { cardOfForm, setupRoutes } from './card-fields.ts';
import {
  action,
  type CheckoutView,
  type FormErrors,
  formPage,
  nameOfForm,
  shownWith,
  termsOfCheckout,
} from './checkout-form.ts';
import { readInput } from './checkout-input.ts';
import { bankForOthers, openLinkOf, resultForOthers, resultPage } from './checkout-result.ts';
import { findCheckout } from './checkout-view.ts';
import { endedPage, notOpenYet, refusalPage, reopenedPage } from './ended-pages.ts';
import { postedVersion, proofOf, withProof } from './forms.ts';
import { endOfLink, stateAnswer, tokenPattern } from './link-page.ts';
import { newCard, possibleMethods } from './offered-methods.ts';
import { type Answer, type Page, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { notFound, oneMoment, staleForm, tooMany } from './plain-pages.ts';
import { agreedWords, digestOf, type Terms } from './terms.ts';

async function show(request: PageRequest): Promise<Answer> {
  const view = await findCheckout(request);
  if (view === null) return notFound;
  return closed(request, view) ?? formPage(request, view);
}

/** Where a session leads that takes no form now, or null. */
function closed(request: PageRequest, { found, payee, ways }: CheckoutView): Answer | null {
  const { deps, token } = request;
  const { session, intent, state } = found;
  if (state === 'open') {
    const hasNoWay = ways.types.length === 0 || (session.livemode && deps.processors.live === null);
    return hasNoWay ? notOpenYet(payee) : null;
  }
  if (state === 'advancing') return oneMoment(payee, `/checkout/${token}`);
  if (state === 'expired') return endedSession(request, found, payee);
  const query = proofOf(request);
  if (state === 'challenge' && intent !== null && !(session.livemode && !isOwn(request, session))) {
    const url = `/challenge/${pageTokenOf(deps.vault, 'challenge', intent.id)}${query}`;
    // That page asks the processor, and leads to the bank.
    if (session.livemode) return { goTo: url };
    return isOwn(request, session) ? toBank(url, payee) : bankForOthers(url, payee);
  }
  return { goTo: `/checkout/${token}/done${query}` };
}

/** A session may have ended with a link that was completed, and is no longer, because a payment came back. */
function endedSession(request: PageRequest, found: SessionForPayer, payee: Payee): Page {
  const { session, link, at } = found;
  const end = session.status_reason ?? 'time';
  if (end !== 'link_completed' || link === null || link.status === 'completed') return endedPage(payee, end);
  const openAgain = openLinkOf(request, found);
  return openAgain === null ? endedPage(payee, endOfLink(link, stateOfLink(link, at))) : reopenedPage(payee, openAgain);
}

/** A link, and no redirect: the payer sees that it is the bank who asks next. */
function toBank(url: string, payee: Payee): Page {
  return {
    status: 200,
    title: 'Your bank needs a confirmation',
    payee,
    main: html`<p>Your bank needs to confirm that it is you.</p>
<p><a class="button" href="${url}">Go to your bank</a></p>`,
  };
}

/** Whether this request proves that it is of the payer who has sent the last form of the session. */
function isOwn({ deps, token, query }: PageRequest, { submissions }: SessionForPayer['session']): boolean {
  return isPayer(deps.vault, token, submissions, query.get(proofName) ?? '');
}

/** Pays, or saves the way to pay. The same form sent twice charges once. */
async function pay(request: PageRequest): Promise<Answer> {
  const { deps, token, address } = request;
  const view = await findCheckout(request);
  if (view === null) return notFound;
  const { found, payee } = view;
  const { session, link } = found;
  const here = `/checkout/${token}`;
  const version = postedVersion(request, action);
  if (version === null) return staleForm(payee, here);
  const shown = shownWith(version);
  const proof = withProof(deps.vault, token, shown.submissions + 1);
  if (shown.submissions < session.submissions) {
    // A form of this version was accepted. If it was this one, its payer sees its result.
    const sent = { version: shown.submissions, form: nameOfForm(request) };
    const isSame =
      hasSavedMethod(deps.vault, session, sent) || (await hasOpenedLastAttempt(deps.sql, session, sent, request.now));
    return { goTo: isSame ? `${here}${proof}` : here };
  }
  const ended = closed(request, view);
  if (ended !== null) return ended;
  const isUnknownCard = session.livemode && request.form.get('method') === newCard && view.ways.entered === null;
  // Another form may have been taken while the processor was asked: this one is judged from the start.
  if (isUnknownCard) return (await askForCard(request, view)) ?? pay(request);
  const input = readInput(request, found, view.ways, shown.submissions);
  if (input === 'stale') return staleForm(payee, here);
  if ('wrong' in input) return refusedForm(request, view, input.wrong);
  const isInRange = input.submission.amount === undefined || isWithin(session, input.submission.amount);
  const priced = { ...view, found: { ...found, price: priceOfInput(view, input.submission.amount) } };
  const unseen = isInRange ? unseenTerms(request, view, priced, shown.digest) : null;
  if (unseen !== null) return formPage(request, priced, unseen);
  const submission = {
    ...input.submission,
    shownTotal: priced.found.price?.totalAmount,
    consent: consentOf(request, termsOfCheckout(request, priced), input.submission),
  };
  const attempt = await countAttempt(deps.sql, deps.vault, address, link);
  if (attempt.refusedBy !== null) {
    const { refusedBy, spanSeconds, until } = attempt;
    if (link !== null && refusedBy === 'link') await throttleLink(deps.sql, link, until, payerOf(request));
    return tooMany(payee, spanSeconds);
  }
  const sessionDeps = {
    charging: { processors: deps.processors, hook: chargeHook },
    vault: deps.vault,
    ...linkedSubjects,
  };
  const submit = session.mode === 'setup' ? saveSessionMethod : paySession;
  const submitted = await submit(deps.sql, sessionDeps, token, submission, payerOf(request));
  const hasFailed = submitted.kind === 'done' && ['open', 'expired'].includes(submitted.session.state);
  if (!hasFailed) await attempt.undo();
  if (submitted.kind === 'done') {
    const { state } = submitted.session;
    const query = submitted.bySameForm && state !== 'open' && state !== 'expired' ? proof : '';
    return { goTo: `${here}${state === 'completed' || state === 'processing' ? '/done' : ''}${query}` };
  }
  if (submitted.kind === 'unclear') return refusalPage(payee, `${here}${proof}`, submitted);
  if (submitted.kind !== 'invalid') return (await countRefusal(request, payee)) ?? refusalPage(payee, here, submitted);
  const words = submitted.errors.map(({ path = '/method', code }) => [path, wordsOf(path, code, request, found)]);
  return refusedForm(request, view, Object.fromEntries(words));
}

/** Asks the processor for the card that was entered. Returns the page that says why there is none, or null. */
async function askForCard(request: PageRequest, view: CheckoutView): Promise<Page | null> {
  const asked = await cardOfForm(request, setupPlaceOf(view.found.session));
  if (typeof asked === 'object' && 'card' in asked) return null;
  if (typeof asked === 'object' && 'tooManyFor' in asked) return tooMany(view.payee, asked.tooManyFor);
  if (asked === 'unclear') {
    const above = 'We could not read your card just now. Nothing was paid. Send the form again in a moment.';
    return formPage(request, view, { status: 503, above, fields: {} });
  }
  return refusedForm(request, view, { '/method': asked.wrong });
}

/** Shows the form again with what is wrong. */
async function refusedForm(request: PageRequest, view: CheckoutView, wrong: Record<string, string>): Promise<Page> {
  return (await countRefusal(request, view.payee)) ?? formPage(request, view, wrongFields(wrong));
}

/** Counts a form that is refused. Returns the page that says so once its address has sent too many, or null. */
async function countRefusal({ deps, address }: PageRequest, payee: Payee): Promise<Page | null> {
  const use = await countUse(deps.sql, deps.vault, pageLimits.refusals, addressSubject(address));
  return use.isAllowed ? null : tooMany(payee, pageLimits.refusals.spanSeconds);
}

/** What is paid by a form: the biller's amount, or the one that the payer has chosen. Null in setup mode. */
function priceOfInput({ found, method }: CheckoutView, chosen: MinorUnits | undefined): Price | null {
  const { mode, amount } = found.session;
  return mode === 'setup' ? null : (priceFor(found, amount ?? chosen ?? null, method) ?? found.price);
}

/**
 * Returns what to say above the form if its payer has not seen what is taken now: the page says it then, and nothing is
 * taken. The form of an amount that the payer chooses can say it only if it is plainly what was typed. Null: it was
 * seen.
 */
function unseenTerms(
  request: PageRequest,
  view: CheckoutView,
  priced: CheckoutView,
  digest: string,
): FormErrors | null {
  const { price, session } = priced.found;
  const terms = termsOfCheckout(request, priced);
  if (digest === digestOf(terms, price?.totalAmount ?? null)) return null;
  const wasUnpriced =
    price !== null && session.amount === null && digest === digestOf(termsOfCheckout(request, view), null);
  if (!wasUnpriced && price !== null && isSurchargeBy(priced)) {
    const total = inWords(price.totalAmount, price.currency, request.locale);
    return {
      status: 200,
      above: `With this payment method, the total is ${total}. Nothing has been taken yet.`,
      fields: {},
    };
  }
  if (!wasUnpriced)
    return {
      status: 400,
      above: 'What you will be charged has changed. Nothing was paid. Please check it again.',
      fields: {},
    };
  const isUnclear = readsTwoWays(request.form.get('amount') ?? '', price.currency);
  const isPlain = price.surchargeAmount === 0 && terms.atOnce === 0 && !isUnclear;
  return isPlain ? null : { status: 200, above: null, fields: {} };
}

/** Whether the surcharge depends on the method that the payer chooses. */
function isSurchargeBy({ found, ways }: CheckoutView): boolean {
  const amount = found.price?.amount ?? null;
  const methods = [...possibleMethods({ ...ways, entered: null }).values()].flat();
  const prices = methods.map((method) => priceFor(found, amount, method));
  return new Set(prices.map((price) => price?.totalAmount)).size > 1;
}

/** What the payer agrees to by this form, and from where. Undefined if the way to pay is not kept by it. */
function consentOf({ address, userAgent }: PageRequest, terms: Terms, submission: Submission): Submission['consent'] {
  const text = agreedWords(terms, submission);
  return text === null ? undefined : { text, ip_address: address, user_agent: userAgent };
}

function wrongFields(fields: Record<string, string>): FormErrors {
  return { status: 400, above: 'Nothing was paid. Please correct the fields marked below.', fields };
}

function isWithin({ amount_min: min, amount_max: max }: SessionForPayer['session'], amount: MinorUnits): boolean {
  return min !== null && max !== null && amount >= min && amount <= max;
}

/** Says what is wrong with a field in a payer's words. */
function wordsOf(path: string, code: string, { locale }: PageRequest, { session }: SessionForPayer): string {
  const { amount_min: min, amount_max: max, currency } = session;
  if (path === '/amount' && min !== null && max !== null && currency !== null) {
    return `Choose an amount from ${inWords(min, currency, locale)} to ${inWords(max, currency, locale)}.`;
  }
  if (path === '/details/email') return 'Enter your email address, such as jo@example.com.';
  if (path === '/details/name') return code === 'too_long' ? 'This name is too long.' : 'Enter your name.';
  if (path === '/details/phone') return 'Enter your telephone number.';
  if (code === 'mandate_limit_exceeded') {
    return 'What you have allowed for this account is less than one of the payments. Choose another way to pay.';
  }
  return 'This payment method cannot be used. Choose another one.';
}

async function done(request: PageRequest): Promise<Answer> {
  const view = await findCheckout(request);
  if (view === null) return notFound;
  const { found, payee } = view;
  const { session, state } = found;
  // Others do not learn where the bank's page of a live payment is: it leads back with the proof of the payer.
  const isUnderWay = state === 'processing' || (state === 'challenge' && session.livemode && !isOwn(request, session));
  if (state !== 'completed' && !isUnderWay) return { goTo: `/checkout/${request.token}${proofOf(request)}` };
  if (!isOwn(request, session)) return resultForOthers(request, found, payee);
  const { sql } = request.deps;
  const [paid, purchase] = await Promise.all([paymentOfSession(sql, session), purchaseOf(sql, session, found.link)]);
  const usual = await paidByUsual(sql, session, paid.method);
  return resultPage(request, found, payee, { ...paid, purchase, paidByUsual: usual });
}

/** The state of a session, for the script of its page. */
function state(request: PageRequest): Promise<Answer> {
  return stateAnswer(request, async () => {
    const { deps, token, now } = request;
    const found = tokenPattern.test(token) ? await findSession(deps.sql, token, now) : null;
    return found?.state ?? null;
  });
}

export const checkoutRoutes: PageRoute[] = [
  ...setupRoutes,
  { method: 'GET', path: '/checkout/:token', handle: show },
  { method: 'POST', path: '/checkout/:token', handle: pay },
  { method: 'GET', path: '/checkout/:token/done', handle: done },
  { method: 'GET', path: '/checkout/:token/state', handle: state },
];
