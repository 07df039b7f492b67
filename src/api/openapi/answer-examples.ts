import {
  clock,
  customer,
  delivery,
  dueAt,
  endpoint,
  eventIntent,
  exampleIds,
  intent,
  madeAt,
  plan,
} from './examples.ts';

const waiting = { collected_amount_cents: 0, next_payment_date: plan.start_date, updated_at: madeAt };
const stopped = { state_reason: 'requested', next_payment_date: null };
const secret = 'whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50LCAzMiBieXRlcy4=';

/** Response examples by operation, for operations whose object differs from the example of its resource. */
export const answerExamples: Readonly<Record<string, object>> = {
  deleteCustomer: { ...customer, updated_at: dueAt, deleted_at: dueAt },
  createSandboxPaymentMethod: {
    success: true,
    payment_method: {
      id: exampleIds.method,
      type: 'pay_id',
      instrument_data: { payid: 'jo@example.com', account_name: 'Jo Nguyen', payid_type: 'email' },
    },
  },
  confirmPaymentIntent: { ...intent, status: 'succeeded' },
  completePaymentIntentAction: { ...eventIntent, payment_plan_id: null },
  cancelPaymentIntent: { ...eventIntent, payment_plan_id: null, status: 'canceled' },
  createPaymentPlan: { ...plan, ...waiting, state: 'pending' },
  activatePaymentPlan: { ...plan, ...waiting },
  suspendPaymentPlan: { ...plan, ...stopped, state: 'suspended' },
  deactivatePaymentPlan: { ...plan, ...stopped, state: 'deactivated' },
  closePaymentPlan: { ...plan, ...stopped, state: 'closed' },
  createTestClock: {
    ...clock,
    status: 'created',
    frozen_time: madeAt,
    last_advanced_at: null,
    max_frozen_time: '2027-03-07T09:00:00.000Z',
    last_advance: null,
    webhook_deliveries: { pending: 1, delivered: 0, failed: 0 },
  },
  createWebhookEndpoint: { ...endpoint, verified_at: null, secret },
  rotateWebhookSecret: { ...endpoint, secret },
  pingWebhookEndpoint: { ...delivery, event_type: 'webhook_endpoint.ping', status: 'pending', attempts: [] },
};
