import Type, { type Static } from 'typebox';
import type { AttemptFacts } from '../db/clock-effects.ts';
import { eventTypes } from '../domain/event-types.ts';
import { instant, LocalDate, Nullable, Strict, Timestamp } from './common.ts';
import { PaymentIntent } from './payment-intent.ts';
import { PaymentPlan } from './payment-plan.ts';
import { EffectsManifest, TestClockState } from './test-clock.ts';

const common = {
  advance_id: Nullable(Type.String(), { description: 'The advance that caused it; null in a dry run.' }),
  at: Type.String({ format: 'date-time', description: 'The simulated instant at which it happens.' }),
  event_type: Type.Enum(
    eventTypes.filter((type) => /^payment_(intent|plan)\./.test(type)),
    { description: 'What happened.' },
  ),
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
        will_retry: Type.Boolean({ description: 'Whether the plan retries this payment.' }),
        next_attempt_at: Nullable(Timestamp),
      },
      { title: 'PaymentIntentChanges' },
    ),
  },
  { title: 'PaymentIntentEffect' },
);

const { state, state_reason, collected_amount_cents, next_payment_date, next_attempt_at } = PaymentPlan.properties;
const PaymentPlanEffect = Strict(
  {
    object: Type.Literal('payment_plan'),
    object_id: Type.String({ description: 'The plan.' }),
    ...common,
    changes: Strict(
      { state, state_reason, collected_amount_cents, next_payment_date, next_attempt_at },
      { title: 'PaymentPlanChanges' },
    ),
  },
  { title: 'PaymentPlanEffect' },
);

export const ClockEffect = Type.Union([PaymentIntentEffect, PaymentPlanEffect], {
  title: 'ClockEffect',
  description: 'One effect of an advance of a test clock: the object, what happened to it, and its new values.',
});
export type ClockEffect = Static<typeof ClockEffect>;

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

/** The part of an event about a clock's customers that an effect shows. */
export interface EffectEvent {
  advance_id: string | null;
  event_id: string | null;
  event_type: string;
  subject_id: string;
  /** The clock's time. */
  at: Date;
  /** The object as the event shows it. */
  data: object;
}

/** Presents an effect. Pass the `facts` of the attempt for a payment intent, and null for a plan. */
export function presentEffect(event: EffectEvent, facts: AttemptFacts | null): ClockEffect {
  const { advance_id, event_id } = event;
  const event_type = event.event_type as ClockEffect['event_type'];
  const told = { advance_id, at: instant(event.at), event_type, event_id };
  if (facts === null) {
    const plan = event.data as PaymentPlan;
    return {
      object: 'payment_plan',
      object_id: event.subject_id,
      ...told,
      changes: {
        state: plan.state,
        state_reason: plan.state_reason,
        collected_amount_cents: plan.collected_amount_cents,
        next_payment_date: plan.next_payment_date,
        next_attempt_at: plan.next_attempt_at,
      },
    };
  }
  const intent = event.data as PaymentIntent & { will_retry?: boolean; next_attempt_at?: string | null };
  return {
    object: 'payment_intent',
    object_id: event.subject_id,
    ...told,
    payment_plan_id: intent.payment_plan_id,
    slot: facts.slot,
    due_date: facts.due_date,
    changes: {
      status: intent.status,
      amount: intent.amount,
      currency: intent.currency,
      attempt: facts.number,
      last_payment_error: intent.last_payment_error,
      will_retry: intent.will_retry ?? false,
      next_attempt_at: intent.next_attempt_at ?? null,
    },
  };
}
