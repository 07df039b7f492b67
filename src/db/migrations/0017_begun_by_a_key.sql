-- A request that makes an object and commits it before its response finds that object again by its key.
alter table idempotency_keys add column subject_id text collate "C";
comment on column idempotency_keys.subject_id is 'The object that the request has made and committed before it had a response: a repeated request continues with that object. Null for other requests';
