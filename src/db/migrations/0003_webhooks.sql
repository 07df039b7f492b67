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
comment on column events.created_at is 'The customer''s time; recorded_at is real';
comment on column events.data is 'The resource as the API showed it then, byte for byte';
create index events_by_type on events (biller_id, livemode, event_type, sequence);
create index events_of_clock on events (test_clock_id, sequence) where test_clock_id is not null;
create index events_by_time on events using brin (recorded_at);
create index events_of_subject on events (subject_id, id);

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
  unique (biller_id, livemode, id),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((sealed_previous_secret is null) = (previous_secret_expires_at is null))
);
comment on table webhook_endpoints is 'Where a biller wants to be told of events, and the signing secret, encrypted';
comment on column webhook_endpoints.failing_since is 'Since when every try has failed; five days of it disable the endpoint';

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
