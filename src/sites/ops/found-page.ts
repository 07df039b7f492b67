import { inMoney } from '../../domain/currencies.ts';
import type { Found, FoundAttempt, FoundSubject, WithTheBank } from '../../operations/finding.ts';
import type { Stuck, StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import { type Html, html } from '../../platform/html.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { barOfSites, sitePage } from '../look/page.ts';
import type { Links } from './links.ts';
import { instant, linked } from './parts.ts';
import { style } from './style.ts';

/** The field to look things up with. `mode` is kept. */
export function searchForm(text: string, mode: string): Html {
  return html`<form action="/ops/find" role="search"><label>Find a customer, plan, subscription or payment, by id, reference or
e-mail address <input name="q" value="${text}" maxlength="200" autocomplete="off" required></label>
${mode === 'all' ? null : html`<input type="hidden" name="mode" value="${mode}">`}<button>Find</button></form>
`;
}

/**
 * Why something was charged, or not: what was due, what happened, and what it waits for. `found` is null if it could
 * not be read: what holds it up is then shown.
 */
export function foundPage(
  { text, mode, found, stuck }: { text: string; mode: string; found: Found | null; stuck: readonly StuckReport[] },
  links: Links,
  isHere: boolean,
): string {
  const entries = stuck.flatMap((report) => report.found);
  const main = html`<div class="title"><h1>What was charged, and what was not?</h1></div>
<p><a href="/ops${mode === 'all' ? '' : `?mode=${mode}`}">Operations</a></p>
${searchForm(text, mode)}
${found === null ? heldUp(entries) : results(found, entries, links)}`;
  return sitePage({ title: 'Operations: found', style, bar: barOfSites(isHere), main });
}

/** What is about the whole service: a session that holds a table is among it. */
function heldUp(entries: readonly Stuck[]): Html {
  const whole = entries.filter(({ subject_id }) => subject_id === null);
  return html`<p>It could not be read just now. Charges may wait for the same reason.</p>
<dl>${whole.map(stuckLines)}</dl>`;
}

function results({ customers, subjects, has_more }: Found, entries: readonly Stuck[], links: Links): Html {
  return html`${customers.length === 0 ? null : html`<p>Customers: ${customers.map((id) => html`<code>${id}</code> `)}</p>`}
${
  subjects.length > 0
    ? subjects.map((subject) => card(subject, entries, links))
    : html`<p>${customers.length > 0 ? 'Nothing was charged, and nothing is to be charged: there is no plan, no subscription and no payment.' : 'Nothing has this id, reference or e-mail address.'}</p>`
}
${has_more ? html`<p class="faint">There are more. Look for the id of one.</p>` : null}`;
}

function stuckLines({ kind, why, remedy }: Stuck): Html {
  return html`<dt>Stuck: ${kind}</dt><dd>${withoutSecrets(why)}</dd><dd class="faint">${remedy}</dd>`;
}

function card(subject: FoundSubject, stuck: readonly Stuck[], links: Links): Html {
  const { id, livemode, biller_id, customer_id, state, attempts, with_the_bank: debits, workflow_id } = subject;
  const ids = new Set([id, ...attempts.map(({ payment_intent_id }) => payment_intent_id)]);
  const about = stuck.filter(({ subject_id }) => subject_id !== null && ids.has(subject_id));
  const workflow = workflow_id === null ? null : links.workflow(workflow_id, livemode);
  return html`<section class="card" aria-label="${id}">
<h2>${linked(id, workflow)}</h2>
<p class="faint">${livemode ? 'live' : 'sandbox'}, ${biller_id}${customer_id === null ? null : html`, ${customer_id}`}</p>
<dl><dt>It is</dt><dd>${state}</dd>
<dt>What is due</dt><dd>${dueOf(subject)}</dd>
${debits.map(debitLine)}
${subject.waits_for === null ? null : html`<dt>What it waits for</dt><dd>${withoutSecrets(subject.waits_for)}</dd>`}
<dt>What happened</dt><dd>${attempts.length === 0 ? 'It was never attempted.' : html`<ul>${attempts.map(attemptLine)}</ul>`}${subject.last_error === null ? null : withoutSecrets(subject.last_error)}</dd>
${about.map(stuckLines)}</dl>
</section>
`;
}

function dueOf({ next_at: at, next, test_clock_id: clock }: FoundSubject): Html | string {
  if (at === null) return 'nothing';
  const where = clock === null ? null : html` by its clock ${clock}: only an advance collects it`;
  return html`${next === '' ? 'a charge' : next}, at ${instant(at)}${where}`;
}

function debitLine({ amount, currency, result_at: at }: WithTheBank): Html {
  return html`<dt>What the bank has</dt><dd>${inMoney(amount, currency)}. Its result is expected at ${instant(at)}.</dd>`;
}

function attemptLine(attempt: FoundAttempt): Html {
  const { payment_intent_id: id, number, outcome, code, opened_at: at, total_amount: total, currency } = attempt;
  return html`<li>${instant(at)}: ${inMoney(total, currency)}, attempt ${number} of ${id}: ${outcome}${code === null ? null : html` (${code})`}</li>`;
}
