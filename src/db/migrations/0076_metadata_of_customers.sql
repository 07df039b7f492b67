alter table customers add column metadata jsonb not null default '{}';
comment on column customers.metadata is 'Pairs of the biller''s own';
