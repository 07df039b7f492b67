import type { DueSubject } from '../../db/due-on-clock.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { SubjectRow } from '../../db/workbench.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import type { TestClockDetails } from '../../services/test-clocks/test-clocks.ts';
import { dueInWords } from '../../services/workbench/timeline.ts';
import { suppositionFields } from './what-if.ts';
import { shortTime } from './words.ts';

const dayMs = 86_400_000;
const nextListed = 4;
const localPattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)Z?)?$/;

export interface Move {
  clock: TestClockDetails;
  due: readonly DueSubject[];
  subjects: readonly SubjectRow[];
  methods: readonly PaymentMethodRow[];
  target: Date | null;
  query: URLSearchParams;
}

/** Returns the time that a form asks for: a button first, then the field, in UTC. Null if there is none. */
export function targetIn(form: URLSearchParams): Date | null {
  return parseTime(form.get('next')) ?? parseTime(form.get('to'));
}

/** Reads a date or a time of a form, in UTC. Null if it is none. */
export function parseTime(text: string | null): Date | null {
  const [, date = '', clock = '00:00'] = localPattern.exec((text ?? '').trim()) ?? [];
  const at = new Date(`${date}T${clock}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** The form for a dry run of an advance. It works without a script; the script adds the handle on the axis. */
export function moveForm({ clock, due, subjects, methods, target, query }: Move): Html {
  const max = clock.maxFrozenTime;
  if (max === null) return html`<p>A clock that has failed cannot be moved. Delete it and create a new one.</p>`;
  const field = target ?? new Date(Math.min(max.getTime(), clock.frozen_time.getTime() + 7 * dayMs));
  const show = query.get('show');
  return html`<form method="get" action="${clock.id}" id="try">
${show === null ? null : html`<input type="hidden" name="show" value="${show}">`}
<div class="field"><label for="to">New time, UTC</label>
<input type="datetime-local" id="to" name="to" step="1" required value="${fieldValue(field)}" min="${fieldValue(clock.frozen_time)}" max="${fieldValue(max)}">
<small>At most ${shortTime(max)} in one step.</small></div>
${suppositionFields(query, methods)}
<button>See what would happen</button>
<fieldset><legend>Or go to</legend>
${nextTimes(clock, due, subjects, max).map(
  ({ at, label }) => html`<button class="other" name="next" value="${at.toISOString()}">${label}</button>
`,
)}</fieldset>
</form>`;
}

/** The next instants at which something is due, and some round distances. Each at most once. */
function nextTimes(clock: TestClockDetails, due: readonly DueSubject[], subjects: readonly SubjectRow[], max: Date) {
  const names = new Map(subjects.map(({ id, name }) => [id, isolated(name)]));
  const coming = new Map<number, Set<string>>();
  for (const { at, id, kind } of due) {
    if (at === null || at <= clock.frozen_time || at > max) continue;
    const named = coming.get(at.getTime()) ?? new Set();
    coming.set(at.getTime(), named.add(names.get(id) ?? dueInWords(kind)));
  }
  const events = [...coming]
    .sort(([a], [b]) => a - b)
    .slice(0, nextListed)
    .map(([at, who]) => ({ at: new Date(at), label: `${shortTime(new Date(at))}: ${[...who].join(', ')}` }));
  const after = (days: number, label: string) => ({ at: new Date(clock.frozen_time.getTime() + days * dayMs), label });
  const round = [after(1, '+1 day'), after(7, '+1 week'), after(30, '+30 days')].filter(({ at }) => at < max);
  return [...events, ...round, { at: max, label: 'as far as possible' }];
}

/** The value of a field of the type datetime-local: without a zone, which is UTC. */
function fieldValue(at: Date): string {
  return at.toISOString().slice(0, 19);
}
