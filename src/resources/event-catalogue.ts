import Type, { type Static, type TSchema } from 'typebox';
import { nothingLetGo } from '../domain/subscriptions/apply.ts';
import { CheckoutSession, checkoutSessionEventExample } from './checkout-session.ts';
import { Nullable, Strict, Timestamp } from './common.ts';
import { Dispute, disputeExample } from './dispute.ts';
import { dueAt, madeAt } from './examples.ts';
import { Mandate, mandateExample } from './mandate.ts';
import { debitIntentExample, PaymentIntent, planPaymentIntentExample } from './payment-intent.ts';
import { PaymentLink, paymentLinkEventExample } from './payment-link.ts';
import { PaymentPlan, paymentPlanExample } from './payment-plan.ts';
import { Payout, payoutExample } from './payout.ts';
import { Refund, refundExample } from './refund.ts';
import {
  Subscription,
  SubscriptionPeriod,
  SubscriptionPeriodLine,
  subscriptionExample,
  subscriptionPeriodExample,
} from './subscription.ts';
import { clockStateExample, EffectsManifest, manifestExample, TestClockState } from './test-clock.ts';
import { endpointExample, PingedWebhookEndpoint, WebhookEndpoint } from './webhook-endpoint.ts';

const retry = {
  will_retry: Type.Boolean({ description: 'Whether the plan or subscription retries this payment.' }),
  next_attempt_at: Nullable(Timestamp, {
    description: 'When the plan or subscription retries it; null if it does not.',
  }),
};

const FailedPaymentIntent = Strict(
  {
    ...PaymentIntent.properties,
    attempt: Type.Integer({ description: 'The number of the attempt that failed, from 1.' }),
    ...retry,
  },
  { title: 'FailedPaymentIntent' },
);

const ReturnedPaymentIntent = Strict(
  {
    ...PaymentIntent.properties,
    attempt: Type.Integer({ description: 'The number of the attempt that came back, from 1.' }),
    reason: Type.String({ description: 'Why, for programs: see *Codes of failed payments*.' }),
    bank_code: Nullable(Type.String(), { description: 'The bank’s own code; null if it gave none.' }),
    returned_at: Type.String({ format: 'date-time', description: 'When the bank reported it.' }),
    dispute_id: Type.Optional(Type.String({ description: 'The dispute that was lost, if one was.' })),
    returned_amount: Type.Optional(
      Type.Integer({ description: 'What the dispute took, minor units: the total without what was refunded before.' }),
    ),
    returned_tax_amount: Type.Optional(Type.Integer({ description: 'How much of that is tax, minor units.' })),
    ...retry,
  },
  { title: 'ReturnedPaymentIntent' },
);

const LettingGo = Strict(
  {
    ...Subscription.properties,
    waived_amount_cents: Type.Integer({
      description: 'What was served and is not collected, minor units. 0 if all is paid or collected.',
    }),
    dropped_lines: Type.Array(SubscriptionPeriodLine, {
      description: 'Fees and lines of changes that are no longer taken, since it has ended.',
    }),
  },
  { title: 'SubscriptionLettingGo' },
);

const PaidPeriod = Strict(
  { ...Subscription.properties, paid_period: SubscriptionPeriod },
  { title: 'SubscriptionPaidPeriod' },
);

const TestClockAdvancing = Strict(
  {
    ...TestClockState.properties,
    target_time: Type.String({ format: 'date-time', description: 'The instant that the clock advances to.' }),
  },
  { title: 'TestClockAdvancing' },
);

const TestClockReady = Strict(
  { ...TestClockState.properties, effects_manifest: EffectsManifest },
  { title: 'TestClockReady' },
);

const currentPeriodExample = { number: 1, start: '2027-01-11', end: '2027-02-11' } as const;
const dearerItems = subscriptionExample.items.map((item) => ({ ...item, unit_amount_cents: 6900 }));
const endedSubscription = {
  ...subscriptionExample,
  in_effect: false,
  in_effect_until: null,
  next_period_start: null,
} as const;

