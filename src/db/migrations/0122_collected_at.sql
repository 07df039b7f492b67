-- When the money of a payment was collected, and by what its payer recognises a debit.
alter table payment_intents
  add column collected_at timestamptz,
  add column lodgement_reference text collate "C";
comment on column payment_intents.collected_at is 'When the money was last collected, in the customer''s time; a bank debit: when it settled. A refund or return leaves it';
comment on column payment_intents.lodgement_reference is 'What the payer''s statement shows of the last debit';
