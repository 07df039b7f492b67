-- Secret keys that hold every scope of the version before also get the new ones. Restricted keys do not.
update api_keys set scopes = scopes || array['subscriptions:read', 'subscriptions:write']
where kind = 'secret' and not scopes && array['subscriptions:read', 'subscriptions:write'] and scopes @> array[
  'customers:read', 'customers:write', 'payment_methods:read', 'payment_methods:write', 'mandates:read',
  'mandates:write', 'payment_intents:read', 'payment_intents:write', 'payment_plans:read', 'payment_plans:write',
  'test_clocks:read', 'test_clocks:write', 'webhooks:read', 'webhooks:write', 'events:read'
];
