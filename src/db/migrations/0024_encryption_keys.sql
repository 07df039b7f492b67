create table encryption_keys (
  id text primary key,
  key_check bytea not null,
  recorded_at timestamptz not null
);
comment on table encryption_keys is 'The encryption keys that processes have started with, as long as they may be needed. The keys themselves are never here';
comment on column encryption_keys.id is 'The id in ENCRYPTION_KEYS, which is also at the head of each value that the key has sealed';
comment on column encryption_keys.key_check is 'Derived from the key by HKDF: the same for the same key, and nothing can be opened with it';
comment on column encryption_keys.recorded_at is 'When a process first started with this key. Real time';
