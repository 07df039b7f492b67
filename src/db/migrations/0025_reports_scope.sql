-- contract: keys that hold every other scope get the new one. An API at work reads a key without waiting for its lock.
update api_keys set scopes = scopes || '{reports:read}'
  where kind = 'secret' and not scopes @> '{reports:read}' and scopes @> '{
    customers:read,customers:write,payment_methods:read,payment_methods:write,mandates:read,mandates:write,
    payment_intents:read,payment_intents:write,payment_plans:read,payment_plans:write,payment_links:read,
    payment_links:write,subscriptions:read,subscriptions:write,test_clocks:read,test_clocks:write,webhooks:read,
    webhooks:write,events:read,balance:read}';