/**
 * An entry of the catalogue. `data` is the object as it was at the time, with the fields that only the event has.
 * `occasion` says when the event is sent; its first sentence is the summary.
 */
function event<S extends TSchema>(data: S, occasion: string, example: Static<S>) {
  return { data, occasion, example };
}

const endedMandate = {
  ...mandateExample,
  next_possible_charge_date: null,
  ended_at: dueAt,
  updated_at: dueAt,
} as const;
const paidLink = { ...paymentLinkEventExample, payments_count: 1, collected_amount: 2500 };
const stopped = { ...paymentPlanExample, state_reason: 'requested', next_payment_date: null } as const;

/** Every type of event, for webhooks and the list of events. */
export const eventCatalogue = {
  'payment_intent.succeeded': event(
    PaymentIntent,
    'A payment was collected, including payments of plans. This event completes a payment.',
    planPaymentIntentExample,
  ),
  'payment_intent.failed': event(
    FailedPaymentIntent,
    'An attempt to charge failed, including attempts of plans and scheduled payments. `will_retry` says whether ' +
      'the plan tries again, and `next_attempt_at` when.',
    {
      ...planPaymentIntentExample,
      status: 'failed',
      net_collected_amount: 0,
      collected_at: null,
      last_payment_error: {
        code: 'insufficient_funds',
        message: 'The account does not have enough funds for this payment.',
      },
      attempt: 1,
      will_retry: true,
      next_attempt_at: '2027-01-12T00:00:00.000Z',
    },
  ),
  'payment_intent.canceled': event(PaymentIntent, 'A payment intent was canceled.', {
    ...planPaymentIntentExample,
    status: 'canceled',
    net_collected_amount: 0,
    collected_at: null,
  }),
  'payment_intent.requires_action': event(PaymentIntent, 'The payer must authenticate the payment (3D Secure).', {
    ...planPaymentIntentExample,
    status: 'requires_action',
    net_collected_amount: 0,
    collected_at: null,
  }),
  'payment_intent.restricted': event(
    PaymentIntent,
    'Ten attempts to pay with a publishable key or on a page have failed: only a secret key may confirm it now.',
    {
      ...planPaymentIntentExample,
      payment_plan_id: null,
      status: 'failed',
      net_collected_amount: 0,
      collected_at: null,
      last_payment_error: { code: 'card_declined', message: 'The card was declined.' },
    },
  ),
  'payment_intent.processing': event(
    PaymentIntent,
    'A bank debit was accepted. The bank reports on `expected_result_date` whether it was collected.',
    debitIntentExample,
  ),
  'payment_intent.returned': event(
    ReturnedPaymentIntent,
    'The bank has taken back a debit that had succeeded, or a dispute of the payment was lost. `will_retry` says whether the plan tries again, and ' +
      '`next_attempt_at` when. `total_returned_amount` counts the whole debit, also after a refund; of a dispute what it took.',
    {
      ...debitIntentExample,
      status: 'returned',
      collected_at: dueAt,
      returnable_until: '2027-02-11',
      total_returned_amount: 2500,
      last_payment_error: {
        code: 'insufficient_funds',
        message: 'The account does not have enough funds for this payment.',
      },
      attempt: 1,
      reason: 'insufficient_funds',
      bank_code: '6',
      returned_at: '2027-01-17T22:00:00.000Z',
      will_retry: true,
      next_attempt_at: '2027-01-18T22:00:00.000Z',
    },
  ),
  'mandate.created': event(Mandate, 'A mandate was created. It may already be active.', {
    ...mandateExample,
    status: 'pending',
    acceptance: null,
    next_possible_charge_date: null,
    activated_at: null,
  }),
  'mandate.activated': event(Mandate, 'A payer’s agreement was recorded: the account may be debited.', mandateExample),
  'mandate.notice_due': event(
    Mandate,
    'The payer must be notified: you changed what a plan or subscription debits under this mandate.',
    {
      ...mandateExample,
      notices: [{ kind: 'amount_changed', due_by: '2027-01-18', sent_at: null, channel: null }],
    },
  ),
  'mandate.canceled': event(
    Mandate,
    'A mandate was canceled: by you, by the payer at the bank, or with its account or customer (`status_reason`).',
    { ...endedMandate, status: 'canceled', status_reason: 'requested', cancellation_reason: 'Membership ended' },
  ),
  'mandate.failed': event(Mandate, 'A mandate ended because the bank cannot debit the account.', {
    ...endedMandate,
    status: 'failed',
    status_reason: 'account_closed',
  }),
  'mandate.expired': event(Mandate, 'A mandate ended after 15 months without a debit.', {
    ...endedMandate,
    status: 'expired',
    status_reason: 'unused',
  }),
  'payment_plan.activated': event(PaymentPlan, 'A plan became active.', paymentPlanExample),
  'payment_plan.suspended': event(
    PaymentPlan,
    'A plan was suspended, on request or because a payment failed (`state_reason`).',
    { ...stopped, state: 'suspended', state_reason: 'payment_failed' },
  ),
  'payment_plan.deactivated': event(PaymentPlan, 'A plan was deactivated.', { ...stopped, state: 'deactivated' }),
  'payment_plan.closed': event(
    PaymentPlan,
    'A plan was closed: on request, with its customer, or because its total was collected (`state_reason`).',
    {
      ...stopped,
      state: 'closed',
      state_reason: 'total_collected',
      collected_amount_cents: 130000,
    },
  ),
  'payment_link.created': event(PaymentLink, 'A payment link was created.', paymentLinkEventExample),
  'payment_link.paid': event(
    PaymentLink,
    'A payment of a link has succeeded. Its own event is `payment_intent.succeeded`.',
    paidLink,
  ),
  'payment_link.completed': event(
    PaymentLink,
    'A link has taken all its payments. In `setup` mode: a payment method was saved, and it accepts no more.',
    { ...paidLink, status: 'completed', completed_at: dueAt },
  ),
  'payment_link.reopened': event(
    PaymentLink,
    'A payment of a completed link has come back, and the link is open again. Its own event is `payment_intent.returned`.',
    paymentLinkEventExample,
  ),
  'payment_link.expired': event(
    PaymentLink,
    'The `expires_at` of a link has come, or a payment of it came back after that. It can no longer be paid (`status_reason`).',
    { ...paymentLinkEventExample, status: 'expired', status_reason: 'time', expired_at: dueAt },
  ),
  'payment_link.deactivated': event(
    PaymentLink,
    'A link was deactivated: by you, or with its customer (`status_reason`).',
    { ...paymentLinkEventExample, status: 'deactivated', status_reason: 'requested' },
  ),
  'payment_link.renewed': event(
    PaymentLink,
    'A link that had expired or was deactivated is open again, with the same URL.',
    { ...paymentLinkEventExample, expires_at: '2027-01-18T00:00:00.000Z' },
  ),
  'payment_link.throttled': event(
    PaymentLink,
    'Too many attempts to pay a link have failed: payers whose addresses have failed are asked to try later, for ten minutes at most.',
    paymentLinkEventExample,
  ),
  'checkout_session.completed': event(
    CheckoutSession,
    'A payer has paid in a checkout session, or saved a payment method.',
    checkoutSessionEventExample,
  ),
  'checkout_session.expired': event(
    CheckoutSession,
    'A checkout session has ended without a payment (`status_reason`).',
    { ...checkoutSessionEventExample, status: 'expired', status_reason: 'time', completed_at: null, expired_at: dueAt },
  ),
  'refund.succeeded': event(Refund, 'A refund succeeded.', refundExample),
  'refund.failed': event(Refund, 'A refund failed.', { ...refundExample, status: 'failed' }),
  'dispute.opened': event(
    Dispute,
    'A payer has disputed a payment. It is held, and cannot be refunded.',
    disputeExample,
  ),
  'dispute.won': event(Dispute, 'A dispute was won: you have the money again.', {
    ...disputeExample,
    status: 'won',
    closed_at: '2027-01-21T00:00:00.000Z',
  }),
  'dispute.lost': event(
    Dispute,
    'A dispute was lost: the payer has the money. `payment_intent.returned` tells of the payment.',
    { ...disputeExample, status: 'lost', closed_at: '2027-01-21T00:00:00.000Z' },
  ),
  'payout.created': event(
    Payout,
    'A payout was made: what was available in a currency is on its way to your bank account.',
    payoutExample,
  ),
  'payout.reconciled': event(
    Payout,
    'The items of a payout are known and add up to its amount. In the sandbox at once.',
    payoutExample,
  ),
  'payout.paid': event(Payout, 'A payout has arrived.', { ...payoutExample, status: 'paid', ended_at: dueAt }),
  'payout.failed': event(
    Payout,
    'Your bank has refused a payout. Its items are available again, and the next payout has them.',
    { ...payoutExample, status: 'failed', ended_at: dueAt, failure_code: 'declined' },
  ),
  'subscription.started': event(
    Subscription,
    'A subscription started: its first period was paid, or its trial began.',
    subscriptionExample,
  ),
  'subscription.trial_ending': event(Subscription, 'A trial ends in three days, or sooner if it is shorter.', {
    ...subscriptionExample,
    state: 'trialing',
    paid_periods: 0,
  }),
  'subscription.renewed': event(
    Subscription,
    'A new period began. Its payment is under way: `payment_intent.*` events report it.',
    {
      ...subscriptionExample,
      current_period: { ...currentPeriodExample, status: 'processing' },
      in_effect_until: null,
    },
  ),
  'subscription.past_due': event(Subscription, 'A payment failed and will be retried.', {
    ...subscriptionExample,
    state: 'past_due',
    current_period: { ...currentPeriodExample, status: 'retrying' },
  }),
  'subscription.recovered': event(Subscription, 'A period that was unpaid was paid.', subscriptionExample),
  'subscription.pause_scheduled': event(Subscription, 'A pause was requested. It begins at `pauses_at`.', {
    ...subscriptionExample,
    pauses_at: '2027-02-11',
    next_period_start: null,
  }),
  'subscription.pause_removed': event(Subscription, 'A pause that had not begun was withdrawn.', subscriptionExample),
  'subscription.paused': event(
    Subscription,
    'A subscription was paused: as requested, because no retry is left, or without a method (`state_reason`).',
    { ...endedSubscription, state: 'paused', state_reason: 'payment_failed' },
  ),
  'subscription.resumed': event(
    LettingGo,
    'A pause ended: a new period begins on this day. `waived_amount_cents` says what was waived by name.',
    { ...subscriptionExample, in_effect_until: null, ...nothingLetGo },
  ),
  'subscription.cancel_scheduled': event(Subscription, 'The end of a subscription was set. It comes at `ends_at`.', {
    ...subscriptionExample,
    ends_at: '2027-02-11',
    next_period_start: null,
  }),
  'subscription.cancel_removed': event(Subscription, 'The end of a subscription was withdrawn.', subscriptionExample),
  'subscription.canceled': event(
    LettingGo,
    'A subscription ended for good: on request, at its end, with its customer, or unpaid (`state_reason`). It says what ' +
      'was let go: days that were served and not paid, fees, and what changes had left.',
    { ...endedSubscription, state: 'canceled', state_reason: 'ended', ...nothingLetGo },
  ),
  'subscription.changed': event(
    Subscription,
    'What a subscription sells has changed: at once, or with the period that begins.',
    { ...subscriptionExample, items: dearerItems },
  ),
  'subscription.change_scheduled': event(Subscription, 'A change was requested for the next period: `next_items`.', {
    ...subscriptionExample,
    next_items: dearerItems,
  }),
  'subscription.change_removed': event(
    Subscription,
    'A change that was requested for the next period was withdrawn.',
    subscriptionExample,
  ),
  'subscription.change_failed': event(
    Subscription,
    'A change was not made: its payment was declined or came too late, or another change took its place.',
    subscriptionExample,
  ),
  'subscription.period_paid': event(PaidPeriod, 'A period was paid: `paid_period`. `in_effect_until` is the new one.', {
    ...subscriptionExample,
    paid_period: subscriptionPeriodExample,
  }),
  'subscription.updated': event(
    LettingGo,
    '`in_effect_until`, `owed_amount_cents` or `credit_balance_cents` has changed, and no other event tells it.',
    { ...subscriptionExample, ...nothingLetGo },
  ),
  'subscription.in_effect_changed': event(
    Subscription,
    'Whether the customer may use the service has changed: see `in_effect`.',
    subscriptionExample,
  ),
  'test_clock.created': event(TestClockState, 'A test clock was created.', {
    ...clockStateExample,
    status: 'created',
    frozen_time: madeAt,
    last_advanced_at: null,
  }),
  'test_clock.advancing': event(
    TestClockAdvancing,
    'An advance of a test clock was accepted. `target_time` is its target.',
    { ...clockStateExample, status: 'advancing', frozen_time: madeAt, target_time: dueAt },
  ),
  'test_clock.ready': event(
    TestClockReady,
    'An advance is complete: all its effects are committed. `effects_manifest` counts them.',
    { ...clockStateExample, effects_manifest: manifestExample },
  ),
  'test_clock.deleted': event(
    TestClockState,
    'A test clock was deleted with all its objects, on request or 30 days after its creation.',
    clockStateExample,
  ),
  'webhook_endpoint.ping': event(
    PingedWebhookEndpoint,
    'A ping of this endpoint was requested. Return `challenge` to verify the endpoint.',
    { ...endpointExample, verified_at: null, challenge: 'whc_Zm9yIHRoaXMgYXR0ZW1wdCBvbmx5' },
  ),
  'webhook_endpoint.disabled': event(
    WebhookEndpoint,
    'Another of your endpoints was disabled, because it returned 410 or failed for five days.',
    { ...endpointExample, status: 'disabled', disabled_reason: 'gone' },
  ),
};

