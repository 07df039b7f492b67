import type { Route } from '../http/route.ts';
import { accountRoutes } from './account.ts';
import { balanceRoutes } from './balance.ts';
import { businessDayRoutes } from './business-days.ts';
import { checkoutSessionRoutes } from './checkout-sessions.ts';
import { customerRoutes } from './customers.ts';
import { dashboardSessionRoutes } from './dashboard-sessions.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { mandateRoutes } from './mandates.ts';
import { paymentIntentRoutes } from './payment-intents.ts';
import { paymentLinkRoutes } from './payment-links.ts';
import { paymentMethodRoutes } from './payment-methods.ts';
import { paymentPlanRoutes } from './payment-plans.ts';
import { payoutRoutes } from './payouts.ts';
import { refundRoutes } from './refunds.ts';
import { reportRoutes } from './reports.ts';
import { subscriptionChangeRoutes } from './subscription-changes.ts';
import { subscriptionContinuationRoutes } from './subscription-continuation.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { surchargeRuleRoutes } from './surcharge-rules.ts';
import { testClockRoutes } from './test-clocks.ts';
import { webhookRoutes } from './webhooks.ts';

/** The routes of the API, in the order of the documentation. */
export const apiRoutes: readonly Route[] = [
  ...customerRoutes,
  ...paymentMethodRoutes,
  ...mandateRoutes,
  ...businessDayRoutes,
  ...paymentIntentRoutes,
  ...refundRoutes,
  ...paymentPlanRoutes,
  ...paymentLinkRoutes,
  ...checkoutSessionRoutes,
  ...subscriptionRoutes,
  ...subscriptionContinuationRoutes,
  ...subscriptionChangeRoutes,
  ...testClockRoutes,
  ...balanceRoutes,
  ...payoutRoutes,
  ...disputeRoutes,
  ...reportRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...dashboardSessionRoutes,
  ...accountRoutes,
  ...surchargeRuleRoutes,
  ...healthRoutes,
];
