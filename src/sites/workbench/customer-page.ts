import type { SubjectRow, TimelineEventRow } from '../../db/workbench.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import { getStory } from '../../services/workbench/timeline.ts';
import { methodInWords } from '../account/method-in-words.ts';
import { deliveriesInWords, happenedInWords, type Look, lookOf, time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

/** A step of a customer's story. */
interface Step {
  at: Date;
  look: Look;
  words: Html | string;
  /** Of events at the same instant, that of the lower number comes first; what was made comes before them. */
  order: number;
}

/** A customer's whole story, from its creation on: what it got, each payment, and how the webhooks went. */
export async function showCustomer({ sql, context, id, up }: WorkbenchRequest): Promise<Answer> {
  const { customer, methods, subjects, events, hasMoreEvents } = await getStory(sql, context, id);
  const first = events[0]?.created_at ?? null;
  const made: Step[] = [
    { at: customer.created_at, look: 'begun', words: 'Customer created', order: -3 },
    ...methods.map((method): Step => {
      return { at: method.created_at, look: 'begun', words: `${methodInWords(method)} saved`, order: -2 };
    }),
    ...subjects
      .filter(({ kind }) => kind !== 'link')
      .map(
        ({ kind, name, created_at }): Step => ({
          at: created_at,
          look: 'begun',
          words: `${kind} “${isolated(name)}” created`,
          order: -1,
        }),
      ),
  ];
  const steps = [
    ...made.filter(({ at }) => !hasMoreEvents || (first !== null && at >= first)),
    ...events.map((event) => stepOf(event, up)),
  ];
  steps.sort((a, b) => a.at.getTime() - b.at.getTime() || a.order - b.order);
  const facts = [customer.email, customer.reference, customer.deleted_at === null ? customer.status : 'deleted'];
  return {
    status: 200,
    title: customer.name,
    state: `${events.at(-1)?.sequence ?? 0}`,
    main: html`<h1>${customer.name}</h1>
<p>${facts.flatMap((fact) => (fact ? [isolated(fact)] : [])).join(' · ')} <code>${customer.id}</code>${
      customer.test_clock_id === null
        ? null
        : html` · on <a href="${up}clocks/${customer.test_clock_id}">this clock</a>`
    }</p>
<section class="card"><h2>Methods, plans and more</h2>
<ul class="plain">${methods.map((method) => html`<li>${methodInWords(method)}${method.id === customer.default_payment_method_id ? ' (default)' : ''} <code>${method.id}</code></li>`)}${subjects.map(subjectLine)}</ul>
${methods.length + subjects.length === 0 ? html`<p class="faint">No card, plan, subscription or link yet.</p>` : null}</section>
<section class="card" id="story"><h2>History</h2>
${hasMoreEvents ? html`<p class="faint">Only the latest part is shown.</p>` : null}
<ol class="list">${steps.map(
      ({
        at,
        look,
        words,
      }) => html`<li class="${look}"><svg width="16" height="16" aria-hidden="true"><use href="#${look}" x="8" y="8"/></svg><span>${words}</span> ${time(at)}</li>
`,
    )}</ol></section>`,
  };
}

function subjectLine({ id, kind, name, status }: SubjectRow): Html {
  return html`<li>${kind} “${name}” <span class="pill">${status}</span> <code>${id}</code></li>`;
}

function stepOf(event: TimelineEventRow, up: string): Step {
  const { id, event_type: type, created_at: at, sequence, failed, pending } = event;
  const webhooks = failed > 0 ? 'failed' : pending > 0 ? 'pending' : '';
  const words = html`<a href="${up}events/${id}">${happenedInWords(event)}</a> <code>${type}</code> <small class="hooks ${webhooks}">${deliveriesInWords(event)}</small>`;
  return { at, look: lookOf(type), words, order: sequence };
}
