alter table payment_intents validate constraint payment_intents_link_fkey;
alter table payment_intents validate constraint payment_intents_session_fkey;
alter table workflow_intents validate constraint workflow_intents_workflow_type_check;
-- Secret keys that hold every scope of the version before also get the new ones. Restricted keys do not.
update api_keys set scopes = scopes || array['payment_links:read', 'payment_links:write']
where kind = 'secret' and not scopes && array['payment_links:read', 'payment_links:write'] and scopes @> array[
  'customers:read', 'customers:write', 'payment_methods:read', 'payment_methods:write', 'mandates:read',
  'mandates:write', 'payment_intents:read', 'payment_intents:write', 'payment_plans:read', 'payment_plans:write',
  'test_clocks:read', 'test_clocks:write', 'webhooks:read', 'webhooks:write', 'events:read'
];
