/** Every type of event, for webhooks and the list of events. */
export const eventTypes = [
  'payment_intent.succeeded',
  'payment_intent.failed',
  'payment_intent.canceled',
  'payment_intent.requires_action',
  'payment_plan.activated',
  'payment_plan.suspended',
  'payment_plan.deactivated',
  'payment_plan.closed',
  'refund.succeeded',
  'refund.failed',
  'test_clock.created',
  'test_clock.advancing',
  'test_clock.ready',
  'test_clock.deleted',
  'webhook_endpoint.ping',
  'webhook_endpoint.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/** What an endpoint may subscribe to: all events, the events of one kind of resource, or one event type. */
export const subscriptions: ReadonlySet<string> = new Set([
  '*',
  ...eventTypes.map((type) => `${groupOf(type)}.*`),
  ...eventTypes,
]);

function groupOf(type: EventType): string {
  return type.slice(0, type.indexOf('.'));
}
