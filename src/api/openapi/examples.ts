import type { Static } from 'typebox';
import type { EventType } from '../../domain/event-types.ts';
import type { ClockEffect, DryRun } from '../../resources/clock-effect.ts';
import type { Customer } from '../../resources/customer.ts';
import type { Event } from '../../resources/event.ts';
import type { PaymentIntent } from '../../resources/payment-intent.ts';
import type { CreatedPaymentMethod, PaymentMethod } from '../../resources/payment-method.ts';
import type { PaymentPlan, PlanPayment } from '../../resources/payment-plan.ts';
import type { Refund } from '../../resources/refund.ts';
import type { EffectsManifest, TestClock, TestClockState } from '../../resources/test-clock.ts';
import type { WebhookDelivery } from '../../resources/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../resources/webhook-endpoint.ts';

/** The objects in the examples: one customer on a test clock, with a card, a weekly plan and a payment. */
export const exampleIds = {
  biller: 'acct_00VbVsXkg09WFeayGH8ZWnPgT98AvyqI',
  customer: 'cus_00VbVsXkh05wdOo6aBhOG0queojk0MQq',
  method: 'pm_00VbVsXkh05x1Y8nDDYqkg67SrLQE3sC',
  intent: 'pi_sandbox_00VbVsXkh066LiSNhaOHvGeaX720X1uR',
  refund: 're_00VbVsXkh05zzX3iAxzFqjFT5kJCqbYn',
  plan: 'pp_00VbVsXkh060qc7ycJWZEV5Q7vY2tNxC',
  clock: 'clk_00VbVsXkh06169y8zbV9sVqeTG6SMkHP',
  advance: 'adv_00VbVsXkh061Qh3pYt7LwXzR0cJm5sVe',
  event: 'evt_00VbVsXkh062MrRO6WPe8GPvS1IeK7Lv',
  endpoint: 'we_00VbVsXkh0636rEOFqjHsrJwVxVUx8Md',
  delivery: 'whd_00VbVsXkh064ZvZbFD4SWOeUMZG5LJzV',
  request: 'req_00VbVsXkh065c9oOgy4rFjlt3QIO0kko',
} as const;

export const dueAt = '2027-01-11T00:00:00.000Z';
export const madeAt = '2027-01-04T09:00:00.000Z';
const belonging = { biller_id: exampleIds.biller, livemode: false };

export const customer: Customer = {
  id: exampleIds.customer,
  name: 'Jo Nguyen',
  email: 'jo@example.com',
  reference: 'member-1042',
  status: 'active',
  business_name: null,
  billing_address: {
    line1: '12 Wattle Street',
    city_or_suburb: 'Ultimo',
    state_or_region: 'NSW',
    postal_code: '2007',
    country: 'AU',
  },
  shipping_address: null,
  notification_preferences: { send_payment_emails: true },
  fee_preferences: { customer_pays_transaction_fees: false },
  additional_attributes: { tier: 'gold' },
  phones: [{ kind: 'mobile', raw: '0400 000 000', country_code: 'AU' }],
  default_payment_method: exampleIds.method,
  test_clock: exampleIds.clock,
  ...belonging,
  created_at: madeAt,
  updated_at: madeAt,
  deleted_at: null,
};

const method: Static<typeof PaymentMethod> = {
  id: exampleIds.method,
  type: 'card',
  instrument_data: { card_name: 'J NGUYEN', expiry_month: 12, expiry_year: 2030, card_number_end: '4242' },
};

const createdMethod: Static<typeof CreatedPaymentMethod> = {
  success: true,
  payment_method: {
    id: exampleIds.method,
    type: 'card',
    card: { last4: '4242', exp_month: 12, exp_year: 2030, brand: 'Visa', wallet: null },
  },
};

