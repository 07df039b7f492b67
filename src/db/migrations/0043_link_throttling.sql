alter table payment_links
  add column throttled_until timestamptz,
  add column throttlings integer not null default 0;
comment on column payment_links.throttled_until is 'Until when payers are asked to try later, after too many failed attempts. Real time; null: that has never happened';
comment on column payment_links.throttlings is 'How often that has happened; each has its event';
