import { html } from '../../platform/html.ts';
import { InvalidState } from '../../services/errors.ts';
import { receiptUrlOf } from '../../services/pages/page-urls.ts';
import { getPaymentIntent } from '../../services/payments/payment-intents.ts';
import type { Answer } from '../account/account-request.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { amount } from './words.ts';

/** The URL of a payment's receipt, to send to the payer. */
export async function showReceipt({ sql, context, id, base, pageUrls }: DashboardRequest): Promise<Answer> {
  const payment = await getPaymentIntent(sql, context, id);
  const url = receiptUrlOf(pageUrls, payment);
  if (url === null) throw new InvalidState(`Payment intent ${payment.id} is ${payment.status}. It has no receipt.`);
  return {
    status: 200,
    title: 'The receipt',
    main: html`<h1>The receipt for ${amount(payment.total_amount, payment.currency)}</h1>
<p>Send this URL to the payer. Anyone who has it can read the receipt. It cannot be used to pay.</p>
<pre tabindex="0">${url}</pre>
<p><a href="${base}payments/${payment.id}">The payment</a></p>`,
  };
}
