import type { EventType } from '../../domain/event-types.ts';
import type { Scope } from '../accounts/scopes.ts';
import { Forbidden } from '../errors.ts';

type GroupOf<T> = T extends `${infer Group}.${string}` ? Group : never;

/** The scope that reads the events about one kind of object. `events:read` reads all events. */
const scopeOfGroup: Readonly<Record<GroupOf<EventType>, Scope>> = {
  payment_intent: 'payment_intents:read',
  refund: 'payment_intents:read',
  payment_plan: 'payment_plans:read',
  test_clock: 'test_clocks:read',
  webhook_endpoint: 'webhooks:read',
};

/** Which scope reads which events, for the documentation. */
export const eventScopesInWords = [
  '`events:read` reads every event',
  ...Object.entries(scopeOfGroup).map(([group, scope]) => `\`${scope}\` reads \`${group}.*\``),
].join(', ');

/**
 * Whether a key with these scopes may read the events that a subscription names: an event type, a group such as
 * `payment_plan.*`, or `*`, which only `events:read` reads.
 */
export function mayReadEvents(scopes: readonly string[], subscription: string): boolean {
  const scope = scopeOf(subscription);
  return scopes.includes('events:read') || (scope !== null && scopes.includes(scope));
}

/**
 * Checks a key before events are sent to an endpoint on its behalf: an endpoint must not show a key what it may not read.
 * @throws Forbidden `insufficient_scope`, naming the scopes that are missing.
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

/** Null for `*`: no scope of one resource reads every event. */
function scopeOf(subscription: string): Scope | null {
  const [, scope] = Object.entries(scopeOfGroup).find(([group]) => subscription.startsWith(`${group}.`)) ?? [];
  return scope ?? null;
}
