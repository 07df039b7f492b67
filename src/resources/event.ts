import Type, { type Static, type TObject } from 'typebox';
import type { EventRow } from '../db/events.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, Livemode, listQuery, Nullable, present, Reference, Strict, type Tag } from './common.ts';
import { type EventType, eventCatalogue, eventTypes } from './event-catalogue.ts';
import { dueAt, example, owned } from './examples.ts';
import { planPaymentIntentExample } from './payment-intent.ts';

export const eventsTag: Tag = {
  name: 'Events',
  description: 'Everything that happened, numbered and stored, whether or not a webhook was sent.',
};

/** The type of a recorded event. A later version of the service may have recorded one that is not in the list. */
export function EventTypeName(description: string) {
  return Type.Unsafe<string>(Type.Enum(eventTypes, { title: 'EventType', description }));
}

/** The members of every event, in the order of its JSON. */
const EventEnvelope = Strict({
  id: Id('event', 'The same on every delivery attempt, so that a receiver can recognise a repeated event.'),
  event_type: EventTypeName('What happened.'),
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
    description: 'The object as it was then, in the form of the API.',
  }),
});
export type Event = Static<typeof EventEnvelope>;

/** The schema of the events of each type, with the data of that type. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map((type): [EventType, TObject] => [
    type,
    Strict(
      { ...EventEnvelope.properties, event_type: Type.Literal(type), data: eventCatalogue[type].data },
      { title: `${pascal(type)}Event` },
    ),
  ]),
) as Record<EventType, TObject>;

/** An event of any type: a union by `event_type`. */
export const Event = Type.Unsafe<Event>(
  Type.Union(Object.values(eventSchemas), { title: 'Event', discriminator: { propertyName: 'event_type' } }),
);

export const eventExample = example(Event, {
  id: exampleId('event'),
  event_type: 'payment_intent.succeeded',
  created_at: dueAt,
  ...owned,
  test_clock: exampleId('test_clock'),
  sequence: 17,
  request_id: exampleId('request'),
  data: planPaymentIntentExample,
});

export const EventQuery = Strict({
  ...listQuery,
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      title: 'EventOrder',
      description:
        'By `sequence`. `desc`, the default: newest first. `asc`: oldest first; pass the last id that you have as ' +
        '`starting_after`, and you get all that was recorded after it.',
    }),
  ),
  created_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only events with this `created_at` or a later one. The order stays that of `sequence`.',
    }),
  ),
  created_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only events with an earlier `created_at`.' }),
  ),
  event_type: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this type.' })),
  test_clock: Type.Optional(Reference<'test_clock'>('Only events of this test clock.')),
  object_id: Type.Optional(Reference('Only events about this object: those whose `data` have this `id`.')),
  customer_id: Type.Optional(
    Reference<'customer'>(
      'Only events of this customer: about its payments, refunds, plans, subscriptions, links and mandates.',
    ),
  ),
});
export type EventQuery = Static<typeof EventQuery>;

/** An event as the API shows it. `test_clock` is the column `test_clock_id`. */
export function presentEvent(row: EventRow): Event {
  return present(EventEnvelope, { ...row, test_clock: row.test_clock_id, data: JSON.parse(row.data) });
}

/**
 * The event as a webhook sends it: the same JSON as in the API, with the stored data byte for byte. The data of a ping
 * also have a `challenge`.
 */
export function eventBody(row: EventRow, challenge?: string): string {
  const data =
    challenge === undefined ? row.data : `${row.data.slice(0, -1)},"challenge":${JSON.stringify(challenge)}}`;
  const { data: _, ...envelope } = present(EventEnvelope, { ...row, test_clock: row.test_clock_id, data: {} });
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`;
}

/** Returns the name of a type of events as a type of a program: `PaymentIntentSucceeded`. */
export function pascal(type: string): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
