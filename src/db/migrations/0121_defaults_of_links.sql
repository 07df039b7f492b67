alter table payment_links add column makes_default text not null default 'no';
alter table payment_links add constraint payment_links_makes_default_check
  check (makes_default in ('no', 'offer', 'always') and (mode = 'setup' or makes_default = 'no')) not valid;
comment on column payment_links.makes_default is 'Whether a saved method becomes the default of the customer: never, if the payer ticks a box, or always. The key that made the link must be able to set it';
alter table checkout_sessions add column makes_default text not null default 'no';
alter table checkout_sessions add constraint checkout_sessions_makes_default_check
  check (makes_default in ('no', 'offer', 'always') and (mode = 'setup' or makes_default = 'no')) not valid;
comment on column checkout_sessions.makes_default is 'Whether a saved method becomes the default of the customer: never, if the payer ticks a box, or always. The key that made the session or its link must be able to set it';
