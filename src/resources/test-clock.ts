import Type, { type Static } from 'typebox';
import type { TestClockRow } from '../db/test-clocks.ts';
import { Id, instant, Nullable, Strict, Timestamp } from './common.ts';

export const TestClockCreate = Strict(
  {
    frozen_time: Type.String({ format: 'date-time', description: 'Now, for the clock’s customers.' }),
    name: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'TestClockCreate' },
);
export type TestClockCreate = Static<typeof TestClockCreate>;

export const TestClockAdvance = Strict(
  {
    frozen_time: Type.String({ format: 'date-time', description: 'The instant to advance to.' }),
  },
  { title: 'TestClockAdvance' },
);
export type TestClockAdvance = Static<typeof TestClockAdvance>;

export const EffectsManifest = Strict(
  {
    payment_intents_enqueued: Type.Integer({ description: 'Payment intents attempted during the advance.' }),
    links_expired: Type.Integer(),
    subscriptions_rolled: Type.Integer(),
    plans_recalculated: Type.Integer({ description: 'Plans whose next payment, next attempt or state changed.' }),
  },
  { title: 'EffectsManifest' },
);
export type EffectsManifest = Static<typeof EffectsManifest>;

export const TestClock = Strict(
  {
    id: Id('test_clock', 'The id of the test clock.'),
    object: Type.Literal('test_clock'),
    name: Nullable(Type.String(), { description: 'A label.' }),
    status: Type.Enum(['created', 'advancing', 'ready', 'failed'], {
      description:
        '`advancing` until every effect of an advance is committed. A `failed` clock cannot be advanced again.',
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
  { title: 'TestClock' },
);
export type TestClock = Static<typeof TestClock>;

export const AdvancingClock = Strict(
  {
    id: Type.String(),
    status: Type.Literal('advancing'),
    frozen_time: Timestamp,
  },
  { title: 'AdvancingTestClock' },
);

export const DeletedClock = Strict(
  {
    id: Type.String(),
    object: Type.Literal('test_clock'),
    deleted: Type.Literal(true),
  },
  { title: 'DeletedTestClock' },
);

export function presentTestClock(row: TestClockRow): TestClock {
  return {
    id: row.id,
    object: 'test_clock',
    name: row.name,
    status: row.status,
    frozen_time: instant(row.frozen_time),
    expires_at: instant(row.expires_at),
    last_advanced_at: instant(row.last_advanced_at),
    failure_reason: row.failure_reason,
    livemode: false,
  };
}
