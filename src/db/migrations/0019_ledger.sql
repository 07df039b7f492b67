create table ledger_transactions (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  kind text not null check (kind in ('payment', 'refund', 'return', 'adjustment', 'debit_accepted', 'debit_ended')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  source_id object_id not null,
  payment_intent_id object_id not null,
  customer_id object_id,
  source_key text collate "C" not null unique check (length(source_key) between 1 and 100),
  rule_version smallint not null check (rule_version >= 1),
  sequence bigint not null check (sequence >= 1),
  available_on date,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade
);
comment on table ledger_transactions is 'The books of each biller, mode, test clock or none, and currency: one row for each movement of money, posted from its event by a follower. Rows are only ever added; deleting a test clock deletes its rows';
comment on column ledger_transactions.kind is 'The first four are the rows that finance reads; the others tell what is in flight';
comment on column ledger_transactions.source_id is 'The payment intent, or the refund. Without a foreign key: the books keep what they have posted';
comment on column ledger_transactions.source_key is 'The event that it was posted from, and the kind. The id is derived from it';
comment on column ledger_transactions.rule_version is 'The version of the rule that posted it';
comment on column ledger_transactions.sequence is 'The number of that event in its biller and mode';
comment on column ledger_transactions.available_on is 'From which date of the biller''s zone on the money can be paid out. Null: only the live processor knows';
comment on column ledger_transactions.occurred_at is 'The customer''s time; recorded_at is real';
create index ledger_transactions_of_payment on ledger_transactions (payment_intent_id, sequence);
create index ledger_transactions_of_source on ledger_transactions (source_id, id);
create index ledger_transactions_of_customer on ledger_transactions (customer_id, id) where customer_id is not null;
create index ledger_transactions_of_clock on ledger_transactions (test_clock_id, id) where test_clock_id is not null;
-- Lists in real time read no row of a clock, and those of one type no row of another.
create index ledger_transactions_by_time on ledger_transactions (biller_id, livemode, occurred_at, id)
  where test_clock_id is null;
create index ledger_transactions_by_kind on ledger_transactions (biller_id, livemode, kind, occurred_at, id)
  where test_clock_id is null;

create table ledger_entries (
  transaction_id object_id not null references ledger_transactions on delete cascade,
  account text not null check (account in ('payers', 'in_flight', 'processor', 'fees')),
  amount bigint not null check (amount <> 0),
  primary key (transaction_id, account)
);
comment on table ledger_entries is 'What a transaction moves, by account; the amounts of a transaction add up to 0. Biller, mode, clock and currency are those of the transaction';
comment on column ledger_entries.account is 'payers: the other side of all money. in_flight: debits without a result. processor: taken and not paid out. fees: what it cost';
comment on column ledger_entries.amount is 'Minor units; what an account gains is positive';

create table ledger_positions (
  biller_id object_id not null references billers,
  livemode boolean not null,
  last_sequence bigint not null check (last_sequence >= 0),
  primary key (biller_id, livemode)
);
comment on table ledger_positions is 'Up to which event the ledger of a biller and mode is posted. Written in the transaction that posts; its row lock lets one process post at a time';

create view balance_transactions as
  select id, biller_id, livemode, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id, available_on,
    occurred_at
  from ledger_transactions where kind in ('payment', 'refund', 'return', 'adjustment');
comment on view balance_transactions is 'The transactions of the ledger that finance reads as rows';

create function assert_balanced(posted text) returns void language plpgsql as $$
declare
  entries integer;
  total numeric;
begin
  select count(*), sum(amount) into entries, total from ledger_entries where transaction_id = posted;
  if entries < 2 or total <> 0 then
    raise exception 'ledger transaction % has % entries that add up to %', posted, entries, coalesce(total, 0)
      using errcode = 'check_violation';
  end if;
end $$;
create function check_balance_of_transaction() returns trigger language plpgsql as $$
begin
  perform assert_balanced(new.id);
  return null;
end $$;
create function check_balance_of_entry() returns trigger language plpgsql as $$
begin
  perform assert_balanced(new.transaction_id);
  return null;
end $$;
create constraint trigger ledger_transactions_balance after insert on ledger_transactions
  deferrable initially deferred for each row execute function check_balance_of_transaction();
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function check_balance_of_entry();

create function refuse_ledger_deletion() returns trigger language plpgsql as $$
begin
  if old.test_clock_id is not null and not exists (select from test_clocks where id = old.test_clock_id) then
    return old;
  end if;
  raise exception 'ledger transaction % is not deleted', old.id using errcode = 'restrict_violation';
end $$;
create function refuse_entry_deletion() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_transactions where id = old.transaction_id) then
    return old;
  end if;
  raise exception 'an entry of ledger transaction % is not deleted', old.transaction_id
    using errcode = 'restrict_violation';
end $$;
comment on function refuse_ledger_deletion is 'A test clock that is deleted takes its books along: its row is gone before those that reference it';
create trigger ledger_transactions_only_grow before update or truncate on ledger_transactions
  for each statement execute function refuse_change();
create trigger ledger_transactions_kept before delete on ledger_transactions
  for each row execute function refuse_ledger_deletion();
create trigger ledger_entries_only_grow before update or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_entries_kept before delete on ledger_entries
  for each row execute function refuse_entry_deletion();
alter table ledger_transactions enable always trigger ledger_transactions_balance;
alter table ledger_transactions enable always trigger ledger_transactions_only_grow;
alter table ledger_transactions enable always trigger ledger_transactions_kept;
alter table ledger_entries enable always trigger ledger_entries_balance;
alter table ledger_entries enable always trigger ledger_entries_only_grow;
alter table ledger_entries enable always trigger ledger_entries_kept;
