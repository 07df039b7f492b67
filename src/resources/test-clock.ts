import Type, { type Static } from 'typebox';
import type { TestClockDetailRow } from '../db/clock-details.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import { exampleId } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import { Id, instant, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, withExamples } from './examples.ts';

export const testClocks: Tag = {
  name: 'Test clocks',
  description:
    'Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen when you ask for them.',
};

export const TestClockCreate = withExamples(
  Strict(
    {
      frozen_time: Type.String({ format: 'date-time', description: 'The current time of the clock’s customers.' }),
      name: Type.Optional(Type.String({ maxLength: 255, description: 'A label.' })),
    },
    { title: 'TestClockCreate' },
  ),
  {
    clock: { summary: 'A Monday morning', value: { frozen_time: '2027-01-04T09:00:00Z', name: 'Renewals' } },
  },
);
export type TestClockCreate = Static<typeof TestClockCreate>;

export const TestClockAdvance = withExamples(
  Strict(
    {
      frozen_time: Type.String({ format: 'date-time', description: 'The instant to advance to.' }),
      dry_run: Type.Optional(
        Type.Boolean({
          description: 'Return what the advance would do, with 200, and change nothing. By default false.',
        }),
      ),
    },
    { title: 'TestClockAdvance' },
  ),
  {
    week: { summary: 'A week ahead', value: { frozen_time: '2027-01-11T09:00:00Z' } },
    dry_run: { summary: 'A dry run of a week ahead', value: { frozen_time: '2027-01-11T09:00:00Z', dry_run: true } },
  },
);
export type TestClockAdvance = Static<typeof TestClockAdvance>;

export const EffectsManifest = Strict(
  {
    payment_intents_enqueued: Type.Integer({
      description: 'Payment intents attempted during the advance, each counted once.',
    }),
    links_expired: Type.Integer({ description: 'Payment links that expired.' }),
    subscriptions_rolled: Type.Integer({ description: 'Subscriptions that began a period, each counted once.' }),
    plans_recalculated: Type.Integer({ description: 'Plans whose next payment, next attempt or state changed.' }),
  },
  { title: 'EffectsManifest' },
);
export type EffectsManifest = Static<typeof EffectsManifest>;

export const manifestExample: EffectsManifest = {
  payment_intents_enqueued: 1,
  links_expired: 0,
  subscriptions_rolled: 0,
  plans_recalculated: 1,
};

/** A test clock as its events show it. */
export const TestClockState = Strict(
  {
    id: Id('test_clock', 'The id of the test clock.'),
    object: Type.Literal('test_clock'),
    name: Nullable(Type.String(), { description: 'A label.' }),
    status: Type.Enum(['created', 'advancing', 'ready', 'failed'], {
      title: 'TestClockStatus',
      description:
        '`created`: not advanced yet. `advancing`: until every effect of an advance is committed. `ready`: the ' +
        'advance is complete, and `frozen_time` is its target. `failed`: an effect could not be applied; the ' +
        'clock cannot be advanced again.',
    }),
    frozen_time: Type.String({ format: 'date-time', description: 'The current time of the clock’s customers.' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'When the clock is deleted with all its objects: 30 days after creation, in real time.',
    }),
    last_advanced_at: Nullable(Timestamp, { description: 'When the last advance was complete, in real time.' }),
    failure_reason: Nullable(Type.String({ description: 'Why the last advance failed, in words.' })),
    livemode: Type.Literal(false),
  },
  { title: 'TestClockState' },
);
export type TestClockState = Static<typeof TestClockState>;

export const clockStateExample: TestClockState = {
  id: exampleId('test_clock'),
  object: 'test_clock',
  name: 'Renewals',
  status: 'ready',
  frozen_time: dueAt,
  expires_at: '2026-12-20T11:02:10.000Z',
  last_advanced_at: '2026-11-20T11:05:00.000Z',
  failure_reason: null,
  livemode: false,
};

const DeliveryCounts = Strict(
  {
    pending: Type.Integer({ description: 'On their way, or between two attempts.' }),
    delivered: Type.Integer({ description: 'The receiver returned a 2xx.' }),
    failed: Type.Integer({ description: 'Given up.' }),
  },
  {
    title: 'WebhookDeliveryCounts',
    description:
      'Webhook deliveries, by status. When `pending` is 0, your receiver has received everything, except what failed. For ' +
      'a clock, the deliveries of all its events. For an advance, those of the events that it caused and of its ' +
      '`test_clock.ready`.',
  },
);

