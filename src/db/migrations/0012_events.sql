create table event_sequences (
  biller_id object_id not null references billers,
  livemode boolean not null,
  last_sequence bigint not null default 0,
  primary key (biller_id, livemode)
);
comment on table event_sequences is 'The last event number of each biller and mode; its row lock, taken last in a transaction, is what makes the numbers free of gaps';

create table events (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  sequence bigint not null check (sequence >= 1),
  event_type text not null check (event_type ~ '^[a-z_]+\.[a-z_]+$'),
  test_clock_id object_id,
  customer_id object_id,
  subject_id object_id not null,
  request_id text,
  data json not null,
  created_at timestamptz not null,
  recorded_at timestamptz not null,
  unique (biller_id, livemode, sequence)
);
comment on table events is 'What has happened, as webhooks tell it; written in the transaction of the change itself. Kept when its subject is deleted, hence without foreign keys to it';
comment on column events.data is 'The resource as the API showed it then, byte for byte';
comment on column events.created_at is 'The customer''s time; recorded_at is real';
create index events_by_type on events (biller_id, livemode, event_type, sequence);
create index events_of_clock on events (test_clock_id, sequence) where test_clock_id is not null;
create index events_by_time on events using brin (recorded_at);
create index events_of_subject on events (subject_id, id);
create index events_of_customer on events (customer_id, sequence) where customer_id is not null;
create index events_by_creation on events (biller_id, livemode, created_at, sequence);

create table webhook_endpoints (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  url text not null check (length(url) <= 2048),
  event_types text[] not null check (cardinality(event_types) >= 1),
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text,
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_expires_at timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  verified_at timestamptz,
  responds_promptly boolean not null default false,
  unique (biller_id, livemode, id),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((sealed_previous_secret is null) = (previous_secret_expires_at is null))
);
comment on table webhook_endpoints is 'Where a biller wants to be told of events, and the signing secret, encrypted';
comment on column webhook_endpoints.failing_since is 'Since when every try has failed; five days of it disable the endpoint';
comment on column webhook_endpoints.verified_at is 'When the receiver at this url first returned the challenge of a ping; null until then, and again when the url changes';
comment on column webhook_endpoints.responds_promptly is 'Whether the last request to this url had its response within a second; false until then';

create table webhook_deliveries (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  endpoint_id object_id not null,
  event_id object_id not null references events,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempt_count integer not null default 0 check (attempt_count >= 0),
  series_start integer not null default 0,
  next_attempt_at timestamptz,
  failure_reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (biller_id, livemode, id),
  unique (event_id, endpoint_id),
  foreign key (biller_id, livemode, endpoint_id) references webhook_endpoints (biller_id, livemode, id),
  check ((status = 'pending') = (finished_at is null)),
  check ((status = 'failed') = (failure_reason is not null)),
  check (status = 'pending' or next_attempt_at is null),
  check (series_start between 0 and attempt_count)
);
comment on table webhook_deliveries is 'One event on its way to one endpoint. All times are real';
comment on column webhook_deliveries.series_start is 'Attempts before the present series; retrying a finished delivery starts a fresh series';
comment on column webhook_deliveries.failure_reason is 'Why it was given up: all attempts used, endpoint disabled or deleted';
create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
-- The reconciler reads the deliveries that are under way page by page, by id.
create index webhook_deliveries_pending_by_id on webhook_deliveries (id) where status = 'pending';

create table webhook_delivery_attempts (
  delivery_id object_id not null references webhook_deliveries on delete cascade,
  number integer not null check (number >= 1),
  at timestamptz not null,
  status_code integer,
  error text,
  duration_ms integer not null check (duration_ms >= 0),
  response_excerpt text,
  primary key (delivery_id, number)
);
comment on table webhook_delivery_attempts is 'Each try of a delivery and what came back, at most 2 KiB of it';

create table webhook_replay_budgets (
  biller_id object_id not null references billers,
  livemode boolean not null,
  host text not null check (length(host) between 1 and 255),
  used double precision not null check (used >= 0),
  as_of timestamptz not null,
  primary key (biller_id, livemode, host)
);
comment on table webhook_replay_budgets is 'How many deliveries a biller has asked for at a host: replays, retries and pings. A bucket that leaks';
comment on column webhook_replay_budgets.host is 'The last two labels of the host name, or the address';
comment on column webhook_replay_budgets.used is 'What has not leaked yet at as_of, which is real time';
