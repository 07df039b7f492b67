import { intentFilterOf } from '../../api/http/payment-filter.ts';
import { instant } from '../../resources/common.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { allPayments, type ListedPayment } from '../../services/dashboard/payment-list.ts';
import { methodInWords } from '../account/method-in-words.ts';
import type { DashboardRequest, Download } from './dashboard-request.ts';
import { readSearch } from './payment-search.ts';

/** The columns of the download, in their order (capabilities: dashboard, settled point 4). Amounts are minor units. */
const columns = [
  ...['id', 'created_at', 'collected_at', 'status', 'currency', 'amount', 'surcharge', 'total', 'refunded', 'returned'],
  ...['net_collected', 'customer_id', 'customer_name', 'customer_reference', 'description', 'payment_plan_id'],
  ...['subscription_id', 'payment_link_id', 'method', 'lodgement_reference', 'metadata'],
];

/** All payments of the list with the same address, as CSV. */
export async function downloadPayments({ sql, context, reportSlots, query }: DashboardRequest): Promise<Download> {
  const search = readSearch(query, context);
  const batches = allPayments(sql, context, reportSlots, intentFilterOf(search), search);
  return { table: { name: 'payments', columns, batches: rowsOf(batches) } };
}

async function* rowsOf(batches: AsyncIterable<ListedPayment[]>) {
  for await (const batch of batches) yield batch.map(rowOf);
}

function rowOf({ payment, customer, method }: ListedPayment): object {
  const shown = presentPaymentIntent(payment);
  return {
    ...{ id: payment.id, created_at: instant(payment.created_at), collected_at: instant(payment.collected_at) },
    ...{ status: payment.status, currency: payment.currency, amount: payment.amount },
    ...{ surcharge: payment.surcharge_amount, total: payment.total_amount, refunded: payment.total_refunded_amount },
    ...{ returned: payment.total_returned_amount, net_collected: shown.net_collected_amount },
    ...{ customer_id: payment.customer_id, customer_name: customer?.name, customer_reference: customer?.reference },
    ...{ description: payment.description, payment_plan_id: payment.payment_plan_id },
    ...{ subscription_id: payment.subscription_id, payment_link_id: payment.payment_link_id },
    method: method === null ? null : methodInWords(method),
    ...{ lodgement_reference: payment.lodgement_reference, metadata: payment.metadata },
  };
}
