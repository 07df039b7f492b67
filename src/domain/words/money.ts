import { type Html, html } from '../../platform/html.ts';
import type { Currency } from '../currencies.ts';
import type { MinorUnits } from '../units.ts';

/** Browsers choose the locale, so only so many formats are kept. */
const keptAtMost = 300;
const formats = new Map<string, Intl.NumberFormat>();

/** Characters. The patterns for an amount take longer than in proportion to it, so a longer text is none. */
const longestAmount = 40;

/** Returns how many decimals a currency has: two for AUD, none for JPY (ISO 4217, as Intl has it). */
function decimalsOf(currency: Currency): number {
  return formatFor('en', currency).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Returns an amount as people of this locale write it. */
export function inWords(minorUnits: MinorUnits, currency: Currency, locale: string): string {
  return formatFor(locale, currency).format(minorUnits / 10 ** decimalsOf(currency));
}

/** The same as HTML, that a program can read too. */
export function money(minorUnits: MinorUnits, currency: Currency, locale: string): Html {
  const decimals = decimalsOf(currency);
  const value = (minorUnits / 10 ** decimals).toFixed(decimals);
  return html`<data class="money" value="${value}">${inWords(minorUnits, currency, locale)}</data>`;
}

/** Returns an amount as plain text in major units, for a text field: `25.00`, or `2500` for yen. */
export function inMajorUnits(minorUnits: MinorUnits, currency: Currency): string {
  const decimals = decimalsOf(currency);
  return (minorUnits / 10 ** decimals).toFixed(decimals);
}

/**
 * Reads an amount that a payer has typed in major units, such as `25`, `25.5`, `25,50` or `$1,250.00`. Before or after
 * it there may be the currency's own sign or code. Returns null if it is no amount of this currency.
 */
export function parseAmount(typed: string, currency: Currency): MinorUnits | null {
  if (typed.length > longestAmount) return null;
  const decimals = decimalsOf(currency);
  const plain = withoutCurrency(typed.trim(), currency);
  // The last mark is that of the decimals, unless three digits follow it: then it separates thousands.
  const [, whole = '', fraction = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  const isWhole = /^[1-9]\d{0,2}(?:[.,'\s]\d{3})+$|^\d+$/.test(whole);
  if (!isWhole || fraction.length > decimals) return null;
  const minor = Number(whole.replace(/\D/g, '') + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(minor) ? minor : null;
}

/** Whether people read this amount in two ways: `1.250` is one and a quarter, or a thousand and more. Yen have one. */
export function readsTwoWays(typed: string, currency: Currency): boolean {
  return decimalsOf(currency) > 0 && typed.length <= longestAmount && /^\D*\d{1,3}[.,]\d{3}\D*$/.test(typed);
}

/** Takes off the code of a currency, or its sign with or without letters of the code, as in `A$25` or `25 $AU`. */
function withoutCurrency(text: string, currency: Currency): string {
  const [first = '', second = ''] = currency;
  const letters = `(?:${first}${second}?)?`;
  const sign = currency === 'JPY' ? '[¥￥円]' : { USD: '\\$', AUD: '\\$', NZD: '\\$', EUR: '€', GBP: '£' }[currency];
  const name = `(?:${currency}|${letters}${sign}${letters})`;
  return text.replace(new RegExp(`^${name}\\s*|\\s*${name}$`, 'gi'), '');
}

function formatFor(locale: string, currency: Currency): Intl.NumberFormat {
  const name = `${locale} ${currency}`;
  const kept = formats.get(name);
  if (kept !== undefined) return kept;
  if (formats.size >= keptAtMost) formats.clear();
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, numberingSystem: 'latn' });
  formats.set(name, format);
  return format;
}
