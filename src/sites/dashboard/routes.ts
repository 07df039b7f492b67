import { clockRoutes } from './clocks.ts';
import { showCustomer } from './customer-page.ts';
import type { DashboardRoute } from './dashboard-request.ts';
import { askSend, send, showDelivery } from './delivery-page.ts';
import { showEvents } from './events-page.ts';
import { showFailures } from './failures-page.ts';
import { showFind } from './find-page.ts';
import { linkRoutes } from './link-page.ts';
import { showPayment } from './payment-page.ts';
import { downloadPayments } from './payments-csv.ts';
import { showPayments } from './payments-page.ts';
import { showPlan } from './plan-page.ts';
import { showReceipt } from './receipt-page.ts';
import { askRefund, refund } from './refund-page.ts';
import { askRetry, retry } from './retry-page.ts';
import { routesOf } from './simple-action.ts';
import { subjectActions } from './subject-actions.ts';
import { showSubscription } from './subscription-page.ts';
import { showWebhooks } from './webhooks-page.ts';

/** The pages of the dashboard, in the order of the bar. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  { method: 'GET', path: /^$/, menu: { title: 'Find', path: '' }, handle: showFind },
  { method: 'GET', path: /^payments$/, menu: { title: 'Payments', path: 'payments' }, handle: showPayments },
  { method: 'GET', path: /^payments\.csv$/, needs: 'download', handle: downloadPayments },
  {
    method: 'GET',
    path: /^due$/,
    // It shows the rows of the aging report.
    scope: 'reports:read',
    menu: { title: 'Failed and due', path: 'due' },
    handle: showFailures,
  },
  { method: 'GET', path: /^webhooks$/, menu: { title: 'Webhooks', path: 'webhooks' }, handle: showWebhooks },
  { method: 'GET', path: /^webhooks\/(whd_\w+)$/, handle: showDelivery },
  { method: 'GET', path: /^webhooks\/(whd_\w+)\/send$/, needs: 'send_webhook', handle: askSend },
  { method: 'POST', path: /^webhooks\/(whd_\w+)\/send$/, needs: 'send_webhook', handle: send },
  { method: 'GET', path: /^events$/, menu: { title: 'Events', path: 'events' }, handle: showEvents },
  { method: 'GET', path: /^customers\/(cus_\w+)$/, handle: showCustomer },
  { method: 'GET', path: /^payments\/(pi_\w+)$/, handle: showPayment },
  { method: 'GET', path: /^payments\/(pi_\w+)\/refund$/, needs: 'refund', handle: askRefund },
  { method: 'POST', path: /^payments\/(pi_\w+)\/refund$/, needs: 'refund', handle: refund },
  { method: 'GET', path: /^payments\/(pi_\w+)\/retry$/, needs: 'retry_payment', handle: askRetry },
  { method: 'POST', path: /^payments\/(pi_\w+)\/retry$/, needs: 'retry_payment', handle: retry },
  { method: 'GET', path: /^payments\/(pi_\w+)\/receipt$/, needs: 'see_receipt', handle: showReceipt },
  { method: 'GET', path: /^plans\/(pp_\w+)$/, handle: showPlan },
  { method: 'GET', path: /^subscriptions\/(sub_\w+)$/, handle: showSubscription },
  ...subjectActions.flatMap(routesOf),
  ...linkRoutes,
  ...clockRoutes,
];
