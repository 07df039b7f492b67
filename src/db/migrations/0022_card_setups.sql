create table card_setups (
  handle_hash bytea primary key check (length(handle_hash) = 32),
  biller_id object_id not null references billers,
  livemode boolean not null,
  checkout_session_id object_id not null,
  reference text not null check (length(reference) between 1 and 200),
  card jsonb,
  payment_method_id object_id,
  created_at timestamptz not null default clock_timestamp(),
  unique (biller_id, livemode, reference),
  foreign key (biller_id, livemode, checkout_session_id) references checkout_sessions (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete cascade,
  check (payment_method_id is null or card is not null)
);
comment on table card_setups is 'The setups of the live processor in which payers enter cards on the pages of checkout sessions. Real time, by PostgreSQL''s clock';
comment on column card_setups.handle_hash is 'SHA-256 of what the payer''s browser names the setup by. Another browser with the session''s URL does not know it';
comment on column card_setups.reference is 'The processor''s own. The token of a card is asked for by it alone';
comment on column card_setups.card is 'What the processor has told of the card that was entered, as payment_method_data. Null: nothing yet';
comment on column card_setups.payment_method_id is 'The method that was saved from it: one';
create index card_setups_of_session on card_setups (checkout_session_id);
create index card_setups_of_method on card_setups (payment_method_id) where payment_method_id is not null;
create index card_setups_by_age on card_setups (created_at);

create table missing_card_fields (
  biller_id object_id primary key references billers,
  noticed_at timestamptz not null default clock_timestamp()
);
comment on table missing_card_fields is 'The billers of whom the live processor has said last that it has no fields for their cards. Real time, by PostgreSQL''s clock';

alter table payment_links add column takes_cards boolean not null default false;
comment on column payment_links.takes_cards is 'In live mode: whether its page can take cards, as far as was known when it was made, or opened last';
alter table checkout_sessions add column takes_cards boolean not null default false;
comment on column checkout_sessions.takes_cards is 'As that of a link';
