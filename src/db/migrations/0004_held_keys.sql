-- Until now a key without an answer was never committed; from now on one is, beside the charge or refund that it began.
comment on column idempotency_keys.status_code is 'Null, as is the response, while what the request has begun (a charge, a refund) has no answer yet: only the same request goes on with it';
