import type { PlainDate } from '../domain/calendar.ts';
import { type Html, html } from '../platform/html.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant as payers read it, to the minute, in a time zone that is named. */
export function moment(at: Date, timeZone: string): Html {
  return html`<time datetime="${at.toISOString()}">${formatFor(timeZone, true).format(at)}</time>`;
}

/** The date of an instant in a time zone. */
export function day(at: Date, timeZone: string): Html {
  return html`<time datetime="${at.toISOString()}">${formatFor(timeZone, false).format(at)}</time>`;
}

/** A date as payers read it. */
export function dateInWords(date: PlainDate): string {
  return formatFor('UTC', false).format(new Date(`${date}T00:00:00Z`));
}

/** Day, month by name, year: no reader takes one for the other. */
function formatFor(timeZone: string, withTime: boolean): Intl.DateTimeFormat {
  const name = `${timeZone} ${withTime}`;
  const kept = formats.get(name);
  if (kept !== undefined) return kept;
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone, ...(withTime ? time : {}) } as const;
  const format = new Intl.DateTimeFormat('en-AU', options);
  formats.set(name, format);
  return format;
}
