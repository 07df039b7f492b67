import { showCustomer } from './customer-page.ts';
import type { DashboardRoute } from './dashboard-request.ts';
import { showFind } from './find-page.ts';
import { showPayment } from './payment-page.ts';
import { downloadPayments } from './payments-csv.ts';
import { showPayments } from './payments-page.ts';
import { askRefund, refund } from './refund-page.ts';
import { askRetry, retry } from './retry-page.ts';

/** The pages of the dashboard, in the order of the bar. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  { method: 'GET', path: /^$/, menu: { title: 'Find', path: '' }, handle: showFind },
  { method: 'GET', path: /^payments$/, menu: { title: 'Payments', path: 'payments' }, handle: showPayments },
  { method: 'GET', path: /^payments\.csv$/, needs: 'download', handle: downloadPayments },
  { method: 'GET', path: /^customers\/(cus_\w+)$/, handle: showCustomer },
  { method: 'GET', path: /^payments\/(pi_\w+)$/, handle: showPayment },
  { method: 'GET', path: /^payments\/(pi_\w+)\/refund$/, needs: 'refund', handle: askRefund },
  { method: 'POST', path: /^payments\/(pi_\w+)\/refund$/, needs: 'refund', handle: refund },
  { method: 'GET', path: /^payments\/(pi_\w+)\/retry$/, needs: 'retry_payment', handle: askRetry },
  { method: 'POST', path: /^payments\/(pi_\w+)\/retry$/, needs: 'retry_payment', handle: retry },
];
