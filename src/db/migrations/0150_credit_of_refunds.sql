alter table refunds
  add column credit_cents bigint not null default 0,
  add constraint refunds_credit check (credit_cents between 0 and amount) not valid;
comment on column refunds.credit_cents is 'How much of the amount pays credit of the payment''s subscription out. The credit comes back if the refund fails';
-- contract: no database with refunds of credit is in use yet
alter table refunds drop column of_credit;
