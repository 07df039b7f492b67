import { createHash, randomBytes } from 'node:crypto';
import type { PaidSubject } from '../db/page-payments.ts';
import { currentMandateText } from '../domain/mandates/mandate-texts.ts';
import type { MethodFacts } from '../domain/surcharges/means.ts';
import { deadline } from '../domain/words/dates.ts';
import { inMajorUnits, inWords } from '../domain/words/money.ts';
import { Html, html } from '../platform/html.ts';
import { priceFor, type SessionForPayer } from '../services/links/public-tokens.ts';
import type { Payee } from '../services/pages/paying.ts';
import type { UnpaidPayment } from '../services/pages/purchase.ts';
import type { ComingPayments } from '../services/subjects/coming-payments.ts';
import { signature, signatureField } from './forms.ts';
import { cardFieldsPolicy } from './headers.ts';
import { alert } from './layout.ts';
import { amountOf } from './link-page.ts';
import { accountFields, field, methodChoices } from './method-fields.ts';
import { possibleMethods, type Ways } from './offered-methods.ts';
import { cardFieldsOf, type Page, type PageRequest } from './page-request.ts';
import { reasonOf } from './payment-words.ts';
import { digestLength, digestOf, inParagraphs, type Terms, termsOf } from './terms.ts';

export const action = 'pay';

/** A request to a session: what the page shows, to whom, and what the payer need not enter again. */
export interface CheckoutView {
  found: SessionForPayer;
  payee: Payee;
  ways: Ways;
  /** The way to pay that is chosen: by the payer, or the first one that is offered. Null if none is offered. */
  method: MethodFacts | null;
  /** What is taken once the session is completed. Null if it names no plan and no subscription. */
  coming: ComingPayments | null;
  /** The payment of a plan or a subscription that the session is for, if it is for one. */
  unpaid: UnpaidPayment | null;
  /** What the payer pays by the default, if the page can change it. */
  paidByDefault: readonly PaidSubject[];
}

/** What to say above the form and next to its fields. Paths as in a submission. */
export interface FormErrors {
  status: number;
  above: string | null;
  fields: Readonly<Record<string, string>>;
}

const noErrors: FormErrors = { status: 200, above: null, fields: {} };

/** What the form of a session says is taken. */
export function termsOfCheckout(
  { locale }: PageRequest,
  { found, payee, ways, coming, unpaid, paidByDefault }: Omit<CheckoutView, 'method'>,
): Terms {
  const offer = { ...found.session, payment_method_types: [...ways.types] };
  return termsOf({ offer, price: found.price, coming, unpaid, paidByDefault }, payee, locale);
}

/**
 * What is signed into a form: the submissions that it was shown with, random characters, so that no other form is the
 * same, and what it said is taken.
 */
function versionOf({ submissions }: SessionForPayer['session'], digest: string): string {
  return `${submissions}-${randomBytes(9).toString('base64url')}-${digest}`;
}

/** Returns what a posted form was shown with. */
export function shownWith(version: string): { submissions: number; digest: string } {
  const submissions = Number(version.slice(0, version.indexOf('-')));
  return { submissions, digest: version.slice(-digestLength) };
}

/** Names a posted form, as `Submission.form`. */
export function nameOfForm({ form }: PageRequest): string {
  return createHash('sha256')
    .update(form.get(signatureField) ?? '')
    .digest('base64url')
    .slice(0, 22);
}

/** The form in which a payer pays, or saves a way to pay, with what was typed before if it is shown again. */
export function formPage(request: PageRequest, view: CheckoutView, errors: FormErrors = noErrors): Page {
  const { found, payee, ways } = view;
  const { session, intent, price } = found;
  const isSetup = session.mode === 'setup';
  const declined = intent?.status === 'failed' && errors === noErrors ? reasonOf(intent.last_error_code) : null;
  const above = errors.above ?? declined;
  const terms = termsOfCheckout(request, view);
  return {
    status: errors.status,
    title: session.name ?? (isSetup ? 'Save your payment method' : 'Pay'),
    payee,
    watched: { url: `/checkout/${request.token}/state`, is: found.state },
    ...cardFieldsOn(request, ways),
    main: html`${above === null ? null : alert(above)}
${session.description === null ? null : html`<p>${session.description}</p>`}
${isSetup ? null : amountOf(price, session, request.locale)}
${inParagraphs(terms)}
<form method="post" action="/checkout/${request.token}">
${signature(request, action, versionOf(session, digestOf(terms, price?.totalAmount ?? null)))}
${amountField(request, found, errors)}
${detailFields(request, found, errors)}
${methodFields(request, found, ways, errors)}
${terms.offer === null ? null : checkbox(request, 'save', terms.offer)}
${terms.usual === null ? null : checkbox(request, 'usual', terms.usual)}
${terms.becomesUsual === null ? null : html`<p>${terms.becomesUsual}</p>`}
${terms.consent === null ? null : html`<p>${terms.consent}</p>`}
<button>${terms.button}</button>
</form>
<p class="faint">This page is open until ${deadline(session.expires_at, payee.timeZone)}.</p>
${session.cancel_url === null ? null : html`<p><a class="button other" href="${session.cancel_url}">Cancel</a></p>`}`,
  };
}