export const eventIntent: PaymentIntent = {
  id: exampleIds.intent,
  amount: 2500,
  total_amount: 2500,
  fee_amount: 74,
  surcharge_amount: 0,
  surcharge_applied: false,
  currency: 'AUD',
  status: 'succeeded',
  payment_method_id: exampleIds.method,
  customer_id: exampleIds.customer,
  payment_plan_id: exampleIds.plan,
  metadata: { order: '6735' },
  statement_descriptor: 'HARBOUR GYM',
  total_refunded_amount: 0,
  last_payment_error: null,
  ...belonging,
  created_at: dueAt,
  updated_at: dueAt,
};
export const intent: PaymentIntent = {
  ...eventIntent,
  client_secret: `${exampleIds.intent}_secret_q8m1ZpL0vR3tYx`,
  status: 'requires_payment_method',
  payment_plan_id: null,
};
const declined: PaymentIntent = {
  ...eventIntent,
  status: 'failed',
  last_payment_error: {
    code: 'insufficient_funds',
    message: 'The account does not have enough funds for this payment.',
  },
};

const refund: Refund = {
  id: exampleIds.refund,
  payment_intent_id: exampleIds.intent,
  amount: 500,
  currency: 'AUD',
  status: 'succeeded',
  reason: 'Cancelled class',
  metadata: {},
  biller_id: exampleIds.biller,
  livemode: false,
  created_at: dueAt,
  updated_at: dueAt,
};

export const plan: PaymentPlan = {
  id: exampleIds.plan,
  customer_id: exampleIds.customer,
  name: 'Weekly membership',
  state: 'active',
  state_reason: null,
  frequency_type: 'weekly',
  frequency_period: 1,
  recurring_amount_cents: 2500,
  first_amount_cents: null,
  total_amount_cents: 130000,
  until_further_notice: false,
  currency: 'AUD',
  start_date: '2027-01-11',
  first_date: null,
  payment_instrument_id: null,
  failure_behaviour: 'retry',
  metadata: {},
  collected_amount_cents: 2500,
  next_payment_date: '2027-01-18',
  next_attempt_at: null,
  ...belonging,
  test_clock: exampleIds.clock,
  created_at: madeAt,
  updated_at: dueAt,
};

const planPayment: PlanPayment = {
  slot: 0,
  due_date: '2027-01-11',
  amount: 2500,
  status: 'paid',
  payment_intent_id: exampleIds.intent,
  attempts: [{ number: 1, at: dueAt, outcome: 'succeeded', code: null, message: null }],
};

const clockState: TestClockState = {
  id: exampleIds.clock,
  object: 'test_clock',
  name: 'Renewals',
  status: 'ready',
  frozen_time: dueAt,
  expires_at: '2026-12-20T11:02:10.000Z',
  last_advanced_at: '2026-11-20T11:05:00.000Z',
  failure_reason: null,
  livemode: false,
};
const manifest: EffectsManifest = {
  payment_intents_enqueued: 1,
  links_expired: 0,
  subscriptions_rolled: 0,
  plans_recalculated: 1,
};
export const clock: TestClock = {
  ...clockState,
  max_frozen_time: '2027-01-25T00:00:00.000Z',
  last_advance: {
    id: exampleIds.advance,
    status: 'ready',
    from_time: madeAt,
    target_time: dueAt,
    effects_manifest: manifest,
    requested_at: '2026-11-20T11:04:59.910Z',
    finished_at: '2026-11-20T11:05:00.000Z',
  },
  webhook_deliveries: { pending: 0, delivered: 4, failed: 0 },
};
const effect: ClockEffect = {
  object: 'payment_intent',
  object_id: exampleIds.intent,
  advance_id: exampleIds.advance,
  at: dueAt,
  event_type: 'payment_intent.succeeded',
  event_id: exampleIds.event,
  payment_plan_id: exampleIds.plan,
  slot: 0,
  due_date: '2027-01-11',
  changes: {
    status: 'succeeded',
    amount: 2500,
    currency: 'AUD',
    attempt: 1,
    last_payment_error: null,
    will_retry: false,
    next_attempt_at: null,
  },
};
const dryRun: DryRun = {
  id: exampleIds.clock,
  dry_run: true,
  status: 'ready',
  frozen_time: madeAt,
  target_time: dueAt,
  effects_manifest: manifest,
  effects: [{ ...effect, object_id: null, advance_id: null, event_id: null }],
};

