import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { dateIn } from '../../domain/calendar.ts';
import { type Html, html } from '../../platform/html.ts';
import { presentSubscription } from '../../resources/subscription.ts';
import type { CustomerNow, PlanNow, SubscriptionNow } from '../../services/dashboard/customer.ts';
import type { RequestContext } from '../../services/request-context.ts';
import { methodInWords } from '../account/method-in-words.ts';
import { purposeInWords } from './payment-page.ts';
import { amount, date, dayOf, errorInWords, statusWords } from './words.ts';

/** How a sentence is put together: the customer, links, and the biller's dates. */
interface Telling {
  now: CustomerNow;
  base: string;
  context: RequestContext;
}

/**
 * What a person wants to know first, in sentences: what comes next, what is owed and why, what is under way, and what
 * looks as if it was taken twice. Each figure and date is one of the API.
 */
export function nowInSentences(telling: Telling): Html {
  const { now, base, context } = telling;
  const sentences = [
    ...nextSentences(telling),
    ...now.plans.flatMap((each) => owedOfPlan(each, telling)),
    ...now.subscriptions.flatMap((each) => owedOfSubscription(each, telling)),
    ...now.singles
      .filter(({ scheduled_at: scheduled }) => scheduled === null)
      .map(
        (payment) =>
          html`<a href="${base}payments/${payment.id}">${amount(payment.total_amount, payment.currency)}</a> ${statusWords[payment.status].words} on ${dayOf(payment.updated_at, context)} (${errorInWords(payment)}). Nothing tries it again on its own.`,
      ),
    ...now.underWay.map(
      (payment) =>
        html`<a href="${base}payments/${payment.id}">${amount(payment.total_amount, payment.currency)}</a> ${
          payment.expected_result_date === null
            ? 'are being charged.'
            : html`are with the bank, known by ${date(payment.expected_result_date)}.`
        }`,
    ),
    ...now.alike.map(
      ({ ids, total_amount: total, currency, first_at: at }) =>
        html`<span class="twice">${ids.length} payments of ${amount(total, currency)} on ${dayOf(at, context)}: ${ids.map(
          (id, index) =>
            html`${index === 0 ? '' : ', and '}<a href="${base}payments/${id}">one</a> for ${purposeInWords(now.purposesOfAlike.get(id) ?? null, base)}`,
        )}.</span>`,
    ),
  ];
  if (sentences.length === 0) return html`<p>Nothing is coming, nothing is owed.</p>`;
  return html`${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}`;
}

/** The next payment of each plan and subscription that runs, and scheduled payments, the earliest first. */
function nextSentences({ now, base, context }: Telling): Html[] {
  const ofPlans = now.plans.flatMap(({ plan, next }) =>
    next === null ? [] : [{ on: next.dueDate, total: next.amount, of: plan, path: `plans/${plan.id}` }],
  );
  const ofSubscriptions = now.subscriptions.flatMap(({ subscription, next }) =>
    next === null
      ? []
      : [{ on: next.start, total: next.amount, of: subscription, path: `subscriptions/${subscription.id}` }],
  );
  const scheduled = now.singles.flatMap((payment) => {
    if (payment.scheduled_at === null) return [];
    const { id, currency, description, total_amount: total, payment_method_id: method } = payment;
    const of = { currency, name: description ?? 'a single payment', payment_instrument_id: method };
    return [{ on: dateIn(payment.scheduled_at, context.timeZone), total, of, path: `payments/${id}` }];
  });
  const coming = [...ofPlans, ...ofSubscriptions, ...scheduled].toSorted((a, b) => a.on.localeCompare(b.on));
  return coming.map(({ on, total, of, path }, index) => {
    const method = methodOf(now, of.payment_instrument_id);
    const by = method === null ? html`; there is no method to charge` : html` by ${methodInWords(method)}`;
    return html`${index === 0 ? 'Next' : 'Then'}: ${amount(total, of.currency)} on ${date(on)}${by}, for <a href="${base}${path}">${of.name}</a>.`;
  });
}

/** The method that a charge takes: the one that is named, or the customer's default. */
function methodOf({ customer, methods }: CustomerNow, named: string | null): PaymentMethodRow | null {
  return methods.find(({ id }) => id === (named ?? customer.default_payment_method_id)) ?? null;
}

function owedOfPlan({ plan, unpaid }: PlanNow, { base, context }: Telling): Html[] {
  return unpaid.flatMap(({ amount: owed, due_date: due, attempts, next_attempt_at: next, payment_intent_id: id }) => {
    if (owed === null) return [];
    const last = attempts.at(-1);
    const why =
      last === undefined || last.code === null
        ? null
        : html`; ${last.code.replaceAll('_', ' ')} on ${dayOf(last.at, context)}`;
    return [
      html`Owes <a href="${base}payments/${id}">${amount(owed, plan.currency)}</a> for <a href="${base}plans/${plan.id}">${plan.name}</a>, due on ${date(due)}${why}${again(next, context)}.`,
    ];
  });
}

function owedOfSubscription({ subscription }: SubscriptionNow, { base, context }: Telling): Html[] {
  const shown = presentSubscription(subscription);
  const { owed_amount_cents: owed, last_payment_error: error, current_period: period } = shown;
  if (owed === 0) return [];
  const dates = period === null ? null : html` for ${date(period.start)} to ${date(period.end)}`;
  const why = error === null ? null : html`; ${error.code.replaceAll('_', ' ')}`;
  return [
    html`Owes ${amount(owed, subscription.currency)}${dates} of <a href="${base}subscriptions/${subscription.id}">${subscription.name}</a>${why}${again(subscription.next_attempt_at, context)}.`,
  ];
}

function again(at: Date | null, context: RequestContext): Html {
  return at === null ? html`; nothing tries it again on its own` : html`, tried again on ${dayOf(at, context)}`;
}
