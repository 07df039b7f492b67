-- Ids are a prefix and 32 base62 characters whose head is their time of creation: in byte order ("C"), ordering by id is
-- ordering by insertion, whatever the collation of the database.
create domain object_id as text collate "C" check (value ~ '^[a-z]+_[0-9A-Za-z_]{20,60}$');
comment on domain object_id is 'A prefixed id; sorts by creation';

-- Minor units of a currency. The ceiling keeps every value exact in a JavaScript number.
create domain minor_units as bigint check (value between 0 and 9007199254740991);
comment on domain minor_units is 'An amount of money in the smallest unit of its currency';

create table billers (
  id object_id primary key,
  name text not null check (length(name) between 1 and 200),
  time_zone text not null default 'UTC',
  statement_descriptor text check (length(statement_descriptor) between 1 and 22),
  fee_basis_points integer not null default 175 check (fee_basis_points between 0 and 10000),
  fee_fixed minor_units not null default 30,
  created_at timestamptz not null
);
comment on table billers is 'Merchants: the tenants. Everything else belongs to one biller and one mode';
comment on column billers.time_zone is 'IANA name; payments fall due at 00:00 of their date in it';

create table api_keys (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  kind text not null check (kind in ('secret', 'publishable')),
  scopes text[] not null,
  hash bytea not null unique check (length(hash) = 32),
  hint text not null check (length(hint) <= 8),
  created_at timestamptz not null,
  revoked_at timestamptz,
  check (kind = 'secret' or scopes = '{}')
);
comment on table api_keys is 'Credentials, as SHA-256 only: the key itself is shown once and kept nowhere';
comment on column api_keys.revoked_at is 'From this instant on the key is refused; in the future while a rolled key overlaps its successor';
create index api_keys_of_biller on api_keys (biller_id, id);

create table event_sequences (
  biller_id object_id not null references billers,
  livemode boolean not null,
  last_sequence bigint not null default 0,
  primary key (biller_id, livemode)
);
comment on table event_sequences is 'The last event number of each biller and mode; its row lock, taken last in a transaction, is what makes the numbers free of gaps';

create table idempotency_keys (
  biller_id object_id not null references billers,
  livemode boolean not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  status_code smallint check (status_code between 200 and 299),
  sealed_response bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (biller_id, livemode, key),
  check (expires_at > created_at),
  check ((status_code is null) = (sealed_response is null))
);
comment on table idempotency_keys is 'The first answer to each Idempotency-Key. A row commits together with the effect that it protects, or not at all';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body: the same key with another request is refused';
comment on column idempotency_keys.sealed_response is 'The response body, encrypted, since it may hold a secret';
create index idempotency_keys_expired on idempotency_keys (expires_at);

create table workflow_intents (
  id bigint generated always as identity primary key,
  workflow_id text collate "C" not null,
  workflow_type text not null check (workflow_type in ('paymentPlan', 'scheduledPayment', 'testClock', 'webhookDelivery')),
  subject_id object_id not null,
  start boolean not null,
  signal text,
  created_at timestamptz not null,
  available_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  check (start or signal is not null)
);
comment on table workflow_intents is 'What Temporal still has to be told. Written in the transaction of the change that wants it, deleted once Temporal has accepted it: no commit is ever without its workflow';
comment on column workflow_intents.start is 'Start the workflow if it is not running; without it a workflow that is gone needs no telling';
comment on column workflow_intents.available_at is 'Not to be carried out before; moved forward by whoever claims it, so that a claim ends by itself';
create index workflow_intents_available on workflow_intents (available_at, id);
