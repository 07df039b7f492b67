import type { Route } from '../../api/http/route.ts';
import { html } from '../../platform/html.ts';
import { timeNow } from '../../services/customer-time.ts';
import { getPaymentDetails, type PaymentDetails } from '../../services/dashboard/payment.ts';
import { InvalidState, ValidationFailed } from '../../services/errors.ts';
import { type Confirmation, confirmRefusal, OtherTotal } from '../../services/payments/confirm-rules.ts';
import { getPaymentIntent } from '../../services/payments/payment-intents.ts';
import { decideSurcharge } from '../../services/payments/surcharges.ts';
import type { Answer } from '../account/account-request.ts';
import { apiRoute } from '../account/api-route.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { purposeInWords } from './payment-page.ts';
import { amount } from './words.ts';

const confirm = apiRoute('confirmPaymentIntent');

/** The page before a failed payment is tried again: what is taken, and from where. */
export async function askRetry(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, base, formField } = request;
  const details = await getPaymentDetails(sql, context, id);
  const { payment, customer, purpose } = details;
  const method = chargeableMethod(details);
  const at = await timeNow(sql, context, { test_clock_id: customer?.test_clock_id ?? null });
  const { total_amount: total } = decideSurcharge(payment, method, context, at);
  const path = `payments/${payment.id}/retry`;
  const money = amount(total, payment.currency);
  return {
    status: 200,
    title: 'Try again',
    main: html`<h1>Take ${money} now?</h1>
<p>${money} are taken from ${customer?.name ?? 'the payer'} by ${methodInWords(method)}, for ${purposeInWords(purpose, base)}.</p>
<form method="post" action="${base}${path}">${formField(path)}<input type="hidden" name="total" value="${total}">
<input type="hidden" name="method" value="${method.id}">
<button>Take ${money}</button> <a href="${base}payments/${payment.id}">Do nothing</a></form>`,
  };
}

/** @throws InvalidState if the payment has not failed, or nothing can be charged. */
function chargeableMethod({ payment, customer, method }: PaymentDetails) {
  const refusal = confirmRefusal(payment, customer);
  if (refusal !== null) throw refusal;
  if (payment.status !== 'failed') throw new InvalidState(`Payment intent ${payment.id} has not failed.`);
  if (method !== null && method.detached_at === null) return method;
  throw new InvalidState('The payment has no method that can be charged. The payer needs a link to pay it.');
}

const methodChanged = 'The payment has another method now than the page has said. Open the page of the payment again.';

/** Tries a failed payment again, if that takes what the page has said, by the method that it has named. */
export async function retry({ sql, context, id, form, perform }: DashboardRequest): Promise<Answer> {
  const text = form.get('total') ?? '';
  if (!/^\d{1,9}$/.test(text)) {
    throw ValidationFailed.of('/total', 'invalid_value', 'The amount is missing. Open the page of the payment again.');
  }
  const total = Number(text);
  const { payment_method_id: method } = await getPaymentIntent(sql, context, id);
  if (method === null || method !== form.get('method')) throw new InvalidState(methodChanged);
  await perform({
    route: bound(confirm, total),
    params: { payment_intent_id: id },
    body: { payment_method: method },
    audit: { action: 'payment_intent.retried', subjectId: id, changes: { amount: { from: null, to: total } } },
  });
  return { goTo: `payments/${id}` };
}

/** The same confirm, which takes this total or nothing. */
function bound(route: Route, shownTotal: number): Route {
  return {
    ...route,
    async handle(input) {
      const body = { ...(input.body as Confirmation), shownTotal };
      try {
        return await route.handle({ ...input, body });
      } catch (error) {
        if (!(error instanceof OtherTotal)) throw error;
        throw new InvalidState('Another amount is due now than the page has said. Open the page of the payment again.');
      }
    },
  };
}
