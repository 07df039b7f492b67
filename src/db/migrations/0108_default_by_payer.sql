alter table checkout_sessions add column made_default boolean not null default false;
comment on column checkout_sessions.made_default is 'Whether the payer has made the saved method the default of the customer. Only in setup mode';
