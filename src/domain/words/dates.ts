import { type Html, html } from '../../platform/html.ts';
import type { PlainDate } from '../calendar.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant as payers read it, to the minute, in a time zone that is named. */
export function moment(at: Date, timeZone: string): Html {
  return html`<time datetime="${at.toISOString()}">${formatFor(timeZone, 'short').format(at)}</time>`;
}

/**
 * An instant that a payer has to keep, in the biller's time zone. A script (`local-time.js`) says it in the payer's own
 * one. Zones have their whole names.
 */
export function deadline(at: Date, timeZone: string): Html {
  return html`<time datetime="${at.toISOString()}" data-local>${formatFor(timeZone, 'long').format(at)}</time>`;
}

/** The date of an instant in a time zone. */
export function day(at: Date, timeZone: string): Html {
  return html`<time datetime="${at.toISOString()}">${formatFor(timeZone, null).format(at)}</time>`;
}

/** A date as payers read it. */
export function dateInWords(date: PlainDate): string {
  return formatFor('UTC', null).format(new Date(`${date}T00:00:00Z`));
}

/** Day, month by name, year: no reader takes one for the other. With the time, if the zone is to be named. */
function formatFor(timeZone: string, zoneName: 'short' | 'long' | null): Intl.DateTimeFormat {
  const name = `${timeZone} ${zoneName}`;
  const kept = formats.get(name);
  if (kept !== undefined) return kept;
  // Payers know UTC by this name, if at all.
  const named = timeZone === 'UTC' ? 'short' : zoneName;
  const time =
    zoneName === null ? {} : ({ hour: 'numeric', minute: '2-digit', timeZoneName: named ?? 'short' } as const);
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone, ...time } as const;
  const format = new Intl.DateTimeFormat('en-AU', options);
  formats.set(name, format);
  return format;
}
