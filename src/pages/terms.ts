// What a page says is taken: now, at once after that, and later. The words are those that are stored as the payer's
// consent, so each sentence is plain text.
import { createHash } from 'node:crypto';
import type { PaidSubject } from '../db/page-payments.ts';
import type { OfferColumns } from '../db/payment-links.ts';
import { fitsCurrency } from '../domain/schemes/schemes.ts';
import type { MinorUnits } from '../domain/units.ts';
import { dateInWords } from '../domain/words/dates.ts';
import { inWords } from '../domain/words/money.ts';
import { type Html, html, isolated } from '../platform/html.ts';
import type { Price } from '../services/links/public-tokens.ts';
import type { Payee } from '../services/pages/paying.ts';
import type { UnpaidPayment } from '../services/pages/purchase.ts';
import type { ComingPayments, TakenNow } from '../services/subjects/coming-payments.ts';

/** What a form asks its payer to agree to. */
export interface Terms {
  /** What is taken as soon as the form is done, besides its own payment. */
  atOnce: MinorUnits;
  /** What is taken, beside the amount that the page shows large. One sentence or two each. */
  sentences: string[];
  /** Said at the button: that the way to pay is kept. Null if it is not, or only if the payer ticks a box. */
  consent: string | null;
  /** Said at the box for that. */
  offer: string | null;
  /** Said at the box that makes the way to pay the payer's default. Null if it is not offered. */
  usual: string | null;
  /** Said at the button: that the way to pay becomes the payer's default. Null if it does not, or only by that box. */
  becomesUsual: string | null;
  /** What the button says. */
  button: string;
}

interface Asked {
  offer: Pick<OfferColumns, 'mode' | 'payment_method_types' | 'save_payment_method' | 'makes_default'>;
  price: Price | null;
  coming: ComingPayments | null;
  /** The payment of a plan or a subscription that the session is for, if it is for one. */
  unpaid?: UnpaidPayment | null;
  /** What the payer pays by the default. */
  paidByDefault?: readonly PaidSubject[];
}

/** Returns what a page says about `price`, and about the payments to come of what it names. */
export function termsOf(
  { offer, price, coming, unpaid = null, paidByDefault = [] }: Asked,
  payee: Payee,
  locale: string,
): Terms {
  const isSetup = offer.mode === 'setup';
  const atOnce = coming === null || coming.waitsForBiller ? 0 : coming.atOnce;
  const sum = (total: MinorUnits) => (coming === null ? '' : inWords(total, coming.currency, locale));
  const sentences = isSetup && atOnce === 0 ? ['No money is taken now.'] : [];
  if (unpaid !== null) sentences.push(...wordsOfUnpaid(unpaid, payee, locale));
  if (coming !== null && atOnce > 0) {
    sentences.push(
      isSetup
        ? `As soon as this is saved, ${sum(atOnce)} is taken for “${isolated(coming.name)}”.`
        : `As soon as this is paid, a further ${sum(atOnce)} is taken for “${isolated(coming.name)}”.${together(price, coming, locale)}`,
    );
    sentences.push(
      `${isSetup ? 'Taken now' : 'Taken then'}: ${coming.takenNow.map(partOf(coming, locale)).join(', and ')}.`,
    );
    if (!isSetup && offer.payment_method_types.includes('au_becs_debit')) {
      sentences.push('From a bank account, that is when the bank has confirmed this payment, some days later.');
    }
  }
  if (coming !== null) sentences.push(...laterOf(coming, payee, locale));
  const paid = price === null || isSetup ? [] : [inWords(price.totalAmount, price.currency, locale)];
  const sums = [...paid, ...(atOnce > 0 && (isSetup || paid.length > 0) ? [sum(atOnce)] : [])].join(', then ');
  const verb = isSetup ? (sums === '' ? 'Save' : 'Save, then pay') : 'Pay';
  const { makes_default: makes } = offer;
  const usual = makes === 'offer' ? `Make this ${usualOf(offer, paidByDefault, payee)}` : null;
  const becomesUsual = makes === 'always' ? `This becomes ${usualOf(offer, paidByDefault, payee)}` : null;
  const button = `${verb} ${sums}`.trim();
  return { sentences, button, atOnce, usual, becomesUsual, ...keptOf(offer, coming, payee) };
}

/** Names what the way to pay takes over as the default, and what a bank account cannot take over. */
function usualOf({ payment_method_types: types }: Asked['offer'], paid: readonly PaidSubject[], payee: Payee): string {
  const paysBy = (type: (typeof types)[number]) => (subject: PaidSubject) =>
    fitsCurrency({ instrument: { type } }, subject.currency);
  const taken = paid.filter((subject) => types.some((type) => paysBy(type)(subject)));
  const left = types.includes('au_becs_debit') ? paid.filter((subject) => !paysBy('au_becs_debit')(subject)) : [];
  return [
    `my usual payment method with ${isolated(payee.name)}: it pays everything that has no method of its own.`,
    ...(taken.length === 0 ? [] : [`At present that is ${inQuotes(taken)}.`]),
    ...(left.length === 0 ? [] : [`A bank account cannot pay ${inQuotes(left)}: what it cannot pay stays as it is.`]),
  ].join(' ');
}

