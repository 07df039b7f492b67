import { ListOf } from '../../resources/common.ts';
import { Event, EventQuery } from '../../resources/event.ts';
import { findEvent, listEvents } from '../../services/events.ts';
import { type Route, route } from '../http/route.ts';

const tag = 'Events';
const reading = { scope: 'events:read' } as const;

export const eventRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    operation: 'listEvents',
    tag,
    summary: 'List events',
    description:
      'Lists all events, newest first, whether or not an endpoint subscribes to them. After an outage of your ' +
      'receiver, read back to the last `sequence` that you know.',
    access: reading,
    invalid: 422,
    query: EventQuery,
    response: { status: 200, schema: ListOf(Event) },
    handle: ({ call, query, deps }) => listEvents(deps.sql, call, query),
  }),
  route({
    method: 'GET',
    path: '/api/v1/events/:event_id',
    operation: 'getEvent',
    tag,
    summary: 'Fetch an event',
    access: reading,
    invalid: 422,
    response: { status: 200, schema: Event },
    handle: ({ call, params, deps }) => findEvent(deps.sql, call, params.event_id),
  }),
];