export const endpoint: WebhookEndpoint = {
  id: exampleIds.endpoint,
  url: 'https://hooks.example.com/payments',
  event_types: ['payment_intent.*', 'payment_plan.*'],
  description: 'Bookkeeping',
  status: 'enabled',
  disabled_reason: null,
  verified_at: dueAt,
  livemode: false,
  created_at: madeAt,
  updated_at: madeAt,
};

export const delivery: WebhookDelivery = {
  id: exampleIds.delivery,
  event_id: exampleIds.event,
  event_type: 'payment_intent.succeeded',
  endpoint_id: exampleIds.endpoint,
  status: 'delivered',
  failure_reason: null,
  attempts: [{ at: madeAt, status_code: 200, error: null, duration_ms: 84, response_excerpt: 'ok' }],
  next_attempt_at: null,
  livemode: false,
  created_at: madeAt,
};

const event: Event = {
  id: exampleIds.event,
  event_type: 'payment_intent.succeeded',
  created_at: dueAt,
  ...belonging,
  test_clock: exampleIds.clock,
  sequence: 17,
  request_id: exampleIds.request,
  data: eventIntent,
};

/** An example of each resource, by schema name. Examples of larger schemas are built from these. */
export const resourceExamples: Readonly<Record<string, unknown>> = {
  Customer: customer,
  PaymentMethod: method,
  CreatedPaymentMethod: createdMethod,
  PaymentIntent: intent,
  Refund: refund,
  PaymentPlan: plan,
  PlanPayment: planPayment,
  ScheduledPayment: { slot: 1, due_date: '2027-01-18', amount: 2500 },
  TestClock: clock,
  ClockEffect: effect,
  TestClockDryRun: dryRun,
  AdvancingTestClock: { id: clock.id, status: 'advancing', frozen_time: madeAt },
  DeletedTestClock: { id: clock.id, object: 'test_clock', deleted: true },
  Event: event,
  WebhookEndpoint: endpoint,
  DeletedWebhookEndpoint: { id: endpoint.id, deleted: true },
  WebhookDelivery: delivery,
  ReplayResult: { enqueued: 12, has_more: false, last_event_id: exampleIds.event },
};

/** An example of the data of each event type. */
export const eventDataExamples: Readonly<Record<EventType, object>> = {
  'payment_intent.succeeded': eventIntent,
  'payment_intent.failed': { ...declined, attempt: 1, will_retry: true, next_attempt_at: '2027-01-12T00:00:00.000Z' },
  'payment_intent.canceled': { ...eventIntent, status: 'canceled' },
  'payment_intent.requires_action': { ...eventIntent, status: 'requires_action' },
  'payment_plan.activated': plan,
  'payment_plan.suspended': { ...plan, state: 'suspended', state_reason: 'payment_failed', next_payment_date: null },
  'payment_plan.deactivated': { ...plan, state: 'deactivated', state_reason: 'requested', next_payment_date: null },
  'payment_plan.closed': {
    ...plan,
    state: 'closed',
    state_reason: 'total_collected',
    collected_amount_cents: plan.total_amount_cents,
    next_payment_date: null,
  },
  'refund.succeeded': refund,
  'refund.failed': { ...refund, status: 'failed' },
  'test_clock.created': { ...clockState, status: 'created', frozen_time: madeAt, last_advanced_at: null },
  'test_clock.advancing': { ...clockState, status: 'advancing', frozen_time: madeAt, target_time: dueAt },
  'test_clock.ready': { ...clockState, effects_manifest: manifest },
  'test_clock.deleted': clockState,
  'webhook_endpoint.ping': { ...endpoint, verified_at: null, challenge: 'whc_Zm9yIHRoaXMgYXR0ZW1wdCBvbmx5' },
  'webhook_endpoint.disabled': { ...endpoint, status: 'disabled', disabled_reason: 'gone' },
};

export const exampleEvent: Event = event;
