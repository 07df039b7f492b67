import Type from 'typebox';
import type { PaymentFilter } from '../../db/payment-intents.ts';
import { Reference } from '../../resources/common.ts';

/** The query parameters that choose payments. `items` says what the list has, such as `refunds of payments`. */
export function paymentFilterQuery(items: string) {
  return {
    customer_id: Type.Optional(Reference(`Only ${items} of this customer.`)),
    payment_plan_id: Type.Optional(Reference(`Only ${items} of this plan.`)),
    subscription_id: Type.Optional(Reference(`Only ${items} of this subscription.`)),
    payment_link_id: Type.Optional(Reference(`Only ${items} of this payment link.`)),
    test_clock: Type.Optional(Reference(`Only ${items} of customers on this test clock.`)),
  };
}

export function paymentFilterOf(
  query: {
    [name in keyof ReturnType<typeof paymentFilterQuery>]?: string | undefined;
  },
): PaymentFilter {
  return {
    customerId: query.customer_id,
    paymentPlanId: query.payment_plan_id,
    subscriptionId: query.subscription_id,
    paymentLinkId: query.payment_link_id,
    testClock: query.test_clock,
  };
}