/** Names plans and subscriptions in a sentence: “Membership”, “Pool” and “Sauna”. */
export function inQuotes(subjects: readonly PaidSubject[]): string {
  return new Intl.ListFormat('en-GB').format(subjects.map(({ name }) => `“${isolated(name)}”`));
}

/** What is taken in all at once, if both are of one currency. */
function together(price: Price | null, { atOnce, currency }: ComingPayments, locale: string): string {
  if (price === null || price.currency !== currency) return '';
  return ` Together that is ${inWords(price.totalAmount + atOnce, currency, locale)}.`;
}

/** Says for which dates a payment is that is taken at once, and what of it is owed from before. */
function partOf({ currency }: ComingPayments, locale: string) {
  const sum = (total: MinorUnits) => inWords(total, currency, locale);
  return ({ total, owed, ...dates }: TakenNow): string => {
    const before = owed.reduce((all, { amount_cents: amount }) => all + amount, 0);
    // What is owed may be paid in part by credit.
    if (before === 0 || total <= before) return `${sum(total)} ${datesOf(dates)}`;
    const lines = owed.map(({ description, amount_cents: amount }) => `${sum(amount)} owed (${isolated(description)})`);
    return [`${sum(total - before)} ${datesOf(dates)}`, ...lines].join(', and ');
  };
}

function datesOf({ from, to }: Pick<TakenNow, 'from' | 'to'>): string {
  return to === null ? `due on ${dateInWords(from)}` : `for ${dateInWords(from)} to ${dateInWords(to)}`;
}

function wordsOfUnpaid({ name, coming, ...dates }: UnpaidPayment, payee: Payee, locale: string): string[] {
  return [
    `This pays “${isolated(name)}”, ${datesOf(dates)}.`,
    ...(coming === null ? [] : laterOf(coming, payee, locale)),
  ];
}

function laterOf(coming: ComingPayments, payee: Payee, locale: string): string[] {
  const { name, waitsForBiller, atOnce, next, hasMore, currency, cap } = coming;
  const sum = (total: MinorUnits) => inWords(total, currency, locale);
  const list = next.map(({ date, total }) => `${sum(total)} on ${dateInWords(date)}`);
  const ends = cap === null ? 'until it ends' : `until its total of ${sum(cap)} is reached`;
  const more = hasMore ? `, and so on ${intervalOf(coming)} ${ends}` : ', and nothing after that';
  if (!waitsForBiller) {
    return list.length === 0
      ? []
      : [`“${isolated(name)}” ${atOnce > 0 ? 'then ' : ''}takes ${list.join(', ')}${more}.`];
  }
  const first = atOnce === 0 ? [] : [`${sum(atOnce)} at once`];
  const all = [...first, ...list];
  if (all.length === 0) return [];
  return [
    `Nothing is taken for “${isolated(name)}” until ${isolated(payee.name)} starts or resumes it. If that is today, it takes ${all.join(', ')}${more}.`,
  ];
}

function intervalOf({ every: { unit, count } }: ComingPayments): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

function keptOf(
  { mode, save_payment_method: save }: Asked['offer'],
  coming: ComingPayments | null,
  payee: Payee,
): Pick<Terms, 'consent' | 'offer'> {
  const what =
    coming === null
      ? 'to take later payments with it, without asking you again'
      : `to take the payments of “${isolated(coming.name)}” and other later payments with it, without asking you again`;
  const words = `you allow ${isolated(payee.name)} to save this payment method, and ${what}.`;
  if (save === 'offer') return { consent: null, offer: `Save this payment method: ${words}` };
  return {
    consent: save === 'always' ? `${mode === 'setup' ? 'By saving' : 'By paying'}, ${words}` : null,
    offer: null,
  };
}

/** The sentences of the terms, for the page. */
export function inParagraphs({ sentences }: Terms): Html[] {
  return sentences.map((sentence) => html`<p>${sentence}</p>`);
}

/** The characters of a digest. */
export const digestLength = 22;

/**
 * Returns what stands for everything that a form says is taken, to be signed into it: a page that would say anything
 * else has another digest.
 */
export function digestOf({ sentences, consent, offer, usual, becomesUsual }: Terms, total: MinorUnits | null): string {
  const words = [consent, offer, usual, becomesUsual].map((text) => text ?? '');
  const said = [...sentences, ...words, total === null ? '' : String(total)].join('\n');
  return createHash('sha256').update(said).digest('base64url').slice(0, digestLength);
}

/** The boxes of a form that its payer has ticked: to keep the way to pay, and to make it the default. */
interface Ticked {
  save?: boolean | undefined;
  makesDefault?: boolean | undefined;
}

/** The words that a payer has agreed to, whose form was accepted. Null if the way to pay is not kept. */
export function agreedWords(
  { sentences, consent, offer, usual, becomesUsual, button }: Terms,
  { save = false, makesDefault = false }: Ticked,
): string | null {
  const agreed = consent ?? (save ? offer : null);
  if (agreed === null) return null;
  const becomesDefault = becomesUsual ?? (makesDefault ? usual : null);
  return [...sentences, ...(becomesDefault === null ? [] : [becomesDefault]), agreed, button].join('\n');
}
