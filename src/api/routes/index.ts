import type { Route } from '../http/route.ts';
import { customerPaymentIntentRoutes } from './customer-payment-intents.ts';
import { customerPaymentMethodRoutes } from './customer-payment-methods.ts';
import { customerRoutes } from './customers.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { homeRoutes } from './home.ts';
import { paymentIntentRoutes } from './payment-intents.ts';
import { paymentMethodRoutes } from './payment-methods.ts';
import { paymentPlanRoutes } from './payment-plans.ts';
import { referenceRoutes } from './reference.ts';
import { refundRoutes } from './refunds.ts';
import { testClockRoutes } from './test-clocks.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

/** All routes, in the order of the documentation. */
export const allRoutes: readonly Route[] = [
  ...customerRoutes,
  ...customerPaymentIntentRoutes,
  ...customerPaymentMethodRoutes,
  ...paymentMethodRoutes,
  ...paymentIntentRoutes,
  ...refundRoutes,
  ...paymentPlanRoutes,
  ...testClockRoutes,
  ...eventRoutes,
  ...webhookEndpointRoutes,
  ...webhookDeliveryRoutes,
  ...healthRoutes,
  ...homeRoutes,
  ...referenceRoutes(() => allRoutes),
];
