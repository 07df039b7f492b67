import Type, { type Static } from 'typebox';
import type { EventRow } from '../db/events.ts';
import { eventTypes } from '../domain/event-types.ts';
import { Id, instant, Livemode, listQuery, Nullable, Reference, Strict } from './common.ts';

export const Event = Strict(
  {
    id: Id('event', 'The same on every delivery attempt, so that a receiver can recognise a repeated event.'),
    event_type: Type.Enum([...eventTypes], { description: 'What happened.' }),
    created_at: Type.String({
      format: 'date-time',
      description:
        'When it happened, in the customer’s time. For a customer on a test clock, that is the time of the clock.',
    }),
    livemode: Livemode,
    biller_id: Type.String({ description: 'The account that it happened to.' }),
    test_clock: Nullable(Type.String(), {
      description: 'The test clock that it is about, or that its customer is on; null in real time.',
    }),
    sequence: Type.Integer({
      description: 'Rises by one with each event of an account and mode, without gaps, in commit order.',
    }),
    request_id: Nullable(Type.String(), { description: 'The API request that caused it; null if no request did.' }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The object as it was then, in the form of the API. Its fields are described at the webhook of this type.',
    }),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

export const EventQuery = Strict({
  ...listQuery,
  event_type: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this type.' })),
  test_clock: Type.Optional(Reference('Only events of this test clock.')),
});
export type EventQuery = Static<typeof EventQuery>;

/** An event as the API shows it. `test_clock` is the column `test_clock_id`. */
export function presentEvent(row: EventRow): Event {
  return { ...envelope(row), data: JSON.parse(row.data) };
}

/**
 * The event as a webhook sends it: the same JSON as in the API, with the stored data byte for byte. The data of a ping
 * also have a `challenge`.
 */
export function eventBody(row: EventRow, challenge?: string): string {
  const data =
    challenge === undefined ? row.data : `${row.data.slice(0, -1)},"challenge":${JSON.stringify(challenge)}}`;
  return `${JSON.stringify(envelope(row)).slice(0, -1)},"data":${data}}`;
}

function envelope(row: EventRow): Omit<Event, 'data'> {
  return {
    id: row.id,
    event_type: row.event_type,
    created_at: instant(row.created_at),
    livemode: row.livemode,
    biller_id: row.biller_id,
    test_clock: row.test_clock_id,
    sequence: row.sequence,
    request_id: row.request_id,
  };
}
