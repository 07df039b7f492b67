import Type, { type Static } from 'typebox';
import type { AttemptFacts } from '../db/clock-effects.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import { exampleId } from '../domain/ids.ts';
import type { CustomerInstant, Instant } from '../domain/instants.ts';
import { CheckoutSession } from './checkout-session.ts';
import { instant, ListOf, LocalDate, Nullable, pick, Strict, Timestamp } from './common.ts';
import { Dispute } from './dispute.ts';
import { type EventGroup, eventGroups, eventTypes, groupOf } from './event-catalogue.ts';
import { dueAt, example, madeAt } from './examples.ts';
import { Mandate } from './mandate.ts';
import { PaymentIntent } from './payment-intent.ts';
import { PaymentLink } from './payment-link.ts';
import { PaymentPlan } from './payment-plan.ts';
import { Payout } from './payout.ts';
import { Subscription } from './subscription.ts';
import { EffectsManifest, manifestExample, TestClockState } from './test-clock.ts';

/** The types of events that an advance can cause. */
export const effectTypes = eventTypes.filter((type) => eventGroups[groupOf(type)].isClockEffect);

const common = {
  advance_id: Nullable(Type.String(), { description: 'The advance that caused it; null in a dry run.' }),
  at: Type.String({ format: 'date-time', description: 'The simulated instant at which it happens.' }),
  event_type: Type.Enum(effectTypes, { title: 'ClockEffectType', description: 'What happened.' }),
  event_id: Nullable(Type.String(), { description: 'The event that reports it; null in a dry run.' }),
};

const { status, amount, currency, last_payment_error } = PaymentIntent.properties;
const PaymentIntentEffect = Strict(
  {
    object: Type.Literal('payment_intent'),
    object_id: Nullable(Type.String(), {
      description: 'Null in a dry run if the advance would create the payment intent.',
    }),
    ...common,
    payment_plan_id: Nullable(Type.String(), { description: 'Null for a scheduled payment.' }),
    slot: Nullable(Type.Integer({ description: 'The slot of the plan that the payment is for.' })),
    due_date: Nullable(LocalDate('The date of the slot.')),
    changes: Strict(
      {
        status,
        amount,
        currency,
        attempt: Type.Integer({ description: 'The number of the attempt, from 1.' }),
        last_payment_error,
        expected_result_date: PaymentIntent.properties.expected_result_date,
        will_retry: Type.Boolean({ description: 'Whether the plan retries this payment.' }),
        next_attempt_at: Nullable(Timestamp),
      },
      { title: 'PaymentIntentChanges' },
    ),
  },
  { title: 'PaymentIntentEffect' },
);

const planChanges = [
  'state',
  'state_reason',
  'collected_amount_cents',
  'next_payment_date',
  'next_attempt_at',
] as const;
const PaymentPlanEffect = Strict(
  {
    object: Type.Literal('payment_plan'),
    object_id: Type.String({ description: 'The plan.' }),
    ...common,
    changes: Type.Pick(PaymentPlan, [...planChanges], { title: 'PaymentPlanChanges', additionalProperties: false }),
  },
  { title: 'PaymentPlanEffect' },
);

const subscriptionChanges = ['state', 'state_reason', 'in_effect', 'in_effect_until', 'next_attempt_at'] as const;
const SubscriptionEffect = Strict(
  {
    object: Type.Literal('subscription'),
    object_id: Type.String({ description: 'The subscription.' }),
    ...common,
    from_period: Nullable(
      Type.Integer({ description: 'The number before `to_period` if that has begun with this effect, else the same.' }),
    ),
    to_period: Nullable(Type.Integer({ description: 'The period that has begun last, after this effect.' })),
    changes: Type.Pick(Subscription, [...subscriptionChanges], {
      title: 'SubscriptionChanges',
      additionalProperties: false,
    }),
  },
  { title: 'SubscriptionEffect' },
);

const mandateChanges = ['status', 'status_reason', 'ended_at'] as const;
const MandateEffect = Strict(
  {
    object: Type.Literal('mandate'),
    object_id: Type.String({ description: 'The mandate.' }),
    ...common,
    changes: Type.Pick(Mandate, [...mandateChanges], { title: 'MandateChanges', additionalProperties: false }),
  },
  { title: 'MandateEffect' },
);

