import { ListOf, page } from '../../resources/common.ts';
import { Event, EventQuery, eventsTag, presentEvent } from '../../resources/event.ts';
import { getEvent, listEvents } from '../../services/events.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'events:read' } as const;

export const eventRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    operation: 'listEvents',
    tag: eventsTag,
    summary: 'List events',
    description:
      'Lists all events, newest first, whether or not an endpoint subscribes to them. With `order=asc` and the last id ' +
      'that you have as `starting_after` you get what was recorded since, oldest first. No event is missed, whatever ' +
      'is written meanwhile: the order is that of the commits.',
    access: reading,
    invalid: 422,
    query: EventQuery,
    response: { status: 200, schema: ListOf(Event) },
    handle: async ({ context, query, deps }) => page(await listEvents(deps.db, context, query), presentEvent),
  }),
  route({
    method: 'GET',
    path: '/api/v1/events/:event_id',
    operation: 'getEvent',
    tag: eventsTag,
    summary: 'Fetch an event',
    access: reading,
    invalid: 422,
    response: { status: 200, schema: Event },
    handle: async ({ context, params, deps }) => presentEvent(await getEvent(deps.db, context, params.event_id)),
  }),
];
