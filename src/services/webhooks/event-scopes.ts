import { selectEventTypeOfDelivery, selectPendingEventTypes } from '../../db/webhook-deliveries.ts';
import { selectEventTypes } from '../../db/webhook-endpoints.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type EventGroup, eventGroups } from '../../resources/event-catalogue.ts';
import type { WebhookEndpointUpdate } from '../../resources/webhook-endpoint.ts';
import type { Scope } from '../accounts/scopes.ts';
import { Forbidden } from '../errors.ts';
import type { Tenant } from '../request-context.ts';

/** The scope that reads the events about one kind of object. `events:read` reads all events. */
const groups: Readonly<Record<EventGroup, { scope: Scope }>> = eventGroups;

/** Which scope reads which events, as text for the documentation. */
export const eventScopesInWords = [
  '`events:read` reads every event',
  ...Object.entries(groups).map(([group, { scope }]) => `\`${scope}\` reads \`${group}.*\``),
].join(', ');

/**
 * Returns whether a key with these scopes may read the events of a subscription: an event type, a group such as
 * `payment_plan.*`, or `*`. Only `events:read` reads `*`.
 */
export function mayReadEvents(scopes: readonly string[], subscription: string): boolean {
  const scope = scopeOf(subscription);
  return scopes.includes('events:read') || (scope !== null && scopes.includes(scope));
}

/**
 * Checks a key's scopes before events are sent to an endpoint on its behalf. A key must not use an endpoint to read
 * events that it may not read itself.
 * @throws Forbidden `insufficient_scope`, with the missing scopes in its message.
 */
export function assertMayReadEvents(scopes: readonly string[], subscriptions: readonly string[]): void {
  const refused = subscriptions.filter((subscription) => !mayReadEvents(scopes, subscription));
  if (refused.length === 0) return;
  const needed = refused.map(scopeOf);
  const instead = needed.includes(null) ? '' : `, or ${[...new Set(needed)].join(' and ')}`;
  throw new Forbidden(
    'insufficient_scope',
    `The key may not read the events ${refused.join(', ')}. This needs the scope events:read${instead}.`,
  );
}

/**
 * Checks that a key may have the events of an endpoint sent to it. Deleted endpoints count. If there never was such an
 * endpoint, nothing is sent: the request gets 404.
 * @throws Forbidden
 */
export async function assertMayReadEventsOf(
  db: Db,
  tenant: Tenant,
  scopes: readonly string[],
  endpointId: string,
): Promise<void> {
  if (mayReadEvents(scopes, '*')) return;
  assertMayReadEvents(scopes, (await selectEventTypes(db, tenant, endpointId)) ?? []);
}

/**
 * Checks that a key may change an endpoint: if the change sends events that were not sent before, or sends them to
 * another URL, the key must be able to read what the endpoint subscribes to before and after the change, and what waits
 * to be delivered to it, whatever it subscribed to when that was recorded.
 * @throws Forbidden
 */
export async function assertMayChangeEndpoint(
  db: Db,
  tenant: Tenant,
  scopes: readonly string[],
  endpointId: string,
  { url, event_types: eventTypes, status }: WebhookEndpointUpdate,
): Promise<void> {
  if (eventTypes === undefined && url === undefined && status !== 'enabled') return;
  if (mayReadEvents(scopes, '*')) return;
  const former = (await selectEventTypes(db, tenant, endpointId)) ?? [];
  const waiting = await selectPendingEventTypes(db, tenant, endpointId);
  assertMayReadEvents(scopes, [...new Set([...former, ...(eventTypes ?? []), ...waiting])]);
}

/**
 * Checks that a key may have a delivery made again: it must be able to read the event. If there is no such delivery,
 * nothing is read: the request gets 404.
 * @throws Forbidden
 */
export async function assertMayReadDelivered(
  db: Db,
  tenant: Tenant,
  scopes: readonly string[],
  deliveryId: string,
): Promise<void> {
  if (mayReadEvents(scopes, '*')) return;
  const type = await selectEventTypeOfDelivery(db, tenant, deliveryId);
  if (type !== null) assertMayReadEvents(scopes, [type]);
}

/** Returns null for `*`: no scope of a single resource reads every event. */
function scopeOf(subscription: string): Scope | null {
  const [, group] = Object.entries(groups).find(([name]) => subscription.startsWith(`${name}.`)) ?? [];
  return group?.scope ?? null;
}
