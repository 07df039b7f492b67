alter table processor_notices
  drop constraint processor_notices_kind_check,
  add constraint processor_notices_kind_check check (kind in ('charge', 'refund', 'mandate')) not valid;
comment on column processor_notices.reference is 'The processor''s reference of the payment; of a mandate its own reference';
