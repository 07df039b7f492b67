create table dashboard_sessions (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  api_key_id object_id not null references api_keys,
  person text not null check (length(person) between 1 and 200),
  role text not null check (role in ('viewer', 'support', 'finance', 'admin')),
  url_hash bytea not null unique check (length(url_hash) = 32),
  url_expires_at timestamptz not null,
  opened_at timestamptz,
  cookie_hash bytea unique check (length(cookie_hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  unique (biller_id, livemode, id),
  check ((opened_at is null) = (cookie_hash is null))
);
comment on table dashboard_sessions is 'People of a biller who use the dashboard, each for a while. Real time';
comment on column dashboard_sessions.api_key_id is 'The key that has made it: the session ends with it, and does at most what it may do';
comment on column dashboard_sessions.person is 'Who uses it, in the words of the biller; the audit log names this person';
comment on column dashboard_sessions.url_hash is 'SHA-256 of the token in the URL that opens it, once and up to url_expires_at';
comment on column dashboard_sessions.cookie_hash is 'SHA-256 of the cookie; null until the URL was used';
comment on column dashboard_sessions.expires_at is 'When it ends; brought forward when it is ended';
create index dashboard_sessions_of_key on dashboard_sessions (api_key_id);
create index dashboard_sessions_by_end on dashboard_sessions (expires_at);

-- contract: keys that hold every other scope get the new one. An API at work reads a key without waiting for its lock.
update api_keys set scopes = scopes || '{dashboard:write}'
  where kind = 'secret' and not scopes @> '{dashboard:write}' and scopes @> '{
    customers:read,customers:write,payment_methods:read,payment_methods:write,mandates:read,mandates:write,
    payment_intents:read,payment_intents:write,payment_plans:read,payment_plans:write,payment_links:read,
    payment_links:write,subscriptions:read,subscriptions:write,test_clocks:read,test_clocks:write,webhooks:read,
    webhooks:write,events:read,balance:read,reports:read}';
