create table disputes (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  payment_intent_id object_id not null,
  customer_id object_id,
  test_clock_id object_id,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  tax_amount bigint not null check (tax_amount between 0 and amount),
  status text not null check (status in ('needs_response', 'won', 'lost')),
  result text check (result in ('won', 'lost')),
  closes_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  check ((result is null) = (closes_at is null)),
  check ((status = 'needs_response') = (closed_at is null)),
  check (status = 'needs_response' or status = result)
);
comment on table disputes is 'Payments that a payer has disputed with the bank. The sandbox opens them on request, and closes them in real time and on test clocks';
comment on column disputes.amount is 'What the bank holds of the payment, minor units: its total without what was refunded before';
comment on column disputes.tax_amount is 'How much of amount is tax';
comment on column disputes.result is 'How it will end, or has ended; null until somebody has said so';
comment on column disputes.closes_at is 'When it ends, in the customer''s time';
create unique index disputes_one_open on disputes (payment_intent_id) where status = 'needs_response';
create index disputes_of_payment on disputes (payment_intent_id, created_at, id);
create index disputes_by_time on disputes (biller_id, livemode, created_at, id) where test_clock_id is null;
create index disputes_of_clock on disputes (test_clock_id, created_at, id) where test_clock_id is not null;
create index disputes_of_customer on disputes (customer_id) where customer_id is not null;
create index disputes_closing on disputes (closes_at) where status = 'needs_response' and test_clock_id is null;
create index disputes_closing_on_clock on disputes (test_clock_id, closes_at)
  where status = 'needs_response' and test_clock_id is not null;

alter table payment_intents add column refunded_before_dispute bigint not null default 0;
comment on column payment_intents.total_returned_amount is 'What the bank has taken back: the whole of each debit that came back, whatever was refunded before; of a dispute that was lost, its amount';
comment on column payment_intents.refunded_before_dispute is 'What disputes that were lost did not take, minor units: it had been refunded before';

alter table ledger_transactions
  drop constraint ledger_transactions_kind_check,
  add constraint ledger_transactions_kind_check check (kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal',
    'debit_accepted', 'debit_ended', 'dispute_lost')) not valid;
alter table ledger_entries
  drop constraint ledger_entries_account_check,
  add constraint ledger_entries_account_check check (account in (
    'payers', 'in_flight', 'processor', 'held', 'fees', 'bank')) not valid;
comment on column ledger_transactions.kind is 'All but the last three are rows that finance reads; these tell what is in flight, and that what was held is lost';
comment on column ledger_transactions.source_id is 'The payment intent, the refund, the dispute or the payout. Without a foreign key: the books keep what they have posted';
comment on column ledger_entries.account is 'payers: the other side of all money. in_flight: debits without a result. processor: taken and not paid out. held: under dispute. fees: what it cost. bank: paid out';
create or replace view balance_transactions as
  select id, biller_id, livemode, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id, available_on,
    occurred_at
  from ledger_transactions
  where kind in ('payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal');