const LastAdvance = Strict(
  {
    id: Type.String({ description: 'The id of the advance, adv_…. Use it to list its effects.' }),
    status: Type.Enum(['advancing', 'ready', 'failed'], { description: 'The state of the advance.' }),
    from_time: Type.String({ format: 'date-time', description: 'The clock’s time before the advance.' }),
    target_time: Type.String({ format: 'date-time', description: 'The target of the advance.' }),
    effects_manifest: Nullable(EffectsManifest, { description: 'Null until it is complete.' }),
    requested_at: Type.String({ format: 'date-time', description: 'When it was requested, in real time.' }),
    finished_at: Nullable(Timestamp, { description: 'When it ended, in real time; null until then.' }),
    webhook_deliveries: DeliveryCounts,
  },
  { title: 'TestClockLastAdvance' },
);

/** A test clock as the API returns it. */
export const TestClock = Strict(
  {
    ...TestClockState.properties,
    max_frozen_time: Nullable(Type.String({ format: 'date-time' }), {
      description:
        'The latest target of one advance now: two of the shortest intervals of the active plans and subscriptions ahead. A week ' +
        'counts 7 days, a month or a subscription 30. Without any of them, it is 62 days ahead. Null while the clock cannot be ' +
        'advanced.',
    }),
    last_advance: Nullable(LastAdvance, { description: 'Null before the first advance.' }),
    webhook_deliveries: DeliveryCounts,
  },
  { title: 'TestClock' },
);
export type TestClock = Static<typeof TestClock>;

export const testClockExample = example(TestClock, {
  ...clockStateExample,
  max_frozen_time: '2027-01-25T00:00:00.000Z',
  last_advance: {
    id: exampleId('clock_advance'),
    status: 'ready',
    from_time: madeAt,
    target_time: dueAt,
    effects_manifest: manifestExample,
    requested_at: '2026-11-20T11:04:59.910Z',
    finished_at: '2026-11-20T11:05:00.000Z',
    webhook_deliveries: { pending: 0, delivered: 3, failed: 0 },
  },
  webhook_deliveries: { pending: 0, delivered: 4, failed: 0 },
});

export const AdvancingClock = Strict(
  {
    id: Type.String({ description: 'The id of the test clock.' }),
    status: Type.Literal('advancing'),
    frozen_time: Type.String({
      format: 'date-time',
      description: 'The time before the advance. It changes when the advance is complete.',
    }),
  },
  { title: 'AdvancingTestClock' },
);
example(AdvancingClock, { id: exampleId('test_clock'), status: 'advancing', frozen_time: madeAt });

export const DeletedClock = Strict(
  {
    id: Type.String({ description: 'The id of the deleted clock.' }),
    object: Type.Literal('test_clock'),
    deleted: Type.Literal(true),
  },
  { title: 'DeletedTestClock' },
);
example(DeletedClock, { id: exampleId('test_clock'), object: 'test_clock', deleted: true });

/** A test clock as its events show it. */
export function presentClockState(row: TestClockRow): TestClockState {
  return present(TestClockState, { ...row, object: 'test_clock', livemode: false });
}

/**
 * A test clock with the latest time that one advance can reach, or null if it cannot be advanced. `effects_manifest` is
 * the column `manifest`.
 */
export function presentTestClock({
  maxFrozenTime,
  ...row
}: TestClockDetailRow & { maxFrozenTime: CustomerInstant | null }): TestClock {
  const last = row.last_advance;
  return {
    ...presentClockState(row),
    max_frozen_time: instant(maxFrozenTime),
    last_advance: last && {
      id: last.id,
      status: last.status,
      from_time: instant(last.from_time),
      target_time: instant(last.target_time),
      // A jsonb column does not keep the order of the members.
      effects_manifest: last.manifest && present(EffectsManifest, last.manifest),
      requested_at: instant(last.requested_at),
      finished_at: instant(last.finished_at),
      webhook_deliveries: last.webhook_deliveries,
    },
    webhook_deliveries: row.webhook_deliveries,
  };
}
