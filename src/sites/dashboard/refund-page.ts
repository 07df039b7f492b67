import { inMajorUnits, parseAmount, readsTwoWays } from '../../domain/words/money.ts';
import { html } from '../../platform/html.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { getPaymentDetails, type PaymentDetails } from '../../services/dashboard/payment.ts';
import { InvalidState, ValidationFailed } from '../../services/errors.ts';
import type { Answer } from '../account/account-request.ts';
import { apiRoute } from '../account/api-route.ts';
import { methodInWords } from '../account/method-in-words.ts';
import { alert } from '../account/plain-pages.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amount } from './words.ts';

const createRefund = apiRoute('createRefund');
const longestReason = 500;

/** The page before a refund: first its amount, then what will happen, with the button. */
export async function askRefund(request: DashboardRequest): Promise<Answer> {
  const { sql, context, id, query } = request;
  const details = await getPaymentDetails(sql, context, id);
  const { payment } = details;
  const most = presentPaymentIntent(payment).net_collected_amount;
  if (payment.status !== 'succeeded' || most <= 0) {
    throw new InvalidState(`Payment intent ${payment.id} is ${payment.status}, and nothing of it can be refunded.`);
  }
  const typed = query.get('amount');
  if (typed === null) return amountPage(request, details, most, null);
  const chosen = readsTwoWays(typed, payment.currency) ? null : parseAmount(typed, payment.currency);
  if (chosen === null || chosen < 1 || chosen > most) {
    const message = html`Give an amount of at most ${amount(most, payment.currency)}, such as ${inMajorUnits(most, payment.currency)}.`;
    return amountPage(request, details, most, message);
  }
  return confirmPage(request, details, chosen);
}

function amountPage(
  { base, query }: DashboardRequest,
  { payment, customer }: PaymentDetails,
  most: number,
  problem: ReturnType<typeof html> | null,
): Answer {
  const path = `${base}payments/${payment.id}`;
  return {
    status: problem === null ? 200 : 422,
    title: 'Refund',
    main: html`<h1>Refund to ${customer?.name ?? 'the payer'}</h1>
${problem === null ? null : alert(problem)}
<form method="get" action="${path}/refund" class="card">
<div class="field"><label for="amount">Amount, ${payment.currency}; at most ${amount(most, payment.currency)}</label>
<input id="amount" name="amount" inputmode="decimal" maxlength="40" required value="${query.get('amount') ?? inMajorUnits(most, payment.currency)}"></div>
<div class="field"><label for="reason">Reason, if you like</label>
<input id="reason" name="reason" maxlength="${longestReason}" value="${query.get('reason') ?? ''}"></div>
<button>Go on</button> <a href="${path}">Do not refund</a></form>`,
  };
}

function confirmPage(
  { base, query, formField }: DashboardRequest,
  { payment, customer, method }: PaymentDetails,
  chosen: number,
): Answer {
  const path = `payments/${payment.id}/refund`;
  const money = amount(chosen, payment.currency);
  const reason = (query.get('reason') ?? '').trim().slice(0, longestReason);
  return {
    status: 200,
    title: 'Refund',
    main: html`<h1>Refund ${money}?</h1>
<p>${money} of ${amount(payment.total_amount, payment.currency)} go back to ${customer?.name ?? 'the payer'}${
      method === null ? null : html`, to ${methodInWords(method)}`
    }. This cannot be undone.</p>
${reason === '' ? null : html`<p>Reason: ${reason}</p>`}
<form method="post" action="${base}${path}">${formField(path)}
<input type="hidden" name="amount" value="${chosen}"><input type="hidden" name="reason" value="${reason}">
<button class="danger">Refund ${money}</button> <a href="${base}payments/${payment.id}">Do not refund</a></form>`,
  };
}

/** Refunds what the page has said. */
export async function refund({ id, form, perform }: DashboardRequest): Promise<Answer> {
  const text = form.get('amount') ?? '';
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw ValidationFailed.of('/amount', 'invalid_value', 'The amount is missing. Open the page of the refund again.');
  }
  const reason = (form.get('reason') ?? '').slice(0, longestReason);
  const value = Number(text);
  await perform({
    route: createRefund,
    params: { payment_intent_id: id },
    body: { amount: value, ...(reason === '' ? {} : { reason }) },
    audit: { action: 'payment_intent.refunded', subjectId: id, changes: { amount: { from: null, to: value } } },
  });
  return { goTo: `payments/${id}` };
}