export type EventType = keyof typeof eventCatalogue;
export const eventTypes = Object.keys(eventCatalogue) as EventType[];

type GroupOf<T> = T extends `${infer Group}.${string}` ? Group : never;
export type EventGroup = GroupOf<EventType>;

/** Returns the kind of object that events of this type are about. */
export function groupOf<T extends EventType>(type: T): GroupOf<T> {
  return type.slice(0, type.indexOf('.')) as GroupOf<T>;
}

/** What the events about one kind of object have in common. */
interface EventGroupFacts {
  /** The scope that reads them, apart from `events:read`, which reads all events. */
  scope: `${string}:read`;
  /** Whether an advance of a test clock can cause them: then `GET …/effects` shows them. */
  isClockEffect: boolean;
}

export const eventGroups = {
  payment_intent: { scope: 'payment_intents:read', isClockEffect: true },
  refund: { scope: 'payment_intents:read', isClockEffect: false },
  mandate: { scope: 'mandates:read', isClockEffect: true },
  payment_plan: { scope: 'payment_plans:read', isClockEffect: true },
  payment_link: { scope: 'payment_links:read', isClockEffect: true },
  checkout_session: { scope: 'payment_links:read', isClockEffect: true },
  dispute: { scope: 'balance:read', isClockEffect: true },
  payout: { scope: 'balance:read', isClockEffect: true },
  subscription: { scope: 'subscriptions:read', isClockEffect: true },
  test_clock: { scope: 'test_clocks:read', isClockEffect: false },
  webhook_endpoint: { scope: 'webhooks:read', isClockEffect: false },
} as const satisfies Record<EventGroup, EventGroupFacts>;

/** What an endpoint may subscribe to: all events, the events of one group, or one event type. */
export const subscriptions: ReadonlySet<string> = new Set([
  '*',
  ...Object.keys(eventGroups).map((group) => `${group}.*`),
  ...eventTypes,
]);
