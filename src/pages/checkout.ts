import { html } from '../platform/html.ts';
import { findSession, paymentOfSession, priceFor, type SessionForPayer } from '../services/links/public-tokens.ts';
import { paySession } from '../services/links/session-payment.ts';
import { saveSessionMethod } from '../services/links/session-setup.ts';
import { throttleLink } from '../services/links/throttling.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import { pageTokenOf } from '../services/pages/page-urls.ts';
import { type Payee, payeeOf } from '../services/pages/paying.ts';
import { savedCards } from '../services/pages/saved-cards.ts';
import { applyTo, chargeHook } from '../services/subjects/charge-hook.ts';
import { action, type FormErrors, formPage, methodTypes, type Sitting } from './checkout-form.ts';
import { readInput } from './checkout-input.ts';
import { resultPage } from './checkout-result.ts';
import { endedPage, notOpenYet, refusalPage } from './ended-pages.ts';
import { postedVersion } from './forms.ts';
import { stateAnswer, tokenPattern } from './link-page.ts';
import { inWords, readsTwoWays } from './money.ts';
import { notFound, oneMoment, staleForm, tooMany } from './plain-pages.ts';
import { type Answer, type Page, type PageRoute, payerOf, type Visit } from './visit.ts';

async function find({ deps, token, now }: Visit): Promise<Sitting | null> {
  const found = tokenPattern.test(token) ? await findSession(deps.sql, token, now) : null;
  if (found === null) return null;
  const [payee, saved] = await Promise.all([
    payeeOf(deps.sql, found.biller, found.session.livemode),
    found.state === 'open' ? savedCards(deps.sql, found) : [],
  ]);
  return { found, payee, saved };
}

async function show(visit: Visit): Promise<Answer> {
  const sitting = await find(visit);
  if (sitting === null) return notFound;
  return closed(visit, sitting) ?? formPage(visit, sitting);
}

/** Where a session leads that takes no form now, or null. */
function closed({ deps, token }: Visit, { found, payee }: Sitting): Answer | null {
  const { session, intent, state } = found;
  if (state === 'open') {
    const hasNoWay = methodTypes(found).length === 0 || (session.livemode && deps.processors.live === null);
    return hasNoWay ? notOpenYet(payee) : null;
  }
  if (state === 'advancing') return oneMoment(payee, `/checkout/${token}`);
  if (state === 'expired') return endedPage(payee, session.status_reason ?? 'time');
  if (state === 'challenge' && intent !== null && !session.livemode) return toBank(deps.vault, intent.id, payee);
  return { goTo: `/checkout/${token}/done` };
}

/** A link, and no redirect: the payer sees that it is the bank who asks next. */
function toBank(vault: Visit['deps']['vault'], intentId: string, payee: Payee): Page {
  return {
    status: 200,
    title: 'Your bank has a question',
    payee,
    main: html`<p>The bank that issued your card wants to know whether it is you who is paying.</p>
<p><a class="button" href="/challenge/${pageTokenOf(vault, 'challenge', intentId)}">Go to your bank</a></p>`,
  };
}