const linkChanges = ['status', 'status_reason', 'payments_count', 'collected_amount'] as const;
const PaymentLinkEffect = Strict(
  {
    object: Type.Literal('payment_link'),
    object_id: Type.String({ description: 'The payment link.' }),
    ...common,
    changes: Type.Pick(PaymentLink, [...linkChanges], { title: 'PaymentLinkChanges', additionalProperties: false }),
  },
  { title: 'PaymentLinkEffect' },
);

const sessionChanges = ['status', 'status_reason', 'payment_method_id', 'failed_attempts'] as const;
const CheckoutSessionEffect = Strict(
  {
    object: Type.Literal('checkout_session'),
    object_id: Type.String({ description: 'The checkout session.' }),
    ...common,
    changes: Type.Pick(CheckoutSession, [...sessionChanges], {
      title: 'CheckoutSessionChanges',
      additionalProperties: false,
    }),
  },
  { title: 'CheckoutSessionEffect' },
);

const disputeChanges = ['status', 'amount', 'currency', 'closed_at'] as const;
const DisputeEffect = Strict(
  {
    object: Type.Literal('dispute'),
    object_id: Type.String({ description: 'The dispute.' }),
    ...common,
    payment_intent_id: Type.String({ description: 'The payment that is disputed.' }),
    changes: Type.Pick(Dispute, [...disputeChanges], { title: 'DisputeChanges', additionalProperties: false }),
  },
  { title: 'DisputeEffect' },
);

const payoutChanges = ['status', 'amount', 'currency', 'failure_code', 'arrives_on', 'reconciliation_status'] as const;
const PayoutEffect = Strict(
  {
    object: Type.Literal('payout'),
    object_id: Nullable(Type.String(), { description: 'Null in a dry run if the advance would make the payout.' }),
    ...common,
    changes: Type.Pick(Payout, [...payoutChanges], { title: 'PayoutChanges', additionalProperties: false }),
  },
  { title: 'PayoutEffect' },
);

export const ClockEffect = Type.Union(
  [
    PaymentIntentEffect,
    PaymentPlanEffect,
    SubscriptionEffect,
    MandateEffect,
    PaymentLinkEffect,
    CheckoutSessionEffect,
    PayoutEffect,
    DisputeEffect,
  ],
  {
    title: 'ClockEffect',
    discriminator: { propertyName: 'object' },
    description: 'One effect of an advance of a test clock: the object, what happened to it, and its new values.',
  },
);
export type ClockEffect = Static<typeof ClockEffect>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ClockEffectList = Strict(
  {
    ...ListOf(ClockEffect).properties,
    bank_debits: Strict(
      {
        accepted: count('Debits that were opened.'),
        settled: count('Debits that the bank has collected.'),
        failed: count('Debits that the bank has not collected, or that were withdrawn before it had them.'),
        returned: count('Debits that the bank has taken back.'),
      },
      {
        title: 'BankDebitCounts',
        description: 'The steps of bank debits among all effects of the query, those on other pages included.',
      },
    ),
  },
  { title: 'ClockEffectList' },
);

const effectExample = {
  object: 'payment_intent',
  object_id: exampleId('payment_intent'),
  advance_id: exampleId('clock_advance'),
  at: dueAt,
  event_type: 'payment_intent.succeeded',
  event_id: exampleId('event'),
  payment_plan_id: exampleId('payment_plan'),
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
} satisfies ClockEffect;
example(ClockEffect, effectExample);
example(ClockEffectList, {
  data: [effectExample],
  has_more: false,
  bank_debits: { accepted: 0, settled: 0, failed: 0, returned: 0 },
});

export const DryRun = Strict(
  {
    id: Type.String({ description: 'The id of the test clock.' }),
    dry_run: Type.Literal(true),
    status: TestClockState.properties.status,
    frozen_time: TestClockState.properties.frozen_time,
    target_time: Type.String({ format: 'date-time', description: 'The target of the advance.' }),
    effects_manifest: EffectsManifest,
    effects: Type.Array(ClockEffect, { description: 'What the advance would do, in order.' }),
  },
  { title: 'TestClockDryRun' },
);
export type DryRun = Static<typeof DryRun>;

example(DryRun, {
  id: exampleId('test_clock'),
  dry_run: true,
  status: 'ready',
  frozen_time: madeAt,
  target_time: dueAt,
  effects_manifest: manifestExample,
  effects: [{ ...effectExample, object_id: null, advance_id: null, event_id: null }],
});

/** The part of an event about a clock's customers that an effect shows. */
export interface EffectEvent {
  advance_id: string | null;
  event_id: string | null;
  event_type: string;
  subject_id: string;
  /** The clock's time. */
  at: Instant;
  /** The object as the event shows it. */
  data: object;
}

