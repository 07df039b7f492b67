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

create table encryption_keys (
  id text primary key,
  key_check bytea not null,
  recorded_at timestamptz not null
);
comment on table encryption_keys is 'The encryption keys that processes have started with, as long as they may be needed. The keys themselves are never here';
comment on column encryption_keys.id is 'The id in ENCRYPTION_KEYS, which is also at the head of each value that the key has sealed';
comment on column encryption_keys.key_check is 'Derived from the key by HKDF: the same for the same key, and nothing can be opened with it';
comment on column encryption_keys.recorded_at is 'When a process first started with this key, by the clock of PostgreSQL. Of keys that were recorded together, the first one, which seals, has the latest instant';
