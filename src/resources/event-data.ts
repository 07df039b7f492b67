import Type, { type TSchema } from 'typebox';
import type { EventType } from '../domain/event-types.ts';
import { Nullable, Strict, Timestamp } from './common.ts';
import { PaymentIntent } from './payment-intent.ts';
import { PaymentPlan } from './payment-plan.ts';
import { Refund } from './refund.ts';
import { EffectsManifest, TestClockState } from './test-clock.ts';
import { PingedWebhookEndpoint, WebhookEndpoint } from './webhook-endpoint.ts';

const FailedPaymentIntent = Strict(
  {
    ...PaymentIntent.properties,
    attempt: Type.Integer({ description: 'The number of the attempt that failed, from 1.' }),
    will_retry: Type.Boolean({ description: 'Whether the plan retries this payment.' }),
    next_attempt_at: Nullable(Timestamp, { description: 'When the plan retries it; null if it does not.' }),
  },
  { title: 'FailedPaymentIntent' },
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

/**
 * The schema of an event's `data`, per event type: the object as it was at the time, and the fields that only the event
 * has.
 */
export const eventData: Readonly<Record<EventType, TSchema>> = {
  'payment_intent.succeeded': PaymentIntent,
  'payment_intent.failed': FailedPaymentIntent,
  'payment_intent.canceled': PaymentIntent,
  'payment_intent.requires_action': PaymentIntent,
  'payment_plan.activated': PaymentPlan,
  'payment_plan.suspended': PaymentPlan,
  'payment_plan.deactivated': PaymentPlan,
  'payment_plan.closed': PaymentPlan,
  'refund.succeeded': Refund,
  'refund.failed': Refund,
  'test_clock.created': TestClockState,
  'test_clock.advancing': TestClockAdvancing,
  'test_clock.ready': TestClockReady,
  'test_clock.deleted': TestClockState,
  'webhook_endpoint.ping': PingedWebhookEndpoint,
  'webhook_endpoint.disabled': WebhookEndpoint,
};
