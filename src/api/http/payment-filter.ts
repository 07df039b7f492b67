import Type, { type Static, type TObject } from 'typebox';
import type { PaymentFilter, PaymentIntentFilter } from '../../db/payment-intents.ts';
import type { Id } from '../../domain/ids.ts';
import { Currency, collectedQuery, dateQuery, listQuery, Reference, Strict } from '../../resources/common.ts';
import { PaymentIntentStatus } from '../../resources/payment-intent.ts';
import { MethodType } from '../../resources/payment-method.ts';

/** The query parameters that choose payments. `items` says what the list has, such as `refunds of payments`. */
export function paymentFilterQuery(items: string) {
  return {
    customer_id: Type.Optional(Reference<'customer'>(`Only ${items} of this customer.`)),
    payment_plan_id: Type.Optional(Reference<'payment_plan'>(`Only ${items} of this plan.`)),
    subscription_id: Type.Optional(Reference<'subscription'>(`Only ${items} of this subscription.`)),
    payment_link_id: Type.Optional(Reference<'payment_link'>(`Only ${items} of this payment link.`)),
    test_clock: Type.Optional(
      Type.Unsafe<Id<'test_clock'> | 'none'>(
        Reference(`Only ${items} of customers on this test clock; \`none\`: only ${items} on no test clock.`),
      ),
    ),
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

/** The query of the list of payments. */
export const PaymentIntentQuery = Strict({
  ...listQuery,
  ...dateQuery,
  ...collectedQuery,
  ...paymentFilterQuery('payments'),
  status: Type.Optional(PaymentIntentStatus),
  payment_method_type: Type.Optional(
    Type.Unsafe<Static<typeof MethodType>>({
      ...MethodType,
      description: 'Only payments whose method is of this type.',
    }),
  ),
  currency: Type.Optional(Currency),
  total_amount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999_999,
      description: 'Only payments over this total, in minor units.',
    }),
  ),
});
export type PaymentIntentQuery = Static<typeof PaymentIntentQuery>;

export function intentFilterOf(query: PaymentIntentQuery): PaymentIntentFilter {
  return {
    ...paymentFilterOf(query),
    status: query.status,
    methodType: query.payment_method_type,
    currency: query.currency,
    totalAmount: query.total_amount,
  };
}
