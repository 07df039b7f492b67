import Type, { type Static, type TObject } from 'typebox';
import type { PaymentFilter } from '../../db/payment-intents.ts';
import { Reference } from '../../resources/common.ts';

/** The query parameters that choose payments. `items` says what the list has, such as `refunds of payments`. */
export function paymentFilterQuery(items: string) {
  return {
    customer_id: Type.Optional(Reference<'customer'>(`Only ${items} of this customer.`)),
    payment_plan_id: Type.Optional(Reference<'payment_plan'>(`Only ${items} of this plan.`)),
    subscription_id: Type.Optional(Reference<'subscription'>(`Only ${items} of this subscription.`)),
    payment_link_id: Type.Optional(Reference<'payment_link'>(`Only ${items} of this payment link.`)),
    test_clock: Type.Optional(Reference<'test_clock'>(`Only ${items} of customers on this test clock.`)),
  };
}

export function paymentFilterOf(query: Static<TObject<ReturnType<typeof paymentFilterQuery>>>): PaymentFilter {
  return {
    customerId: query.customer_id,
    paymentPlanId: query.payment_plan_id,
    subscriptionId: query.subscription_id,
    paymentLinkId: query.payment_link_id,
    testClock: query.test_clock,
  };
}
