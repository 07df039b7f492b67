alter table card_setups alter column checkout_session_id drop not null;
alter table card_setups add column api_key_id object_id;
alter table card_setups add constraint card_setups_place_check
  check (num_nonnulls(checkout_session_id, api_key_id) = 1) not valid;
comment on table card_setups is 'The setups of the live processor in which payers enter cards: on the pages of checkout sessions, and in widgets. Real time, by PostgreSQL''s clock';
comment on column card_setups.api_key_id is 'The publishable key of the widget in which it was begun. Null: it was begun on the page of a session';
