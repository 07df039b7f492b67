create table payouts (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  status text not null check (status in ('in_transit', 'paid', 'failed')),
  reconciliation_status text not null check (reconciliation_status in ('in_progress', 'completed')),
  paid_out_on date not null,
  arrives_on date not null check (arrives_on > paid_out_on),
  arrives_at timestamptz not null,
  ended_at timestamptz,
  failure_code text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  check ((status = 'in_transit') = (ended_at is null)),
  check ((status = 'failed') = (failure_code is not null))
);
comment on table payouts is 'What was paid to the bank account of a biller, in one currency. Made by the sandbox on each business day, in real time and on test clocks';
comment on column payouts.amount is 'Minor units; the sum of its items';
comment on column payouts.paid_out_on is 'The business day, in the biller''s zone, whose available money it is';
comment on column payouts.arrives_on is 'The next business day; arrives_at is its beginning, in the customer''s time';
comment on column payouts.reconciliation_status is 'Whether its items are known and add up to its amount';
create index payouts_by_time on payouts (biller_id, livemode, created_at, id) where test_clock_id is null;
create index payouts_of_clock on payouts (test_clock_id, created_at, id) where test_clock_id is not null;
create index payouts_arriving on payouts (arrives_at) where status = 'in_transit' and test_clock_id is null;
create index payouts_arriving_on_clock on payouts (test_clock_id, arrives_at)
  where status = 'in_transit' and test_clock_id is not null;

create table payout_items (
  payout_id object_id not null references payouts on delete cascade,
  transaction_id object_id not null,
  released boolean not null default false,
  primary key (payout_id, transaction_id)
);
comment on table payout_items is 'Which rows of the ledger a payout pays. Without a foreign key to them: the ledger can be made again under the same ids';
comment on column payout_items.released is 'The payout has failed, and another one pays the row';
create unique index payout_items_once on payout_items (transaction_id) where not released;
create index payout_items_of_transaction on payout_items (transaction_id);

create table payable_transactions (
  transaction_id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  currency text not null,
  amount bigint not null check (amount <> 0),
  payable_at timestamptz not null,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade
);
comment on table payable_transactions is 'The rows of the sandbox''s ledger that are in no payout, or in failed ones only. Written in the statement that posts; a payout takes them out';
comment on column payable_transactions.amount is 'Minor units, as the row moves the account processor';
comment on column payable_transactions.payable_at is 'The beginning of the first business day on which it may be paid out, in the customer''s time';
create index payable_in_real_time on payable_transactions (payable_at) where test_clock_id is null;
create index payable_of_biller on payable_transactions (biller_id, livemode, currency, payable_at)
  where test_clock_id is null;
create index payable_on_clock on payable_transactions (test_clock_id, payable_at) where test_clock_id is not null;

alter table ledger_transactions
  drop constraint ledger_transactions_kind_check,
  add constraint ledger_transactions_kind_check check (kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'debit_accepted', 'debit_ended')) not valid,
  alter payment_intent_id drop not null;
alter table ledger_entries
  drop constraint ledger_entries_account_check,
  add constraint ledger_entries_account_check check (account in (
    'payers', 'in_flight', 'processor', 'fees', 'bank')) not valid;
comment on column ledger_transactions.kind is 'All but the last two are rows that finance reads; these tell what is in flight';
comment on column ledger_transactions.source_id is 'The payment intent, the refund or the payout. Without a foreign key: the books keep what they have posted';
comment on column ledger_entries.account is 'payers: the other side of all money. in_flight: debits without a result. processor: taken and not paid out. fees: what it cost. bank: paid out';
create or replace view balance_transactions as
  select id, biller_id, livemode, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id, available_on,
    occurred_at
  from ledger_transactions
  where kind in ('payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure');

-- What is there already is paid out from now on.
insert into payable_transactions (transaction_id, biller_id, livemode, test_clock_id, currency, amount, payable_at)
  select t.id, t.biller_id, t.livemode, t.test_clock_id, t.currency, e.amount,
    (t.available_on + case when t.kind = 'payment' then 0 else 1 end)::timestamp at time zone b.time_zone
  from ledger_transactions t
  join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
  join billers b on b.id = t.biller_id
  where not t.livemode and t.available_on is not null;

alter table ledger_positions
  add column stopped_at timestamptz,
  add column stopped_by text;
comment on column ledger_positions.stopped_at is 'Since when the next event cannot be posted, by real time; stopped_by says why. Null while all is well';
