import Type, { type Static } from 'typebox';
import type { AttemptFacts } from '../db/clock-effects.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import { eventTypes } from '../domain/event-types.ts';
import { instant, LocalDate, Nullable, Strict, Timestamp } from './common.ts';
import { PaymentIntent } from './payment-intent.ts';
import { PaymentPlan } from './payment-plan.ts';
import { EffectsManifest, TestClockState } from './test-clock.ts';

const common = {
  advance_id: Nullable(Type.String(), { description: 'The advance that did it; null in a dry run.' }),
  at: Type.String({ format: 'date-time', description: 'The simulated instant at which it happens.' }),
  event_type: Type.Enum(
    eventTypes.filter((type) => /^payment_(intent|plan)\./.test(type)),
    { description: 'What happened.' },
  ),
  event_id: Nullable(Type.String(), { description: 'The event that tells of it; null in a dry run.' }),
};

const { status, amount, currency, last_payment_error } = PaymentIntent.properties;
const PaymentIntentEffect = Strict(
  {
    object: Type.Literal('payment_intent'),
    object_id: Nullable(Type.String(), { description: 'Null in a dry run for a payment that the advance would make.' }),
    ...common,
    payment_plan_id: Nullable(Type.String(), { description: 'Null for a scheduled payment.' }),
    slot: Nullable(Type.Integer({ description: 'The slot of the plan that is paid.' })),
    due_date: Nullable(LocalDate('The date of the slot.')),
    changes: Strict(
      {
        status,
        amount,
        currency,
        attempt: Type.Integer({ description: 'The number of the attempt, from 1.' }),
        last_payment_error,
        will_retry: Type.Boolean({ description: 'Whether the plan tries this payment again by itself.' }),
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
  description: 'One thing that an advance of a test clock did: an object, and what it is like since.',
});
export type ClockEffect = Static<typeof ClockEffect>;

export const DryRun = Strict(
  {
    id: Type.String({ description: 'The id of the test clock.' }),
    dry_run: Type.Literal(true),
    status: TestClockState.properties.status,
    frozen_time: TestClockState.properties.frozen_time,
    target_time: Type.String({ format: 'date-time', description: 'The instant that the advance would go to.' }),
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

/** An event with what it does not say itself. */
export interface Effect extends EffectEvent {
  /** About the attempt of a payment intent; null for a plan. */
  facts: AttemptFacts | null;
  /** In a dry run: the payment was rolled back, so its id refers to nothing. */
  isRolledBack?: boolean;
}

/** What an advance would do, up to `target`. */
export interface DryRunResult {
  clock: TestClockRow;
  target: Date;
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

export function presentEffect({ facts, isRolledBack = false, ...event }: Effect): ClockEffect {
  const { advance_id, event_id } = event;
  const event_type = event.event_type as ClockEffect['event_type'];
  const common = { advance_id, at: instant(event.at), event_type, event_id };
  if (facts === null) {
    const plan = event.data as PaymentPlan;
    return {
      object: 'payment_plan',
      object_id: event.subject_id,
      ...common,
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
    object_id: isRolledBack ? null : event.subject_id,
    ...common,
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