function amountField(request: PageRequest, { session }: SessionForPayer, errors: FormErrors): Html | null {
  const { amount_min: min, amount_suggested: suggested, currency } = session;
  if (min === null || currency === null || session.mode === 'setup') return null;
  const first = suggested[0] === undefined ? '' : inMajorUnits(suggested[0], currency);
  const typed = request.form.get('amount') ?? first;
  const choices = suggested.map((amount) => html`<option value="${inMajorUnits(amount, currency)}"></option>`);
  return html`${field('amount', `Amount in ${currency}`, typed, errors.fields['/amount'], {
    inputmode: 'decimal',
    required: true,
    list: suggested.length > 1 ? 'suggested' : null,
  })}
${suggested.length > 1 ? html`<datalist id="suggested">${choices}</datalist>` : null}`;
}

function detailFields({ form }: PageRequest, { session }: SessionForPayer, errors: FormErrors): Html[] {
  if (session.customer_id !== null || !session.has_own_intent) return [];
  const asked = [
    ['name', 'Your name', 'name', 'text'],
    ['email', 'Your email address', 'email', 'email'],
    ['phone', 'Your telephone number', 'tel', 'tel'],
  ] as const;
  return asked.flatMap(([name, label, autocomplete, type]) => {
    const wanted = session.collect[name];
    if (wanted === 'no') return [];
    const words = wanted === 'optional' ? `${label} (optional)` : label;
    const required = wanted === 'required';
    return field(name, words, form.get(name) ?? '', errors.fields[`/details/${name}`], {
      autocomplete,
      type,
      required,
    });
  });
}

/** What a live page may load besides, and its script, if a card can be entered on it. */
function cardFieldsOn({ deps }: PageRequest, { types, livemode }: Ways): Pick<Page, 'hasCardFields' | 'headers'> {
  const fields = cardFieldsOf(deps);
  if (!livemode || !types.includes('card') || fields === null) return {};
  return { hasCardFields: true, headers: { 'Content-Security-Policy': cardFieldsPolicy(fields.origins) } };
}

function methodFields(request: PageRequest, found: SessionForPayer, ways: Ways, errors: FormErrors): Html {
  const { types, saved } = ways;
  const pagePath = `/checkout/${request.token}`;
  const more = { notes: surchargeNotes(request, found, ways), pagePath, setupUrl: `${pagePath}/setup` };
  return html`${methodChoices(ways, request.form, errors.fields, more)}
${types.includes('au_becs_debit') ? bankFields(request, found, errors, types.length + saved.length > 1) : null}`;
}

/** Says next to each way to pay which surcharge it carries, if they do not all carry the same. */
function surchargeNotes({ locale }: PageRequest, found: SessionForPayer, ways: Ways): ReadonlyMap<string, string> {
  const amount = found.price?.amount ?? null;
  const priced = [...possibleMethods(ways)].flatMap(([value, methods]) => {
    const prices = methods.flatMap((method) => priceFor(found, amount, method) ?? []);
    const [first] = prices;
    if (found.session.mode === 'setup' || first === undefined) return [];
    const surcharges = prices.map(({ surchargeAmount }) => surchargeAmount);
    return [{ value, least: Math.min(...surcharges), most: Math.max(...surcharges), currency: first.currency }];
  });
  if (new Set(priced.flatMap(({ least, most }) => [least, most])).size < 2) return new Map();
  return new Map(
    priced.map(({ value, least, most, currency }) => {
      const sum = inWords(most, currency, locale);
      if (least < most) return [value, `surcharge of up to ${sum}, shown before you pay`];
      return [value, most === 0 ? 'no surcharge' : `surcharge ${sum}`];
    }),
  );
}

/** The account, and the words that its holder agrees to. */
function bankFields(
  { form }: PageRequest,
  { biller }: SessionForPayer,
  errors: FormErrors,
  isOneOfSeveral: boolean,
): Html {
  const text = currentMandateText('au_becs', biller.name);
  const wrong = errors.fields['/acceptance'];
  return html`<fieldset class="account">
<legend>Bank account${isOneOfSeveral ? html`<span class="only"> (only if you pay by direct debit)</span>` : null}</legend>
${accountFields(form, errors.fields)}
<div class="text" tabindex="0" role="region" aria-label="What you agree to for a direct debit">${new Html(text.html)}</div>
<input type="hidden" name="text" value="${text.version} ${text.sha256}">
<div class="choice"><input type="checkbox" name="agreed" id="agreed" value="yes"${wrong === undefined ? null : new Html(' aria-describedby="agreed-wrong"')}>
<label for="agreed">I agree to these terms for this account.</label></div>
${wrong === undefined ? null : html`<span class="wrong" id="agreed-wrong">${wrong}</span>`}
</fieldset>`;
}

/** A box to tick. It is not ticked to begin with: a box that was ticked for the payer is no consent. */
function checkbox({ form }: PageRequest, name: string, words: string): Html {
  const checked = form.get(name) === 'yes';
  return html`<div class="choice"><input type="checkbox" name="${name}" id="${name}" value="yes"${checked ? new Html(' checked') : null}>
<label for="${name}">${words}</label></div>`;
}
