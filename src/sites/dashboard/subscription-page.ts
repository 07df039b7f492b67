import type { SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { type Html, html } from '../../platform/html.ts';
import { presentSubscription } from '../../resources/subscription.ts';
import { getSubscriptionDetails } from '../../services/dashboard/subject.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { doneHere } from './done-here.ts';
import { actionLinks } from './plan-page.ts';
import { amount, date, dayOf, facts, statePill } from './words.ts';

/** A subscription: what it sells, the periods that have begun with their outcomes, and those to come. */
export async function showSubscription(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, base } = request;
  const details = await getSubscriptionDetails(sql, context, id);
  const { subscription, customer, past, coming, hasMore, method, done } = details;
  const shown = presentSubscription(subscription);
  const money = (value: number) => amount(value, subscription.currency);
  const isAsIf = subscription.state === 'paused' || subscription.state === 'pending';
  return {
    status: 200,
    title: subscription.name,
    main: html`<div class="title"><h1>${subscription.name}</h1><p>${statePill(subscription.state, subscription.state_reason)}
${shown.in_effect ? 'In effect' : 'Not in effect'}${subscription.in_effect_until === null ? null : html` until ${dayOf(subscription.in_effect_until, context)}`}.</p></div>
<p>A subscription of <a href="${base}customers/${customer.id}">${customer.name}</a> · <code>${subscription.id}</code></p>
${actionLinks(request, 'subscriptions', subscription.state)}
<div class="columns even">
<section class="card" id="past"><h2>Periods</h2>${pastPeriods(past, subscription, base, context)}</section>
<div><section class="card" id="coming"><h2>What is coming</h2>
${isAsIf && coming.length > 0 ? html`<p>If it were ${subscription.state === 'paused' ? 'resumed' : 'started'} now:</p>` : null}
${coming.length === 0 ? html`<p class="faint">Nothing.</p>` : html`<ul class="plain">${coming.map(({ start, end, amount: value }) => html`<li>${date(start)} to ${date(end)}: ${money(value)}</li>\n`)}</ul>`}
${hasMore ? html`<p class="faint">And so on.</p>` : null}</section>
<section class="card" id="terms"><h2>Terms</h2>${facts([
      ...shown.items.map(({ name, unit_amount_cents: price, quantity }): [string, Html] => [
        name,
        html`${quantity === 1 ? null : `${quantity} × `}${money(price)}`,
      ]),
      ['Owed', shown.owed_amount_cents === 0 ? null : money(shown.owed_amount_cents)],
      ['Credit', shown.credit_balance_cents === 0 ? null : money(shown.credit_balance_cents)],
      ['Ends on', shown.ends_at === null ? null : date(shown.ends_at)],
      ['Pauses on', shown.pauses_at === null ? null : date(shown.pauses_at)],
      ['Resumes on', shown.resumes_at === null ? null : date(shown.resumes_at)],
      ['Tried again on', subscription.next_attempt_at === null ? null : dayOf(subscription.next_attempt_at, context)],
      ['Method', method === null ? 'the default of the customer' : methodInWords(method)],
    ])}</section></div>
</div>
${doneHere(done, subscription.currency, context)}`,
  };
}

function pastPeriods(
  past: readonly SubscriptionPeriodRow[],
  { currency }: ShownSubscriptionRow,
  base: string,
  context: RequestContext,
): Html {
  if (past.length === 0) return html`<p class="faint">No period has begun yet.</p>`;
  return html`<ul class="plain">${past.map(
    ({
      start_date: from,
      end_date: to,
      kind,
      status,
      amount_cents: value,
      payment_intent_id: payment,
      next_attempt_at: next,
    }) =>
      html`<li>${date(from)} to ${date(to)}: ${
        kind === 'trial'
          ? 'trial'
          : payment === null
            ? amount(value, currency)
            : html`<a href="${base}payments/${payment}">${amount(value, currency)}</a>`
      }${kind === 'trial' ? null : ` ${status}`}${next === null ? null : html`, tried again on ${dayOf(next, context)}`}</li>
`,
  )}</ul>`;
}
