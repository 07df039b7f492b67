create table refunds (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  payment_intent_id object_id not null,
  amount minor_units not null check (amount >= 1),
  currency text not null,
  reason text,
  metadata jsonb not null default '{}',
  status text not null check (status in ('processing', 'succeeded', 'failed')),
  request_key text,
  request_key_expires_at timestamptz,
  opened_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  at_risk boolean not null default false,
  surcharge_amount bigint not null,
  listed_at timestamptz,
  credit_cents bigint not null default 0,
  unique (biller_id, livemode, id),
  constraint refunds_credit check (credit_cents between 0 and amount),
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id)
);
comment on table refunds is 'Money given back, whole or in part; the row is committed before the processor is asked';
comment on column refunds.request_key is 'The Idempotency-Key of the request that opened it: its repetition goes on with this refund, until the key expires';
comment on column refunds.opened_at is 'Real time';
comment on column refunds.at_risk is 'The payment was a debit that could still come back when it was refunded';
comment on column refunds.surcharge_amount is 'How much of the amount is surcharge, minor units';
comment on column refunds.listed_at is 'When the list of the live processor was seen to have it as given back. Real time, by PostgreSQL''s clock. Null: not seen';
comment on column refunds.credit_cents is 'How much of the amount pays credit of the payment''s subscription out. The credit comes back if the refund fails';
create index refunds_in_flight on refunds (opened_at) where status = 'processing';
create index refunds_of_intent on refunds (payment_intent_id, id);
create index refunds_by_creation on refunds (biller_id, livemode, created_at, id);
create index refunds_by_change on refunds (biller_id, livemode, updated_at, id);
