import type { TimelineEventRow } from '../../db/workbench.ts';
import { type Html, html } from '../../platform/html.ts';
import type { DryRunResult } from '../../resources/clock-effect.ts';
import { ServiceError } from '../../services/errors.ts';
import { dryRunAdvance, type Supposition } from '../../services/test-clocks/dry-run.ts';
import { getTimeline, type Timeline } from '../../services/workbench/timeline.ts';
import { alert } from '../account/plain-pages.ts';
import type { Axis } from './axis.ts';
import { chart } from './chart.ts';
import { lanesOf } from './lanes.ts';
import { type Move, moveForm, targetIn } from './move-form.ts';
import { suppositionIn } from './what-if.ts';
import { deliveriesInWords, happenedInWords, inWords, lookOf, time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

const eventsListed = 15;
const effectsListed = 30;
const dayMs = 86_400_000;

/** The page of a clock: its time as an axis, the form that moves it, a dry run if one is asked, and what happened. */
export async function showClock(request: WorkbenchRequest): Promise<Answer> {
  const { sql, context, id, query, seesBooks } = request;
  const timeline = await getTimeline(sql, context, id);
  const { clock } = timeline;
  const target = targetIn(query);
  const supposed = suppositionIn(query);
  const dryRun = target === null ? null : await runDry(request, target, supposed ?? {});
  const result = dryRun instanceof ServiceError ? null : dryRun;
  const move: Move = {
    clock,
    due: timeline.due,
    subjects: timeline.subjects,
    methods: timeline.methods,
    target,
    query,
  };
  const isMoving = clock.status === 'advancing';
  const axis = axisOf(timeline, query.get('show'));
  const { pending } = clock.webhook_deliveries;
  const state = `${clock.status} ${clock.frozen_time.getTime()} ${timeline.events.at(-1)?.sequence ?? 0} ${pending}`;
  return {
    status: 200,
    title: clock.name ?? 'Clock',
    state,
    ...(isMoving ? { refreshSeconds: 1 } : {}),
    main: html`<div class="title"><h1>${clock.name ?? 'Clock'}</h1>
<p><span class="pill ${clock.status}">${clock.status}</span> <strong class="now">${time(clock.frozen_time)} UTC</strong>
<span class="faint"><code>${clock.id}</code></span></p></div>
${clock.failure_reason === null ? null : alert(`This clock has failed, and cannot be moved: ${clock.failure_reason}`)}
<section class="card" id="axis" data-from="${axis.from.toISOString()}" data-to="${axis.to.toISOString()}">
<h2>Time</h2> ${zoom(timeline, axis)}
${chart({ axis, lanes: lanesOf(timeline, result?.effects ?? []), now: clock.frozen_time, target, max: clock.maxFrozenTime })}
${timeline.subjects.length === 0 ? firstSteps(clock.id) : null}
</section>
<div class="columns">
<section class="card" id="move"><h2>Move the clock</h2>
${isMoving ? html`<p role="status">It is moving to ${clock.target_time === null ? '' : time(clock.target_time)}.</p>` : moveForm(move)}
</section>
<section class="card" id="dry-run"><h2>What would happen</h2>
${showDryRun(dryRun, timeline, { supposed: supposed?.label ?? null, formField: request.formField(`clocks/${clock.id}/advance`) })}
</section>
</div>
<section class="card" id="happened"><h2>What happened</h2>
${happenedList(latest(timeline.events))}
<p><a href="../events?clock=${clock.id}">Every event of this clock</a>${seesBooks ? html` <a href="../books?clock=${clock.id}">Its books</a>` : null}</p>
</section>
<p class="end"><a href="${clock.id}/delete">Delete this clock</a>
<span class="faint">Otherwise it is deleted at ${time(clock.expires_at)} UTC, real time.</span></p>`,
  };
}

/** The latest events, in the order of the clock’s time, which may not be that in which they were recorded. */
function latest(events: readonly TimelineEventRow[]): TimelineEventRow[] {
  const inOrder = events.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || b.sequence - a.sequence);
  return inOrder.slice(0, eventsListed);
}

/** Runs the dry run. Returns the refusal, such as a target beyond the bound. */
async function runDry(
  { sql, context, id }: WorkbenchRequest,
  target: Date,
  suppose: Supposition,
): Promise<DryRunResult | ServiceError> {
  try {
    return await dryRunAdvance(sql, context, id, target.toISOString(), suppose);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error;
    throw error;
  }
}