/** An event with what it does not say itself. */
export interface Effect extends EffectEvent {
  /** About the attempt of a payment intent; null for a plan. */
  facts: AttemptFacts | null;
  /** In a dry run: the payment or the payout was rolled back, so its id refers to nothing. */
  isRolledBack?: boolean;
}

/** What an advance would do, up to `target`. */
export interface DryRunResult {
  clock: TestClockRow;
  target: CustomerInstant;
  manifest: EffectsManifest;
  effects: Effect[];
}

export function presentDryRun({ clock, target, manifest, effects }: DryRunResult): DryRun {
  return {
    id: clock.id,
    dry_run: true,
    status: clock.status,
    frozen_time: instant(clock.frozen_time),
    target_time: instant(target),
    effects_manifest: manifest,
    effects: effects.map(presentEffect),
  };
}

type EffectGroup = { [G in EventGroup]: (typeof eventGroups)[G]['isClockEffect'] extends true ? G : never }[EventGroup];
type Common = Pick<ClockEffect, keyof typeof common>;

/** How the effects of each group are shown. */
const presenters: Record<EffectGroup, (shared: Common, effect: Effect) => ClockEffect> = {
  payment_plan: (shared, effect) => ({
    object: 'payment_plan',
    object_id: effect.subject_id,
    ...shared,
    changes: pick(effect.data as PaymentPlan, planChanges),
  }),
  subscription(shared, effect) {
    const subscription = effect.data as Subscription;
    const to = subscription.current_period?.number ?? null;
    return {
      object: 'subscription',
      object_id: effect.subject_id,
      ...shared,
      from_period: to !== null && shared.event_type === 'subscription.renewed' ? to - 1 : to,
      to_period: to,
      changes: pick(subscription, subscriptionChanges),
    };
  },
  mandate: (shared, effect) => ({
    object: 'mandate',
    object_id: effect.subject_id,
    ...shared,
    changes: pick(effect.data as Mandate, mandateChanges),
  }),
  payment_link: (shared, effect) => ({
    object: 'payment_link',
    object_id: effect.subject_id,
    ...shared,
    changes: pick(effect.data as PaymentLink, linkChanges),
  }),
  checkout_session: (shared, effect) => ({
    object: 'checkout_session',
    object_id: effect.subject_id,
    ...shared,
    changes: pick(effect.data as CheckoutSession, sessionChanges),
  }),
  dispute: (shared, { subject_id: id, data }) => ({
    object: 'dispute',
    object_id: id,
    ...shared,
    payment_intent_id: (data as Dispute).payment_intent_id,
    changes: pick(data as Dispute, disputeChanges),
  }),
  payout: (shared, { subject_id: id, data, isRolledBack = false }) => ({
    object: 'payout',
    object_id: isRolledBack ? null : id,
    ...shared,
    changes: pick(data as Payout, payoutChanges),
  }),
  payment_intent(shared, { subject_id: id, data, facts, isRolledBack = false }) {
    if (facts === null) throw new TypeError(`payment intent ${id} has no attempt at this instant`);
    const intent = data as PaymentIntent & { attempt?: number; will_retry?: boolean; next_attempt_at?: string | null };
    return {
      object: 'payment_intent',
      object_id: isRolledBack ? null : id,
      ...shared,
      payment_plan_id: intent.payment_plan_id,
      slot: facts.slot,
      due_date: facts.due_date,
      changes: {
        ...pick(intent, ['status', 'amount', 'currency']),
        attempt: intent.attempt ?? facts.number,
        last_payment_error: intent.last_payment_error,
        ...(intent.expected_result_date === undefined ? {} : { expected_result_date: intent.expected_result_date }),
        will_retry: intent.will_retry ?? false,
        next_attempt_at: intent.next_attempt_at ?? null,
      },
    };
  },
};

/**
 * Presents an event as an effect of an advance.
 * @throws TypeError for an event that an advance cannot cause.
 */
export function presentEffect(effect: Effect): ClockEffect {
  const type = effectTypes.find((one) => one === effect.event_type);
  if (type === undefined) throw new TypeError(`an advance cannot cause ${effect.event_type}: see eventGroups`);
  const { advance_id, event_id } = effect;
  const shared = { advance_id, at: instant(effect.at), event_type: type, event_id };
  return presenters[groupOf(type) as EffectGroup](shared, effect);
}