/** Pays, or saves the way to pay. The same form sent twice charges once. */
async function pay(visit: Visit): Promise<Answer> {
  const { deps, token, address } = visit;
  const sitting = await find(visit);
  if (sitting === null) return notFound;
  const { found, payee, saved } = sitting;
  const { session, link } = found;
  const here = `/checkout/${token}`;
  const version = postedVersion(visit, action);
  if (version === null) return staleForm(payee, here);
  // A repetition of a form that was accepted: what has become of it.
  if (Number(version) < session.submissions) return { goTo: here };
  const ended = closed(visit, sitting);
  if (ended !== null) return ended;
  const input = readInput(visit, found, saved, Number(version));
  if (input === 'stale') return staleForm(payee, here);
  if ('wrong' in input) return formPage(visit, sitting, wrongFields(input.wrong));
  const { submission } = input;
  if (session.mode === 'payment') {
    const price = priceFor(found, session.amount ?? submission.amount ?? null) ?? found.price;
    const isInRange = submission.amount === undefined || isWithin(session, submission.amount);
    // The page must show the total before it is paid, if it is not plainly the amount that was typed.
    const wasShown = visit.form.get('shown_total') === String(price?.totalAmount);
    const typed = visit.form.get('amount') ?? '';
    const isUnclear = price !== null && session.amount === null && readsTwoWays(typed, price.currency);
    if (price !== null && isInRange && (price.surchargeAmount > 0 || isUnclear) && !wasShown) {
      return formPage(visit, { found: { ...found, price }, payee, saved }, { status: 200, above: null, fields: {} });
    }
  }
  const limits = [
    { limit: pageLimits.failures, subject: addressSubject(address) },
    ...(link === null ? [] : [{ limit: pageLimits.linkFailures, subject: link.id }]),
  ];
  const uses = [];
  for (const { limit, subject } of limits) {
    const use = await countUse(deps.sql, deps.vault, limit, subject);
    uses.push(use);
    if (use.isAllowed) continue;
    for (const each of uses) await each.takeBack();
    if (link !== null && limit === pageLimits.linkFailures) {
      await throttleLink(deps.sql, link, use.until, payerOf(visit));
    }
    return tooMany(payee, limit.spanSeconds);
  }
  const sessionDeps = {
    charging: { processors: deps.processors, hook: chargeHook },
    vault: deps.vault,
    applyTo,
  };
  const submit = session.mode === 'setup' ? saveSessionMethod : paySession;
  const submitted = await submit(deps.sql, sessionDeps, token, submission, payerOf(visit));
  const hasFailed = submitted.kind === 'done' && ['open', 'expired'].includes(submitted.session.state);
  if (!hasFailed) for (const use of uses) await use.takeBack();
  if (submitted.kind === 'done') {
    const { state } = submitted.session;
    return { goTo: state === 'completed' || state === 'processing' ? `${here}/done` : here };
  }
  if (submitted.kind !== 'invalid') return refusalPage(payee, here, submitted);
  const words = submitted.errors.map(({ path = '/method', code }) => [path, wordsOf(path, code, visit, found)]);
  return formPage(visit, sitting, wrongFields(Object.fromEntries(words)));
}

function wrongFields(fields: Record<string, string>): FormErrors {
  return { status: 400, above: 'Nothing was paid. Please correct what is marked below.', fields };
}

function isWithin({ amount_min: min, amount_max: max }: SessionForPayer['session'], amount: number): boolean {
  return min !== null && max !== null && amount >= min && amount <= max;
}

/** Says what is wrong with a field in a payer's words. */
function wordsOf(path: string, code: string, { locale }: Visit, { session }: SessionForPayer): string {
  const { amount_min: min, amount_max: max, currency } = session;
  if (path === '/amount' && min !== null && max !== null && currency !== null) {
    return `Choose an amount from ${inWords(min, currency, locale)} to ${inWords(max, currency, locale)}.`;
  }
  if (path === '/details/email') return 'Write your email address, such as jo@example.com.';
  if (path === '/details/name') return code === 'too_long' ? 'This name is too long.' : 'Write your name.';
  if (path === '/details/phone') return 'Write your telephone number.';
  return 'This way to pay cannot be used. Choose another one.';
}

async function done(visit: Visit): Promise<Answer> {
  const sitting = await find(visit);
  if (sitting === null) return notFound;
  const { found, payee } = sitting;
  if (found.state !== 'completed' && found.state !== 'processing') return { goTo: `/checkout/${visit.token}` };
  return resultPage(visit, found, payee, await paymentOfSession(visit.deps.sql, found.session));
}

/** The state of a session, for the script of its page. */
function state(visit: Visit): Promise<Answer> {
  return stateAnswer(visit, async () => {
    const { deps, token, now } = visit;
    const found = tokenPattern.test(token) ? await findSession(deps.sql, token, now) : null;
    return found?.state ?? null;
  });
}

export const checkoutRoutes: PageRoute[] = [
  { method: 'GET', path: '/checkout/:token', handle: show },
  { method: 'POST', path: '/checkout/:token', handle: pay },
  { method: 'GET', path: '/checkout/:token/done', handle: done },
  { method: 'GET', path: '/checkout/:token/state', handle: state },
];
