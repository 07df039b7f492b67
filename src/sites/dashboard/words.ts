import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { PlainDate } from '../../domain/calendar.ts';
import { type Currency, currencies } from '../../domain/currencies.ts';
import type { MinorUnits } from '../../domain/units.ts';
import { dateInWords, day, moment as momentIn } from '../../domain/words/dates.ts';
import { inWords, money } from '../../domain/words/money.ts';
import { type Html, html } from '../../platform/html.ts';
import type { RequestContext } from '../../services/request-context.ts';

/** An amount as the biller's people read it, such as `A$49.00`. */
export function amount(minorUnits: MinorUnits, currency: Currency): Html {
  return money(minorUnits, currency, 'en');
}

/** An amount in the data of an event, as text; empty if it is none, or of no known currency. */
export function amountOfEvent(value: unknown, currency: unknown): string {
  const known = currencies.find((each) => each === currency);
  return typeof value === 'number' && known !== undefined ? inWords(value, known, 'en') : '';
}

/** A date, such as `28 February 2027`. */
export function date(plain: PlainDate): Html {
  return html`<time datetime="${plain}">${dateInWords(plain)}</time>`;
}

/** The day of an instant in the time zone of the biller. */
export function dayOf(at: Date, { timeZone }: Pick<RequestContext, 'timeZone'>): Html {
  return day(at, timeZone);
}

/** How each status reads, and how it looks. */
export const statusWords: Readonly<Record<PaymentIntentRow['status'], { words: string; look: string }>> = {
  requires_payment_method: { words: 'not charged', look: '' },
  processing: { words: 'under way', look: 'wait' },
  requires_action: { words: 'waits for the payer', look: 'wait' },
  succeeded: { words: 'collected', look: 'good' },
  failed: { words: 'failed', look: 'bad' },
  canceled: { words: 'canceled', look: '' },
  returned: { words: 'came back', look: 'bad' },
};

/** How a payment stands, in a word. */
export function statusPill({ status }: Pick<PaymentIntentRow, 'status'>): Html {
  const { words, look } = statusWords[status];
  return html`<span class="pill ${look}">${words}</span>`;
}

/** Why the last attempt of a payment failed, as the API says it: the code, then for people. */
export function errorInWords({
  last_error_code: code,
  last_error_message: message,
}: Pick<PaymentIntentRow, 'last_error_code' | 'last_error_message'>): string {
  if (code === null) return '';
  return `${code.replaceAll('_', ' ')}: ${message ?? ''}`;
}

/** An instant, to the minute, in the time zone of the biller. */
export function moment(at: Date, { timeZone }: Pick<RequestContext, 'timeZone'>): Html {
  return momentIn(at, timeZone);
}

/** A list of facts. Those that are null are left out. */
export function facts(rows: readonly (readonly [string, Html | string | null])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>\n`))}</dl>`;
}

/** The state of an object, with its reason. */
export function statePill(state: string, reason: string | null): Html {
  const words = state.replaceAll('_', ' ');
  return html`<span class="pill">${reason === null ? words : `${words}: ${reason.replaceAll('_', ' ')}`}</span>`;
}
