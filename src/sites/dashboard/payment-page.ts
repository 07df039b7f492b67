import type { PurposeOfPayment } from '../../db/dashboard-payment.ts';
import type { PaymentAttemptRow } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { RefundRow } from '../../db/refunds.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { getPaymentDetails, type PaymentDetails } from '../../services/dashboard/payment.ts';
import { receiptUrlOf } from '../../services/pages/page-urls.ts';
import { confirmRefusal } from '../../services/payments/confirm-rules.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { doneHere } from './done-here.ts';
import { amount, date, dayOf, errorInWords, facts, moment, statusPill } from './words.ts';

/** A payment: what it was for, each attempt, what came back, and what can be done. */
export async function showPayment(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, base } = request;
  const details = await getPaymentDetails(sql, context, id);
  const { payment, customer, method, purpose, attempts, refunds, done } = details;
  const total = amount(payment.total_amount, payment.currency);
  return {
    status: 200,
    title: `Payment of ${customer === null ? payment.id : isolated(customer.name)}`,
    main: html`<div class="title"><h1>${total}</h1><p>${statusPill(payment)} ${errorInWords(payment)}</p></div>
<p>${customer === null ? 'No customer' : html`<a href="${base}customers/${customer.id}">${customer.name}</a>`} · ${purposeInWords(purpose, base)} · <code>${payment.id}</code></p>
${alikeSection(details, base, context)}
${actions(request, details)}
<div class="columns even">
<section class="card" id="attempts"><h2>Attempts</h2>${attemptList(attempts, context)}</section>
<section class="card" id="amounts"><h2>Amounts</h2>${amounts(payment)}
${refunds.length === 0 ? null : html`<h3>Refunds</h3><ul class="plain">${refunds.map((refund) => refundLine(refund, context))}</ul>`}</section>
</div>
<section class="card" id="facts"><h2>Facts</h2>${facts([
      [
        'Method',
        method === null ? null : html`${methodInWords(method)}${method.detached_at === null ? null : ' (detached)'}`,
      ],
      ['Mandate', payment.mandate_id],
      ['Reference on the statement', payment.lodgement_reference ?? payment.statement_descriptor],
      ['Description', payment.description],
      ['Created', moment(payment.created_at, context)],
      ['Collected', payment.collected_at === null ? null : moment(payment.collected_at, context)],
      ['The bank reports by', payment.expected_result_date === null ? null : date(payment.expected_result_date)],
      ['The bank can take it back until', payment.returnable_until === null ? null : date(payment.returnable_until)],
    ])}</section>
${doneHere(done, payment.currency, context)}`,
  };
}

/** What a payment is for: the name, then the due date of the plan, or the dates of the period. */
export function purposeInWords(purpose: PurposeOfPayment | null, base: string): Html {
  if (purpose === null || purpose.name === null) return html`a single payment`;
  const {
    name,
    payment_plan_id: plan,
    subscription_id: subscription,
    due_date: due,
    start_date: from,
    end_date: to,
  } = purpose;
  const what =
    plan !== null
      ? html`<a href="${base}plans/${plan}">${name}</a>`
      : subscription !== null
        ? html`<a href="${base}subscriptions/${subscription}">${name}</a>`
        : html`${name}`;
  if (due !== null) return html`${what}, due on ${date(due)}`;
  if (from !== null && to !== null) return html`${what}, from ${date(from)} to ${date(to)}`;
  return what;
}

/** "Charged twice?": what looks like this payment, and what each is for. */
function alikeSection(
  { purpose, alike, purposesOfAlike }: PaymentDetails,
  base: string,
  context: RequestContext,
): Html | null {
  if (alike.length === 0) return null;
  return html`<section class="card twice" id="alike"><h2>Other payments of the same day and amount</h2>
<p>This one is for ${purposeInWords(purpose, base)}.</p>
<ul class="plain">${alike.map(
    (
      each,
    ) => html`<li><a href="${base}payments/${each.id}">${amount(each.total_amount, each.currency)}</a> ${statusPill(each)} for ${purposeInWords(purposesOfAlike.get(each.id) ?? null, base)}, ${moment(each.created_at, context)}</li>
`,
  )}</ul></section>`;
}

function actions({ may, base, pageUrls }: DashboardRequest, { payment, customer }: PaymentDetails): Html | null {
  const links = [
    may('refund') && presentPaymentIntent(payment).net_collected_amount > 0 && payment.status === 'succeeded'
      ? html`<a href="${base}payments/${payment.id}/refund">Refund</a> `
      : null,
    may('retry_payment') && payment.status === 'failed' && confirmRefusal(payment, customer) === null
      ? html`<a href="${base}payments/${payment.id}/retry">Try again now</a> `
      : null,
    may('see_receipt') && receiptUrlOf(pageUrls, payment) !== null
      ? html`<a href="${base}payments/${payment.id}/receipt">URL of the receipt</a> `
      : null,
  ].filter((link) => link !== null);
  return links.length === 0 ? null : html`<p class="actions">${links}</p>`;
}

const outcomes: Readonly<Record<PaymentAttemptRow['outcome'], string>> = {
  processing: 'the processor was asked',
  accepted: 'waits for its hand-over to the bank',
  submitted: 'with the bank',
  requires_action: 'waits for the payer (3D Secure)',
  succeeded: 'collected',
  failed: 'failed',
  returned: 'collected, and taken back by the bank',
};

function attemptList(attempts: readonly PaymentAttemptRow[], context: RequestContext): Html {
  if (attempts.length === 0) return html`<p class="faint">Nothing was tried yet.</p>`;
  return html`<ol>${attempts.map(
    ({
      outcome,
      code,
      message,
      at,
      by_payer: byPayer,
    }) => html`<li>${moment(at, context)}${byPayer ? ', by the payer' : null}: ${outcomes[outcome]}${
      code === null ? null : html` (${code.replaceAll('_', ' ')}: ${message})`
    }</li>
`,
  )}</ol>`;
}

function amounts(payment: PaymentIntentRow): Html {
  const shown = presentPaymentIntent(payment);
  const money = (value: number | undefined) => (value ? amount(value, payment.currency) : null);
  return facts([
    ['Amount', amount(shown.amount, payment.currency)],
    ['Surcharge', money(shown.surcharge_amount)],
    ['Total', amount(shown.total_amount, payment.currency)],
    ['Refunded', money(shown.total_refunded_amount)],
    ['Taken back by the bank', money(shown.total_returned_amount)],
    ['You hold', amount(shown.net_collected_amount, payment.currency)],
  ]);
}

function refundLine(
  { amount: refunded, currency, status, reason, created_at: at }: RefundRow,
  context: RequestContext,
): Html {
  return html`<li>${amount(refunded, currency)} ${status} on ${dayOf(at, context)}${reason === null ? null : html`: ${reason}`}</li>
`;
}
