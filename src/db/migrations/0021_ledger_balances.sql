create table ledger_balances (
  number bigint generated always as identity primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  currency text not null,
  account text not null,
  available_on date,
  amount bigint not null,
  unique nulls not distinct (biller_id, livemode, test_clock_id, currency, account, available_on),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade
);
comment on table ledger_balances is 'The sums of the ledger entries, so that a balance reads a row for each day and not for each movement. Written in the statement that posts; `ledger rebuild` makes them again from the entries';
comment on column ledger_balances.number is 'The order of their first rows, with gaps; nothing refers to it';
comment on column ledger_balances.available_on is 'That of the transactions; null for those that have none';
comment on column ledger_balances.amount is 'Minor units';
insert into ledger_balances (biller_id, livemode, test_clock_id, currency, account, available_on, amount)
  select t.biller_id, t.livemode, t.test_clock_id, t.currency, e.account, t.available_on, sum(e.amount)
  from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
  group by t.biller_id, t.livemode, t.test_clock_id, t.currency, e.account, t.available_on;
