export { bankDebit } from './bank-debit.ts';
export { checkoutSession } from './checkout-session.ts';
export { paymentLink } from './payment-link.ts';
export { paymentPlan } from './payment-plan.ts';
export { scheduledPayment } from './scheduled-payment.ts';
export { subscription } from './subscription.ts';
export { testClock } from './test-clock.ts';
export { webhookDelivery } from './webhook-delivery.ts';