/** From the clock's creation to the latest time that it can reach; or nearer to its present time. */
function axisOf({ clock, startedAt }: Timeline, show: string | null): Axis {
  const to = clock.maxFrozenTime ?? clock.target_time ?? new Date(clock.frozen_time.getTime() + dayMs);
  const ahead = to.getTime() - clock.frozen_time.getTime();
  const near = new Date(Math.max(startedAt.getTime(), clock.frozen_time.getTime() - 1.5 * ahead));
  return { from: show === 'all' || near <= startedAt ? startedAt : near, to };
}

function zoom({ clock, startedAt }: Timeline, { from }: Axis): Html | null {
  if (from.getTime() > startedAt.getTime()) {
    return html`<p class="zoom">From ${time(from)} · <a href="${clock.id}?show=all">the clock’s whole life</a></p>`;
  }
  return html`<p class="zoom">From ${time(from)}, when it was created</p>`;
}

function firstSteps(clockId: string): Html {
  return html`<p>This clock has no customers yet. <a href="/docs/customers#createCustomer">Create a customer</a> with
<code>"test_clock": "${clockId}"</code>, then <a href="/docs/payment-methods#createPaymentMethod">a card</a> and
<a href="/docs/payment-plans#createPaymentPlan">a plan</a>.</p>`;
}

function showDryRun(
  result: DryRunResult | ServiceError | null,
  { clock: { id: clockId }, subjects }: Timeline,
  { supposed, formField }: { supposed: string | null; formField: Html },
): Html {
  if (result === null)
    return html`<p class="faint">Choose a time, and see what would happen on the way. Nothing changes.</p>`;
  if (result instanceof ServiceError) {
    return alert(html`${[...result.fieldErrors.map(({ message }) => message), result.message].at(0) ?? ''}`);
  }
  const { effects, target } = result;
  const shown = effects.slice(0, effectsListed);
  const names = new Map<unknown, string>(subjects.map(({ id, name }) => [id, name]));
  return html`<p role="status">Up to ${time(target)} UTC${supposed === null ? null : html`, if each payment were: ${supposed.toLowerCase()}`},
${effects.length === 0 ? 'nothing would happen' : `${effects.length} ${effects.length === 1 ? 'thing' : 'things'} would happen`}.</p>
${
  shown.length === 0
    ? null
    : html`<ol class="list">${shown.map(({ event_type: type, at, data }, index) => {
        const facts = data as Readonly<Record<string, unknown>>;
        const words = inWords(type, facts);
        const name = names.get(facts.customer_id);
        return html`<li id="would-${index + 1}" class="${lookOf(type)} would"><svg width="16" height="16" aria-hidden="true"><use href="#${lookOf(type)}" x="8" y="8"/></svg>
<span>${words}${name === undefined ? null : html` <span class="who">${name}</span>`} <code>${type}</code></span> ${time(at)}</li>
`;
      })}</ol>`
}${effects.length > shown.length ? html`<p>And ${effects.length - shown.length} more.</p>` : null}
<form method="post" action="${clockId}/advance">${formField}<input type="hidden" name="to" value="${target.toISOString()}">
<button>Advance to ${time(target)}</button></form>
${supposed === null ? null : html`<p class="faint">The advance takes the outcomes of the cards and amounts, not the supposed one.</p>`}`;
}

/** A list of events with their customers, in the given order. Its links are those of a page that is one step down. */
export function happenedList(events: readonly TimelineEventRow[], up = '../'): Html {
  if (events.length === 0) return html`<p class="faint">No events yet.</p>`;
  return html`<ol class="list">${events.map((event) => {
    const { id, event_type: type, created_at: at, failed, pending, customer_id, customer_name } = event;
    const who =
      customer_name === null ? null : html` <a class="who" href="${up}customers/${customer_id}">${customer_name}</a>`;
    const webhooks = failed > 0 ? 'failed' : pending > 0 ? 'pending' : '';
    return html`<li class="${lookOf(type)}"><svg width="16" height="16" aria-hidden="true"><use href="#${lookOf(type)}" x="8" y="8"/></svg>
<span><a href="${up}events/${id}">${happenedInWords(event)}</a>${who} <code>${type}</code> <small class="hooks ${webhooks}">${deliveriesInWords(event)}</small></span> ${time(at)}</li>
`;
  })}</ol>`;
}
