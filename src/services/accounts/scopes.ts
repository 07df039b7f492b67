/** What a secret key may be allowed to do: read or write one kind of object. */
export const allScopes = [
  'customers:read',
  'customers:write',
  'payment_methods:read',
  'payment_methods:write',
  'mandates:read',
  'mandates:write',
  'payment_intents:read',
  'payment_intents:write',
  'payment_plans:read',
  'payment_plans:write',
  'payment_links:read',
  'payment_links:write',
  'subscriptions:read',
  'subscriptions:write',
  'test_clocks:read',
  'test_clocks:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'balance:read',
  'reports:read',
  'dashboard:write',
] as const;

export type Scope = (typeof allScopes)[number];

/** Whether the text is one of the scopes. */
export function isScope(value: string): value is Scope {
  return allScopes.some((scope) => scope === value);
}
