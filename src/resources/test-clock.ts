import Type, { type Static } from 'typebox';
import type { TestClockDetailRow } from '../db/clock-details.ts';
import type { TestClockRow } from '../db/test-clocks.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, instant, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, withExamples } from './examples.ts';

export const testClocks: Tag = {
  name: 'Test clocks',
  description:
    'Sandbox only: simulated time for chosen customers, so that renewals, retries and expiry happen when you ask for them.',
};

export const TestClockCreate = withExamples(
  Strict(
    {
      frozen_time: Type.String({ format: 'date-time', description: 'Now, for the clock’s customers.' }),
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
          description: 'Answer what the advance would do, with 200, and change nothing. False if not given.',
        }),
      ),
    },
    { title: 'TestClockAdvance' },
  ),
  {
    week: { summary: 'A week ahead', value: { frozen_time: '2027-01-11T09:00:00Z' } },
    rehearsal: { summary: 'What a week ahead would do', value: { frozen_time: '2027-01-11T09:00:00Z', dry_run: true } },
  },
);
export type TestClockAdvance = Static<typeof TestClockAdvance>;

export const EffectsManifest = Strict(
  {
    payment_intents_enqueued: Type.Integer({ description: 'Payment intents attempted during the advance, each once.' }),
    links_expired: Type.Integer({ description: 'Always 0: there are no payment links.' }),
    subscriptions_rolled: Type.Integer({ description: 'Always 0: there are no subscriptions.' }),
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
      description:
        '`created`: not advanced yet. `advancing`: until every effect of an advance is committed. `ready`: all is done, and ' +
        '`frozen_time` is the target. `failed`: an effect could not be carried out; it cannot be advanced again.',
    }),
    frozen_time: Type.String({ format: 'date-time', description: 'Now, for the clock’s customers.' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'Real time: 30 days after creation the clock is deleted with all that it has.',
    }),
    last_advanced_at: Nullable(Timestamp, { description: 'Real time at which the last advance was complete.' }),
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

const LastAdvance = Strict(
  {
    id: Type.String({ description: 'Names the advance in the list of effects, adv_….' }),
    status: Type.Enum(['advancing', 'ready', 'failed'], { description: 'How far it has come.' }),
    from_time: Type.String({ format: 'date-time', description: 'The clock’s time before it.' }),
    target_time: Type.String({ format: 'date-time', description: 'The instant that it went, or goes, to.' }),
    effects_manifest: Nullable(EffectsManifest, { description: 'Null until it is complete.' }),
    requested_at: Type.String({ format: 'date-time', description: 'Real time.' }),
    finished_at: Nullable(Timestamp, { description: 'Real time; null while it is under way.' }),
  },
  { title: 'TestClockLastAdvance' },
);

const DeliveryCounts = Strict(
  {
    pending: Type.Integer({ description: 'Still on their way, or between two tries.' }),
    delivered: Type.Integer({ description: 'Answered with a 2xx.' }),
    failed: Type.Integer({ description: 'Given up.' }),
  },
  {
    title: 'WebhookDeliveryCounts',
    description:
      'The webhook deliveries of all events of the clock: with none pending, your receiver has heard of everything.',
  },
);

/** A test clock as the API returns it. */
export const TestClock = Strict(
  {
    ...TestClockState.properties,
    max_frozen_time: Nullable(Type.String({ format: 'date-time' }), {
      description:
        'The latest time that one advance can name now: two of the shortest intervals of the active plans ahead, where a ' +
        'week counts 7 days and a month 30, and 62 days without any. Null while the clock cannot be advanced.',
    }),
    last_advance: Nullable(LastAdvance, { description: 'Null before the first.' }),
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
  },
  webhook_deliveries: { pending: 0, delivered: 4, failed: 0 },
});

export const AdvancingClock = Strict(
  {
    id: Type.String({ description: 'The id of the test clock.' }),
    status: Type.Literal('advancing'),
    frozen_time: Type.String({
      format: 'date-time',
      description: 'The time before the advance, until it is complete.',
    }),
  },
  { title: 'AdvancingTestClock' },
);
example(AdvancingClock, { id: exampleId('test_clock'), status: 'advancing', frozen_time: madeAt });

export const DeletedClock = Strict(
  {
    id: Type.String({ description: 'The id that it had.' }),
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
}: TestClockDetailRow & { maxFrozenTime: Date | null }): TestClock {
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
    },
    webhook_deliveries: row.webhook_deliveries,
  };
}
