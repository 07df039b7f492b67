import { styleText } from 'node:util';
import type { WebhookEvent } from '@payments-service/client';
import { safeLine, safeLines } from '../src/platform/terminal.ts';

// What the demo shows: at most 100 columns, colour on a terminal only.

interface Row {
  event: WebhookEvent;
  /** Of the event's customer; null for the clock's own events. */
  plan: string | null;
  attempt: number | null;
  /** From the creation of its delivery to its arrival, real time; null if that is not known. */
  ms: number | null;
}

type Column = { title: string; width: number; align?: 'right' };
type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

const timelineColumns: Column[] = [
  { title: 'simulated time', width: 16 },
  { title: 'plan', width: 6 },
  { title: 'amount', width: 7, align: 'right' },
  { title: 'outcome', width: 22 },
  { title: 'attempt', width: 7, align: 'right' },
  { title: 'event', width: 25 },
  { title: 'ms', width: 5, align: 'right' },
];

/** Prints lines; the names and messages of the service in them cannot control the terminal. */
export function say(text = '', colour: Colour | null = null): void {
  const safe = safeLines(text);
  console.log(colour === null || !hasColours() ? safe : styleText(colour, safe));
}

export function chapter(title: string): void {
  say(`\n${title}`, 'bold');
}

/** What differs and where on one line, what was expected and got on the next. */
export function difference(text: string): void {
  const lines = safeLine(text).replace(': expected ', `:\n${' '.repeat(12)}expected `);
  say(`DIFFERENCE  ${lines}`, 'red');
}

export function verdict(isRight: boolean, text: string): void {
  say(text, isRight ? 'green' : 'red');
}

/** What the columns of the timeline mean, above its first lines. */
export function timelineTitles(): void {
  table(timelineColumns, []);
  say('ms: real time from the created_at of the delivery to its arrival here, signature verified', 'dim');
}

/** The events of one step in the order in which they happened, the clock's time first. */
export function timeline(rows: Row[]): void {
  const sorted = rows.toSorted(
    (a, b) => a.event.created_at.localeCompare(b.event.created_at) || a.event.sequence - b.event.sequence,
  );
  for (const row of sorted) sayLine(timelineColumns, cells(row), colourOf(row.event));
}

/** A table with a line of titles. */
export function table(columns: Column[], rows: string[][]): void {
  sayLine(
    columns,
    columns.map(({ title }) => title),
    'dim',
  );
  for (const row of rows) sayLine(columns, row, null);
}

export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** `2028-02-29 09:00`. */
export function minute(time: string | number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function cells({ event, plan, attempt, ms }: Row): string[] {
  const amount = 'amount' in event.data ? event.data.amount : undefined;
  return [
    minute(event.created_at),
    plan ?? 'clock',
    amount == null ? '' : money(amount),
    outcomeOf(event),
    attempt === null ? '' : String(attempt),
    event.event_type,
    ms === null ? '?' : String(ms),
  ];
}

function outcomeOf(event: WebhookEvent): string {
  switch (event.event_type) {
    case 'payment_intent.succeeded':
      return 'paid';
    case 'payment_intent.failed':
      return event.data.next_attempt_at
        ? `declined, again ${event.data.next_attempt_at.slice(5, 10)}`
        : 'declined, no retry';
    case 'payment_intent.processing':
      return `result on ${event.data.expected_result_date ?? ''}`;
    case 'payment_intent.returned':
      return 'returned by the bank';
    case 'payment_plan.activated':
      return `starts ${event.data.next_payment_date ?? ''}`;
    case 'payment_plan.closed':
      return `closed with ${money(event.data.collected_amount_cents)}`;
    case 'test_clock.advancing':
      return `to ${minute(event.data.target_time)}`;
    case 'test_clock.ready':
      return `${count(event.data.effects_manifest.payment_intents_enqueued, 'payment')} attempted`;
    default:
      return event.event_type.slice(event.event_type.indexOf('.') + 1);
  }
}

function colourOf({ event_type: type }: WebhookEvent): Colour | null {
  if (['payment_intent.failed', 'payment_intent.returned', 'payment_plan.suspended'].includes(type)) return 'yellow';
  if (type.startsWith('test_clock.')) return 'dim';
  return null;
}

function sayLine(columns: Column[], texts: string[], colour: Colour | null): void {
  const line = columns
    .map((column, index) => padded(safeLine(texts[index] ?? ''), column))
    .join('  ')
    .trimEnd();
  say(line, colour);
}

function padded(text: string, { width, align }: Column): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width);
}

function hasColours(): boolean {
  return process.stdout.isTTY && process.stdout.hasColors();
}
