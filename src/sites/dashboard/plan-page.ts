import type { PlanPaymentRow } from '../../db/payment-plan-slots.ts';
import type { PaymentPlanRow } from '../../db/payment-plans.ts';
import { type Html, html } from '../../platform/html.ts';
import { getPlanDetails } from '../../services/dashboard/subject.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { doneHere } from './done-here.ts';
import { linkOffer } from './link-page.ts';
import { offeredFor, subjectActions } from './subject-actions.ts';
import { amount, date, dayOf, facts, statePill } from './words.ts';

/** A plan: its terms, the dates that have come with their outcomes, and those to come with their amounts. */
export async function showPlan(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, base } = request;
  const { plan, customer, past, coming, hasMore, method, done } = await getPlanDetails(sql, context, id);
  const money = (value: number) => amount(value, plan.currency);
  const isAsIf = plan.state === 'pending' || plan.state === 'suspended';
  const count = plan.frequency_period;
  const unit = plan.frequency_type === 'weekly' ? 'week' : 'month';
  return {
    status: 200,
    title: plan.name,
    main: html`<div class="title"><h1>${plan.name}</h1><p>${statePill(plan.state, plan.state_reason)}</p></div>
<p>A plan of <a href="${base}customers/${customer.id}">${customer.name}</a> · <code>${plan.id}</code></p>
${actionLinks(request, 'plans', plan.state)}
<div class="columns even">
<section class="card" id="past"><h2>What has come</h2>${pastOfPlan(past, plan, base, context)}</section>
<div><section class="card" id="coming"><h2>What is coming</h2>
${isAsIf && coming.length > 0 ? html`<p>If it were ${plan.state === 'pending' ? 'activated' : 'resumed'} now:</p>` : null}
${coming.length === 0 ? html`<p class="faint">Nothing.</p>` : html`<ul class="plain">${coming.map(({ dueDate, amount: due }) => html`<li>${date(dueDate)}: ${money(due)}</li>\n`)}</ul>`}
${hasMore ? html`<p class="faint">And so on.</p>` : null}</section>
<section class="card" id="terms"><h2>Terms</h2>${facts([
      ['Every', count === 1 ? unit : `${count} ${unit}s`],
      ['Amount', money(plan.recurring_amount_cents)],
      ['First amount', plan.first_amount_cents === null ? null : money(plan.first_amount_cents)],
      ['Total', plan.total_amount_cents === null ? 'none' : money(plan.total_amount_cents)],
      ['Collected', money(plan.collected_amount_cents)],
      ['Begins', date(plan.first_date ?? plan.start_date)],
      ['Method', method === null ? 'the default of the customer' : methodInWords(method)],
      ['If a payment fails', plan.failure_behaviour === 'retry' ? 'it is tried again' : 'the plan stops'],
    ])}</section></div>
</div>
${doneHere(done, plan.currency, context)}`,
  };
}

/** The links to what the person may do with a plan or subscription in this state. */
export function actionLinks(request: DashboardRequest, of: 'plans' | 'subscriptions', state: string): Html | null {
  const { id, base, may } = request;
  const offered = subjectActions.filter(
    (action) => action.of === of && may(action.needs) && offeredFor(state).includes(action.name),
  );
  const links = offered.map(({ name, button }) => html`<a href="${base}${of}/${id}/${name}">${button}</a> `);
  const link = linkOffer(request, of, state);
  if (links.length === 0 && link === null) return null;
  return html`<p class="actions">${links}${link}</p>`;
}

function pastOfPlan(
  past: readonly PlanPaymentRow[],
  plan: PaymentPlanRow,
  base: string,
  context: RequestContext,
): Html {
  if (past.length === 0) return html`<p class="faint">No date has come yet.</p>`;
  return html`<ul class="plain">${past.map(
    ({ due_date: due, amount: value, status, payment_intent_id: payment, attempts, next_attempt_at: next }) => {
      const last = attempts.at(-1);
      const why =
        last === undefined || last.code === null || status === 'paid'
          ? null
          : html`, ${last.code.replaceAll('_', ' ')}`;
      const what = value === null ? null : html` ${amount(value, plan.currency)}`;
      return html`<li>${date(due)}:${payment === null ? what : html` <a href="${base}payments/${payment}">${amount(value ?? 0, plan.currency)}</a>`} ${status}${why}${
        next === null ? null : html`, tried again on ${dayOf(next, context)}`
      }</li>
`;
    },
  )}</ul>`;
}
