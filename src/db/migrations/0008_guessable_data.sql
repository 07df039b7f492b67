-- What was sent there is never read, and may hold what should not lie about: it is not written any more.
update payment_intents set payment_method_data = null where payment_method_data is not null;
comment on column payment_intents.payment_method_data is 'Not used any more, and always null; to be dropped once no process of before 0008 runs';
alter table idempotency_keys add column fingerprint_key text;
comment on column idempotency_keys.fingerprint_key is 'The id of that encryption key: as long as it may be asked for, the key is needed';
comment on column idempotency_keys.fingerprint is 'HMAC-SHA256 of method, path and body under an encryption key: the same key with another request is refused';
