-- Each row grows once, by its response. With room for that in its page, no index needs a new entry.
create table idempotency_keys (
  biller_id object_id not null references billers,
  livemode boolean not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  status_code smallint check (status_code between 200 and 299),
  sealed_response bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  fingerprint_key text not null,
  subject_id text collate "C",
  primary key (biller_id, livemode, key),
  check (expires_at > created_at),
  check ((status_code is null) = (sealed_response is null))
) with (fillfactor = 50);
comment on table idempotency_keys is 'The first answer to each Idempotency-Key. A row commits together with the effect that it protects, or not at all';
comment on column idempotency_keys.fingerprint is 'HMAC-SHA256 of method, path and body under an encryption key: the same key with another request is refused';
comment on column idempotency_keys.status_code is 'Null, as is the response, while what the request has begun (a charge, a refund) has no answer yet: only the same request goes on with it';
comment on column idempotency_keys.sealed_response is 'The response body, encrypted, since it may hold a secret';
comment on column idempotency_keys.fingerprint_key is 'The id of that encryption key: as long as it may be asked for, the key is needed';
comment on column idempotency_keys.subject_id is 'The object that the request has made and committed before it had a response: a repeated request continues with that object. Null for other requests';
create index idempotency_keys_expired on idempotency_keys (expires_at);
