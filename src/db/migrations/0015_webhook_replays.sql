-- Replays need an endpoint that has proved its ownership, and keep to a budget.
alter table webhook_endpoints add column verified_at timestamptz;
comment on column webhook_endpoints.verified_at is 'When the receiver at this url first returned the challenge of a ping; null until then, and again when the url changes';

create table webhook_replay_budgets (
  biller_id object_id not null references billers,
  livemode boolean not null,
  host text not null check (length(host) between 1 and 255),
  used double precision not null check (used >= 0),
  as_of timestamptz not null,
  primary key (biller_id, livemode, host)
);
comment on table webhook_replay_budgets is 'How many deliveries a biller has asked for at a host: replays, retries and pings. A bucket that leaks';
comment on column webhook_replay_budgets.host is 'The last two labels of the host name, or the address';
comment on column webhook_replay_budgets.used is 'What has not leaked yet at as_of, which is real time';
